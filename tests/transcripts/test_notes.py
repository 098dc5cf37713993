"""Notes: what somebody wrote is memory, what is about the file is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everlore.transcripts.notes import BEGIN, END, note, without_front


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\neveros: 1\nmerged_at: 2026-01-02\n---\n\n# Mine\n", "\n# Mine\n"),
        ("\ufeff---\r\na: b\r\n---\r\nText\r\n", "Text\r\n"),
        ("---\n---\nText", "Text"),
        ("---\nA rule above, no fields.\n---\nText", "---\nA rule above, no fields.\n---\nText"),
        ("---\na: b\nno end", "---\na: b\nno end"),
        ("Text\n---\na: b\n---\n", "Text\n---\na: b\n---\n"),
    ],
)
def test_front_matter_is_about_the_text(text: str, body: str) -> None:
    assert without_front(text)[0] == body


def test_a_note_is_of_its_date_and_has_none_of_our_own_words(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    ours = f"{BEGIN}\nYou have a long-term memory.\n{END}\n"
    path.write_text(f"---\ndate: 2026-03-04\nglobs: '*.py'\n---\nUse tabs.\n{ours}", encoding="utf-8")
    (talk,) = note("claude-code", path)
    assert [(turn.at, turn.text) for turn in talk.turns] == [(1772582400000, "Use tabs.")]
    path.write_text("Use tabs.", encoding="utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (talk,) = note("claude-code", path)
    assert talk.turns[0].at == 1_700_000_000_000

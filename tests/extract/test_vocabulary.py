"""Words and patterns that are data."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.extract import vocabulary
from everlore.extract.vocabulary import Vocabulary


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vocabulary:
    (tmp_path / "kin.toml").write_text(
        "[words]\nkin = 'aunt step_mother'\n[patterns]\nvisit = '''my (?:<<kin>>) <<came>>'''\ncame = 'came'\n", "utf-8"
    )
    monkeypatch.setattr(vocabulary, "DATA", tmp_path)
    return Vocabulary("kin")


def test_words_may_have_blanks(known: Vocabulary) -> None:
    assert known.words("kin") == {"aunt", "step mother"}
    assert known.in_order("kin") == ("aunt", "step mother")


def test_a_pattern_names_words_and_patterns(known: Vocabulary) -> None:
    assert known.text("visit") == r"my (?:step\ mother|aunt) came"
    assert known.pattern("visit").search("Yesterday MY Step Mother came")
    with pytest.raises(KeyError):
        known.pattern("nowhere")


def test_every_data_file_can_be_read() -> None:
    for file in vocabulary.DATA.glob("*.toml"):
        Vocabulary(file.stem)

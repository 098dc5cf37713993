"""The examples of docs/file-format.md are files that Everlore reads, and writes in the same way."""

from __future__ import annotations

import re
from pathlib import Path

from everlore.kinds import case, episode, fact, profile, skill
from everlore.types import Entry, Owner, Scope
from everlore.vault.markdown import parse_log, parse_sheet, render_entry, render_sheet

PAGE = Path(__file__).parents[2] / "docs" / "file-format.md"
EPISODE, FACT, CASE, PROFILE, SKILL = re.findall(r"```markdown\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
ALICE, AGENT = Owner(Scope(), "user", "alice"), Owner(Scope(), "agent", "assistant")


def only_entry(text: str) -> Entry:
    found = parse_log(text, "example")
    assert found.problems == ()
    (entry,) = found.entries
    assert text.endswith(render_entry(entry))
    return entry


def test_the_logs() -> None:
    for entry, again in (
        (only_entry(EPISODE), episode.to_entry(episode.from_entry(only_entry(EPISODE), ALICE))),
        (only_entry(FACT), fact.to_entry(fact.from_entry(only_entry(FACT), ALICE))),
        (only_entry(CASE), case.to_entry(case.from_entry(only_entry(CASE), AGENT))),
    ):
        assert again == entry


def test_the_sheets() -> None:
    assert render_sheet(profile.to_sheet(profile.from_sheet(parse_sheet(PROFILE), ALICE))) == PROFILE
    assert render_sheet(skill.to_sheet(skill.from_sheet(parse_sheet(SKILL), AGENT, "x"))) == SKILL

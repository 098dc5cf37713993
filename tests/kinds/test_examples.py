"""The examples of docs/file-format.md are files that Everlore reads, and writes in the same way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everlore.kinds import case, entity, episode, fact, note, profile, record, skill
from everlore.kinds.base import END_FIELDS
from everlore.kinds.registry import OwnFile, kind
from everlore.types import LogEntry, Owner, Scope
from everlore.vault.entries import render_entry
from everlore.vault.markdown import parse_log, parse_sheet, render_sheet

PAGE = Path(__file__).parents[2] / "docs" / "file-format.md"
EXAMPLES = re.findall(r"^(```+)markdown\n(.*?)^\1$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
EPISODE, FACT, NOTE, CASE, PROFILE, SKILL, ENTITY, RECORD = (text for _, text in EXAMPLES)
ALICE, AGENT = Owner(Scope(), "user", "alice"), Owner(Scope(), "agent", "assistant")


def only_entry(text: str) -> LogEntry:
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


def test_a_note_and_its_end() -> None:
    entry = only_entry(NOTE)
    written = note.to_entry(note.from_entry(entry, ALICE))
    assert {**entry.fields, **written.fields} == entry.fields
    assert set(entry.fields) - set(written.fields) == set(END_FIELDS)
    assert written.sections == entry.sections


def test_the_sheets() -> None:
    page = entity.from_sheet(parse_sheet(ENTITY), ALICE, "Project X")
    assert render_sheet(entity.to_sheet(page)) == ENTITY
    assert [(one.type, one.page, one.weight) for one in page.relations] == [
        ("uses", "Rust", 0.5),
        ("led_by", "Carol", 1),
    ]
    saved = record.from_sheet(parse_sheet(RECORD), Owner(Scope(), "user", "default"), "x")
    assert render_sheet(record.to_sheet(saved)) == RECORD
    assert render_sheet(profile.to_sheet(profile.from_sheet(parse_sheet(PROFILE), ALICE))) == PROFILE
    assert render_sheet(skill.to_sheet(skill.from_sheet(parse_sheet(SKILL), AGENT, "x"))) == SKILL


@pytest.mark.parametrize(
    ("name", "example", "owner"),
    [("episode", EPISODE, ALICE), ("fact", FACT, ALICE), ("note", NOTE, ALICE), ("case", CASE, AGENT)],
)
def test_a_row_is_made_of_an_entry_alone(name: str, example: str, owner: Owner) -> None:
    spec = kind(name)
    row = spec.row(only_entry(example), owner, "2026-05-28", 5)
    assert (row.key.kind, row.key.owner, row.updated) == (name, owner, 5)
    assert (spec.text(row.data), str(row.data[spec.statement])) != ("", "")
    assert (row.validity.end is None) == (name in ("episode", "case"))


def test_an_own_file_needs_its_whole_pattern() -> None:
    assert [
        OwnFile("skills/*/SKILL.md").match(path) for path in ("skills/a/SKILL.md", "skills//SKILL.md", "skills/a")
    ] == ["a", None, None]
    assert (OwnFile("user.md").match("user.md"), OwnFile("user.md").match("user.md.md")) == ("", None)
    assert OwnFile("things/*").match("things/a.b") == "a.b"

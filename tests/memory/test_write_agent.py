"""Skills as people and other programs write them, and what they know of cases that are gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from vaults import DAY, HELPER, MAY_28, SCOPE, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.kinds.skill import Skill, from_sheet
from everlore.memory import NewMessage, flush, forget, listing, remember
from everlore.search import Query, recall
from everlore.search.recipes import KEYWORD
from everlore.sync.indexing import index_file
from everlore.sync.upkeep import index_changes, rebuild
from everlore.types import IndexedMemory
from everlore.vault.markdown import parse_sheet

PLAIN = "---\nname: {name}\ndescription: Get a mail queue going again.\n---\nRestart the worker.\n"


def page(engine: Engine, folder: str, text: str) -> Path:
    file = engine.settings.memory.root / "default_app/default_project/agents/helper/skills" / folder / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def skills(engine: Engine) -> list[IndexedMemory]:
    return sorted(listing(engine, HELPER, "skill").rows, key=lambda row: str(row.data["name"]))


def run(place: str, at: int) -> list[NewMessage]:
    calls = [
        {"id": f"{tool}{at}", "type": "function", "function": {"name": tool, "arguments": '{"to": "x"}'}}
        for tool in ("search_flights", "book_flight")
    ]
    return [
        says(f"Please book a flight to {place}.", at=at),
        says("", "helper", at + 1, role="assistant", tool_calls=calls),
        says(f"3 flights to {place}", "search", at + 2, role="tool", tool_call_id=calls[0]["id"]),
        says("booked", "search", at + 3, role="tool", tool_call_id=calls[1]["id"]),
        says(f"Booked the flight to {place}.", "helper", at + 4, role="assistant"),
        says("That is exactly what I wanted.", at=at + 5),
    ]


def work(engine: Engine, *places: str, start: int = 0) -> None:
    for number, place in enumerate(places, start):
        assert remember(engine, SCOPE, place, run(place, MAY_28 + number * DAY)) or flush(engine, SCOPE, place)


def the_skill(engine: Engine) -> tuple[Path, Skill]:
    [file] = engine.settings.memory.root.glob("**/SKILL.md")
    return file, from_sheet(parse_sheet(file.read_text("utf-8")), HELPER, file.parent.name)


def test_a_skill_needs_no_id_of_ours(engine: Engine) -> None:
    texts = {
        "restart-the-queue": PLAIN.format(name="restart"),
        "Öffne die Warteschlange": PLAIN.replace("name: {name}\n", "id: coder_restart_queue\n"),
        "bare": "Restart it.\n",
        "given": PLAIN.format(name="given\nid: sk_20260528_00000001"),
    }
    files = {page(engine, folder, text): text for folder, text in texts.items()}
    index_changes(engine)
    before = {row.key: row.data["name"] for row in skills(engine)}
    assert sorted(before.values()) == ["bare", "given", "restart", "Öffne die Warteschlange"]
    assert all(key.local_id[:3] == "sk_" and len(key.local_id) == len("sk_20260528_00000001") for key in before)
    assert_index_equals_files(engine)
    hits = recall(engine, Query(HELPER, "mail queue", 5), KEYWORD).hits["skill"]
    assert {hit.stored.data["name"] for hit in hits} >= {"restart", "Öffne die Warteschlange"}
    rebuild(engine, lambda *_: None)
    assert {row.key: row.data["name"] for row in skills(engine)} == before
    assert {file: file.read_text("utf-8") for file in files} == files, "nobody writes into a person's file for it"
    forget(engine, HELPER, next(key.public_id for key, name in before.items() if name == "restart"))
    assert sorted(file.parent.name for file in files if file.exists()) == sorted(texts.keys() - {"restart-the-queue"})


def test_a_skill_of_another_program_keeps_its_id_when_a_case_joins_it(engine: Engine) -> None:
    work(engine, "Rome", "Oslo")
    file, ours = the_skill(engine)
    file.write_text(file.read_text("utf-8").replace(f"id: {ours.local_id}", "id: helper_flights  # theirs"), "utf-8")
    index_changes(engine)
    [row] = skills(engine)
    work(engine, "Bern", start=2)
    [again] = skills(engine)
    assert (again.key, len(again.data["source_case_ids"])) == (row.key, 3)
    assert "id: helper_flights  # theirs\n" in file.read_text("utf-8")


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_case_that_is_gone_is_no_source_of_a_skill(engine: Engine, by_hand: bool) -> None:
    work(engine, "Rome", "Oslo", "Bern")
    file, before = the_skill(engine)
    gone = before.source_case_ids[0]
    if by_hand:
        next(engine.settings.memory.root.glob("**/cases/case-2026-05-28.md")).unlink()
        index_changes(engine)
    else:
        forget(engine, HELPER, gone)
    _, after = the_skill(engine)
    assert after.source_case_ids == before.source_case_ids[1:]
    assert gone not in file.read_text("utf-8")
    assert after.description.endswith("(from 2 runs)")
    [row] = skills(engine)
    assert tuple(row.data["source_case_ids"]) == after.source_case_ids
    assert_index_equals_files(engine)
    work(engine, "Graz", start=3)
    _, grown = the_skill(engine)
    assert len(grown.source_case_ids) == 3, "our page is still ours"
    assert "## Learned since" not in grown.content


def test_a_page_that_a_person_changed_loses_the_id_and_no_line(engine: Engine) -> None:
    work(engine, "Rome", "Oslo")
    file, before = the_skill(engine)
    text = (
        file.read_text("utf-8")
        .replace("## Steps", "Ask for a window seat.\n\n## Steps")
        .replace("source_case_ids:\n", "source_case_ids:  # mine\n")
    )
    file.write_text(text, "utf-8")
    index_changes(engine)
    forget(engine, HELPER, before.source_case_ids[1])
    lost = [line for line in text.splitlines() if line not in file.read_text("utf-8").splitlines()]
    assert lost == [f"- {before.source_case_ids[1]}", f"description: {before.description}"][::-1]


def test_cases_in_a_file_that_an_editor_empties_for_a_moment_stay_sources(engine: Engine) -> None:
    work(engine, "Rome", "Oslo")
    _, before = the_skill(engine)
    [first, *_] = sorted(engine.settings.memory.root.glob("**/cases/*.md"))
    text = first.read_text("utf-8")
    first.write_text("", "utf-8")
    index_file(engine, first.relative_to(engine.settings.memory.root).as_posix())
    first.write_text(text, "utf-8")
    index_changes(engine)
    assert the_skill(engine)[1] == before
    assert_index_equals_files(engine)


def test_a_page_that_is_just_being_saved_gets_no_second_skill(engine: Engine) -> None:
    work(engine, "Rome", "Oslo")
    file, before = the_skill(engine)
    text = file.read_text("utf-8")
    file.write_text("", "utf-8")  # as some editors do before they write
    work(engine, "Bern", start=2)
    file.write_text(text, "utf-8")
    assert the_skill(engine)[1] == before, "there is one page, and it is as it was"
    work(engine, "Graz", start=3)
    assert len(the_skill(engine)[1].source_case_ids) == 4, "the next case takes the other along"


def test_a_page_that_was_changed_a_moment_ago_is_met_as_it_is_now(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(engine, "Rome", "Oslo")
    file, _ = the_skill(engine)
    update, edits = engine.vault.change, iter(["Ask for a window seat.\n\n## Steps"])

    def saved_before(path: str, change: Callable[[str | None], str | None]) -> object:
        if path.endswith("SKILL.md") and (edit := next(edits, "")):
            file.write_text(file.read_text("utf-8").replace("## Steps", edit), "utf-8")
        return update(path, change)

    monkeypatch.setattr(engine.vault, "change", saved_before)
    work(engine, "Bern", start=2)
    _, after = the_skill(engine)
    assert "Ask for a window seat." in after.content
    assert len(after.source_case_ids) == 3

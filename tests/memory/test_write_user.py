"""What a conversation leaves behind: episodes, facts, what they end, the profile; cases and skills of agents."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint
from vaults import (
    ALICE,
    BOB,
    DAY,
    HELPER,
    MAY_28,
    SCOPE,
    assert_index_equals_files,
    contents,
    facts,
    in_files,
    open_vault,
    says,
)

from everlore.engine import Engine
from everlore.kinds.skill import Skill, from_sheet
from everlore.memory import NewMessage, flush, listing, profile, remember
from everlore.memory.extraction import write_cell
from everlore.models.chat import Meter
from everlore.search import Query, recall
from everlore.search.recipes import HYBRID, KEYWORD
from everlore.types import Cell, IndexRow, Message
from everlore.vault.markdown import parse_sheet


def tell(engine: Engine, *messages: NewMessage, session: str = "s") -> None:
    remember(engine, SCOPE, session, list(messages))
    assert flush(engine, SCOPE, session)


def run(place: str, at: int, *, user: bool = True) -> list[NewMessage]:
    """An agent looks something up and answers."""
    calls: list[dict[str, Any]] = [
        {"id": f"{tool}{at}", "type": "function", "function": {"name": tool, "arguments": f'{{"to": "{place}"}}'}}
        for tool in ("search_flights", "book_flight")
    ]
    asked = [says(f"Please book a flight to {place}.", at=at)] if user else []
    content = [says("That is exactly what I wanted.", at=at + 5)] if user else []
    return [
        *asked,
        says("", "helper", at + 1, role="assistant", tool_calls=calls),
        says(f"3 flights to {place}", "search", at + 2, role="tool", tool_call_id=f"search_flights{at}"),
        says("booked", "search", at + 3, role="tool", tool_call_id=f"book_flight{at}"),
        says(f"Booked the flight to {place}.", "helper", at + 4, role="assistant"),
        *content,
    ]


def kinds(engine: Engine, owner: object) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in in_files(engine)[1]:
        if row.key.owner == owner:
            found[row.key.kind] = found.get(row.key.kind, 0) + 1
    return found


def rows(engine: Engine, kind: str) -> list[IndexRow]:
    return [row for row in in_files(engine)[1] if row.key.owner == ALICE and row.key.kind == kind]


def test_an_episode_tells_who_said_what_when(engine: Engine) -> None:
    tell(engine, says("I climb in Yosemite."), says("Lovely!", "helper", MAY_28 + 60_000, role="assistant"))
    [row] = listing(engine, ALICE, "episode").rows
    assert row.key.public_id == "alice_ep_20260528_00000001"
    assert row.timestamp == MAY_28 + 60_000
    assert row.session_id == "s"
    assert row.sender_ids == ("alice", "helper")
    assert "**Alice** (20:26): I climb in Yosemite." in row.data["episode"]
    assert "May 28, 2026" in row.data["episode"]


def test_subject_and_summary_have_one_date_in_the_configured_zone(tmp_path: Path, vectors: Endpoint) -> None:
    late = MAY_28 + 3 * 3_600_000  # 23:26 UTC, 07:26 in Shanghai
    memory = {"root": tmp_path / "vault", "timezone": "Asia/Shanghai"}
    engine = open_vault(tmp_path / "vault", vectors.url, memory=memory)
    try:
        tell(engine, says("I fly to Rome tonight.", at=late))
        [row] = listing(engine, ALICE, "episode").rows
    finally:
        engine.close()
    told = "Alice flies to Rome tonight (29 May 2026)."
    assert row.data["summary"] == f"On May 29, 2026 at 7:26 AM UTC+08:00: {told}"
    assert row.data["subject"] == "Alice: flies to Rome tonight (29 May 2026)"
    assert "**Alice** (23:26)" in row.data["episode"]


def test_facts_can_be_read_without_the_others(engine: Engine) -> None:
    tell(engine, says("I climb in Yosemite every spring. My sister Anna joined me yesterday."))
    told = [str(fact["content"]) for fact in facts(engine, ALICE)]
    assert "Alice climbs in Yosemite every spring." in told
    assert any("Alice's sister Anna" in fact and "27 May 2026" in fact for fact in told)
    [episode] = rows(engine, "episode")
    assert {row.parent_id for row in rows(engine, "fact")} == {episode.parent_id}


def test_everybody_who_spoke_as_a_user_gets_a_copy(engine: Engine) -> None:
    tell(engine, says("I climb in Yosemite."), says("I cook ramen.", "bob"))
    assert contents(engine, ALICE).keys() == contents(engine, BOB).keys()
    assert sorted(str(f["content"]) for f in facts(engine, ALICE)) == sorted(
        str(f["content"]) for f in facts(engine, BOB)
    )


def test_a_newer_fact_ends_an_older_one_and_deletes_nothing(engine: Engine) -> None:
    tell(engine, says("My favorite coffee shop is Blue Bottle."), session="old")
    tell(engine, says("My favorite coffee shop is Sightglass now.", at=MAY_28 + DAY), session="new")
    old, new = sorted(rows(engine, "fact"), key=lambda row: row.timestamp)
    assert (old.validity.start, old.validity.end) == (MAY_28, MAY_28 + DAY)
    assert old.data["superseded_by"] == new.key.local_id
    assert new.validity.end is None
    text = (engine.settings.memory.root / "default_app/default_project/users/alice/facts/fact-2026-05-28.md").read_text(
        "utf-8"
    )
    assert "**valid_until**: 2026-05-29T20:26:40Z" in text
    assert f"**superseded_by**: {new.key.local_id}" in text
    hits = recall(engine, Query(ALICE, "favorite coffee shop", 5), HYBRID).hits["episode"]
    nested = [fact.stored.data["content"] for hit in hits for fact in hit.facts]
    assert len(hits) == 2
    assert [fact for fact in nested if "Blue Bottle" in fact] == []
    assert [fact for fact in nested if "Sightglass" in fact] != []
    assert_index_equals_files(engine)


def test_an_older_fact_that_is_told_later_does_not_stand_beside_the_newer(engine: Engine) -> None:
    tell(engine, says("My favorite coffee shop is Sightglass.", at=MAY_28 + DAY), session="new")
    tell(engine, says("My favorite coffee shop is Blue Bottle."), session="old")
    old, new = sorted(rows(engine, "fact"), key=lambda row: row.timestamp)
    assert old.validity.end == MAY_28 + DAY
    assert old.data["superseded_by"] == new.key.local_id
    assert new.validity.end is None


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_history_ends_where_the_next_begins_in_whatever_order_it_is_told(
    engine: Engine, order: tuple[int, ...]
) -> None:
    told = ["I live in Galway.", "I live in Dublin.", "I live in Cork."]
    for number in order:
        tell(engine, says(told[number], at=MAY_28 + number * 50 * DAY), session=f"s{number}")
    found = sorted(rows(engine, "fact"), key=lambda row: row.timestamp)
    assert [row.validity.end for row in found] == [MAY_28 + 50 * DAY, MAY_28 + 100 * DAY, None]
    assert [row.data["superseded_by"] for row in found] == [found[1].key.local_id, found[2].key.local_id, ""]
    stored = profile(engine, ALICE)
    assert stored is not None
    assert [info["description"] for info in stored.data["explicit_info"]] == ["Alice lives in Cork."]


def test_a_profile_is_made_of_what_people_say_of_themselves(engine: Engine) -> None:
    tell(engine, says("I live in Rome. I work as a nurse. I love jazz."), session="old")
    stored = profile(engine, ALICE)
    assert stored is not None
    assert "Rome" in str(stored.data["explicit_info"])
    tell(engine, says("I live in Oslo now.", at=MAY_28 + DAY), session="new")
    stored = profile(engine, ALICE)
    assert stored is not None
    assert "Oslo" in str(stored.data["explicit_info"])
    assert "lives in Rome" not in str([info["description"] for info in stored.data["explicit_info"]])
    assert profile(engine, BOB) is None


def test_work_with_tools_leaves_both_tracks(engine: Engine) -> None:
    tell(engine, *run("Rome", MAY_28))
    assert kinds(engine, ALICE)["episode"] == 1
    assert kinds(engine, HELPER) == {"case": 1}
    [case] = listing(engine, HELPER, "case").rows
    assert case.key.public_id == "helper_ac_20260528_00000001"
    assert "flight to Rome" in case.data["task_intent"]
    assert "search_flights" in case.data["approach"]
    assert "called search_flights" in next(iter(contents(engine, ALICE).values())), "an empty turn with calls is kept"


def test_several_tasks_of_a_cell_are_written_once(engine: Engine) -> None:
    talk = [
        *run("Rome", MAY_28),
        says("Thanks! Now please check the weather.", at=MAY_28 + 10),
        *run("", MAY_28 + 20)[1:],
    ]
    tell(engine, *talk)
    before = listing(engine, HELPER, "case").rows
    assert [row.data["task_intent"] for row in before] == ["Check the weather.", "Book a flight to Rome."]
    [parent] = {row.parent_id for row in before}
    # as after a crash that left the files and lost what is noted of them
    messages = tuple(replace(message, id=f"m{at}") for at, message in enumerate(accepted(talk)))
    for _ in range(2):
        again = Cell(parent, SCOPE, "s", messages)
        assert write_cell(engine, again, Meter(1))
    assert listing(engine, HELPER, "case").rows == before
    assert_index_equals_files(engine)


def accepted(talk: list[NewMessage]) -> list[Message]:
    return [
        Message(
            "",
            SCOPE,
            "s",
            m.sender_id,
            None,
            m.role,
            m.timestamp,
            m.content,
            str(m.content),
            m.tool_calls,
            m.tool_call_id,
        )
        for m in talk
    ]


def test_a_session_without_users_is_the_agents_alone(engine: Engine) -> None:
    tell(engine, *run("Rome", MAY_28, user=False))
    assert {row.key.owner for row in in_files(engine)[1]} == {HELPER}
    assert kinds(engine, HELPER) == {"case": 1}


def test_a_talk_without_tools_leaves_no_case(engine: Engine) -> None:
    tell(engine, says("I live in Rome."), says("Rome is a fine city.", "helper", MAY_28 + 1, role="assistant"))
    assert kinds(engine, HELPER) == {}


def test_two_runs_of_a_task_become_a_skill_and_a_third_joins_it(engine: Engine) -> None:
    tell(engine, *run("Rome", MAY_28), session="one")
    tell(engine, *run("Oslo", MAY_28 + DAY), session="two")
    assert kinds(engine, HELPER) == {"case": 2, "skill": 1}
    first = the_skill(engine)
    assert len(first.source_case_ids) == 2
    tell(engine, *run("Lisbon", MAY_28 + 2 * DAY), session="three")
    assert kinds(engine, HELPER) == {"case": 3, "skill": 1}
    grown = the_skill(engine)
    assert (grown.local_id, grown.name) == (first.local_id, first.name)
    assert len(grown.source_case_ids) == 3
    assert grown.confidence > first.confidence
    assert recall(engine, Query(HELPER, "book a flight", 3), KEYWORD).hits["skill"] != []
    assert_index_equals_files(engine)


def test_a_skill_that_a_person_rewrote_stays_theirs(engine: Engine) -> None:
    tell(engine, *run("Rome", MAY_28), session="one")
    tell(engine, *run("Oslo", MAY_28 + DAY), session="two")
    [file] = engine.settings.memory.root.glob("**/SKILL.md")
    front = file.read_text("utf-8").split("---\n")[1]
    file.write_text(f"---\n{front}---\n\nAlways ask for a window seat.\n", encoding="utf-8")
    tell(engine, *run("Lisbon", MAY_28 + 2 * DAY), session="three")
    assert "Always ask for a window seat." in the_skill(engine).content
    assert len(the_skill(engine).source_case_ids) == 3


def the_skill(engine: Engine) -> Skill:
    [file] = engine.settings.memory.root.glob("**/SKILL.md")
    return from_sheet(parse_sheet(file.read_text("utf-8")), HELPER, file.parent.name)


def test_a_password_is_nowhere_in_what_is_kept(engine: Engine) -> None:
    tell(engine, says("My wifi password is hunter2 and I live in Bonn."))
    told = [str(fact["content"]) for fact in facts(engine, ALICE)]
    assert told == ["Alice's wifi password is [MASKED password].", "Alice lives in Bonn."]
    assert not any(b"hunter2" in file.read_bytes() for file in engine.settings.memory.root.rglob("*") if file.is_file())


def test_a_talk_and_what_was_said_of_the_work_carry_the_project_what_is_personal_does_not(engine: Engine) -> None:
    texts = (
        "I am a vegetarian.",
        "Always run the linter before you commit.",
        "Never use emojis.",
        "We decided to use Postgres for billing.",
    )
    tell(engine, *(says(text, at=MAY_28 + at * 1000, project="tool") for at, text in enumerate(texts)))
    rows = {row.data["content"]: row.project for row in in_files(engine)[1] if row.key.kind == "fact"}
    assert rows == {
        "Alice is a vegetarian.": "*",
        'Alice said: "Always run the linter before you commit."': "tool",
        'Alice said: "Never use emojis."': "*",
        'Alice said: "We decided to use Postgres for billing."': "tool",
    }
    assert [row.project for row in listing(engine, ALICE, "episode").rows] == ["tool"]
    known = profile(engine, ALICE)
    assert known is not None
    assert {info["description"]: info.get("project", "") for info in known.data["explicit_info"]} == {
        "Always run the linter before you commit.": "tool",
        "Never use emojis.": "",
        "Alice is a vegetarian.": "",
    }
    assert "linter" not in known.data["summary"]
    assert_index_equals_files(engine)


def test_a_session_that_goes_on_in_another_project_is_another_talk(engine: Engine) -> None:
    talk = [says("The parser is slow.", project="a"), says("The lexer is slow.", at=MAY_28 + 1000, project="b")]
    assert remember(engine, SCOPE, "s", talk)
    assert sorted(row.project for row in listing(engine, ALICE, "episode").rows) == ["a", "b"]

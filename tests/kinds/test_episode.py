"""Episodes read back as they were written, and give search the pieces they should."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.clock import iso
from everlore.errors import Damaged
from everlore.kinds import episode
from everlore.kinds.episode import Turn, parse_turns, render_turns, turn_moment, turn_units
from everlore.types import LogEntry, Owner, Scope
from everlore.vault.entries import normal_text

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000
words = st.text(min_size=1).map(normal_text).filter(bool)


def an_episode(content: str, **rest: Any) -> episode.Episode:
    base = episode.Episode(ALICE, "ep_20260528_00000001", "s", AT, "mc_1", ("alice",), "subject", "summary", content)
    return replace(base, **rest)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Alice", "The assistant", "张伟"]), words), min_size=1, max_size=5))
def test_turns_read_back_as_they_were_said(said: list[tuple[str, str]]) -> None:
    turns = [Turn(speaker, "11:30", text) for speaker, text in said]
    opening, found = parse_turns(render_turns("On May 28 they talked.", turns))
    assert opening == "On May 28 they talked."
    assert [(turn.speaker, turn.text) for turn in found] == [(turn.speaker, turn.text.strip()) for turn in turns]


def test_a_turn_that_quotes_another_turn_stays_one() -> None:
    quoted = "She wrote:\n**Bob** (10:00): hello\n\\**Bob** (10:01): again"
    assert parse_turns(render_turns("Opening.", [Turn("Alice", "11:30", quoted)]))[1] == [
        Turn("Alice", "11:30", quoted)
    ]


def test_an_episode_without_turn_marks_is_still_searched() -> None:
    units = episode.units(an_episode("A person wrote this by hand."))
    assert [unit.words for unit in units] == ["(28 May 2026): A person wrote this by hand."]


def test_of_an_assistants_long_answer_only_the_beginning_gets_a_vector() -> None:
    long = "\n\n".join(f"Paragraph {number}. " + "Granite is hard. " * 30 for number in range(4))
    content = render_turns("Opening.", [Turn("Alice", "11:30", long), Turn("Claude", "11:31", long)])
    units = episode.units(an_episode(content, assistants=("Claude",)))
    people = [unit for unit in units if unit.turn == 0]
    assistant = [unit for unit in units if unit.turn == 1]
    assert len(people) == len(assistant) > 2
    assert all(unit.dense for unit in people)
    assert [bool(unit.dense) for unit in assistant] == [True] + [False] * (len(assistant) - 1)
    assert all("granite" in unit.words.lower() for unit in assistant)


def test_a_unit_says_who_and_when() -> None:
    assert turn_units(0, "Alice", AT, "Hello.")[0].dense == "Alice (28 May 2026): Hello."


def test_it_reads_back_as_it_was_written() -> None:
    told = an_episode("Opening.\n\n**Alice** (11:30): Hello.", assistants=("Claude", "Tool"))
    assert episode.from_entry(episode.to_entry(told), ALICE) == told


def test_what_a_person_broke_is_named() -> None:
    with pytest.raises(Damaged, match="ep_1 has no text under ### Content"):
        episode.from_entry(LogEntry("ep_1", {"timestamp": "2026-05-28T11:30:00Z"}, {"Content": " "}), ALICE)


@pytest.mark.parametrize(
    ("clock", "moment"),
    [
        ("20:26", "2026-05-28T20:26:40Z"),  # the last turn, to the second
        ("20:25", "2026-05-28T20:25:00Z"),
        ("00:00", "2026-05-28T00:00:00Z"),
        ("20:27", "2026-05-27T20:27:00Z"),  # nothing was said after the last one
        ("", "2026-05-28T20:26:40Z"),
        ("99:99", "2026-05-28T03:39:00Z"),  # a person's slip names some time
    ],
)
def test_a_turn_was_said_at_its_clock_time_before_the_last_one(clock: str, moment: str) -> None:
    assert iso(turn_moment(AT, clock)) == moment

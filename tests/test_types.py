"""The values that every layer knows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from stored import message

from everlore.types import Cell, Key, Owner, Problem, Scope, speaker_name

KEY = Key(Owner(Scope(), "user", "alice"), "fact", "af_1")


def test_a_public_id_names_the_owner_and_a_global_id_everything() -> None:
    assert KEY.public_id == "alice_af_1"
    assert len(KEY.global_id) == 20
    others = [
        replace(KEY, kind="note"),
        replace(KEY, local_id="af_2"),
        replace(KEY, owner=replace(KEY.owner, track="agent")),
        replace(KEY, owner=replace(KEY.owner, scope=Scope(project="other"))),
    ]
    assert len({one.global_id for one in (KEY, *others)}) == 5


@pytest.mark.parametrize(("sender", "name"), [("alice", "Alice"), ("user_42", "user_42"), ("McCoy", "McCoy"), ("", "")])
def test_an_id_that_is_a_plain_name_reads_as_one(sender: str, name: str) -> None:
    assert speaker_name(sender) == name


def test_a_display_name_wins_unless_it_is_blank() -> None:
    assert message(1, sender_name="Alice B.").speaker == "Alice B."
    assert message(1, sender_name="  ").speaker == "Alice"


def test_a_message_without_words_and_calls_is_blank() -> None:
    assert message(1, " \n").blank
    assert not message(1, "", tool_calls=[{"id": "c1"}]).blank


def test_a_cell_has_the_time_of_its_last_message() -> None:
    turns = tuple(message(number) for number in range(3))
    assert all(before.timestamp < after.timestamp for before, after in pairwise(turns))
    assert Cell("mc_1", Scope(), "s1", turns).timestamp == turns[-1].timestamp


def test_a_problem_names_its_line_where_there_is_one() -> None:
    assert str(Problem("a.md", 3, "is there twice")) == "a.md:3: is there twice"
    assert str(Problem("a.md", 0, "is no text")) == "a.md: is no text"

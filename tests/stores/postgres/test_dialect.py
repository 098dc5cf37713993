"""Filters as SQL for PostgreSQL; `tests/contract` runs them on both stores."""

from __future__ import annotations

import pytest

from everlore.stores.postgres.dialect import LIST_GUESSED, SAY, compiled, partition, restriction
from everlore.stores.postgres.schema import CUT
from everlore.types import AllOf, AnyOf, Owner, Predicate, Scope, Where

ALICE = Owner(Scope(), "user", "alice")


@pytest.mark.parametrize(
    "node",
    [
        Predicate("session_id", "eq", "x' OR 1=1"),
        Predicate("session_id", "in", ("x' OR 1=1", "b")),
        Predicate("sender_id", "gte", "x' OR 1=1"),
        Predicate("timestamp", "in", ("1", "2")),
        AnyOf((Predicate("timestamp", "gt", 3), Predicate("sender_id", "ne", "x' OR 1=1"))),
    ],
)
def test_values_are_bound_and_never_spelled_out(node: Predicate | AnyOf) -> None:
    condition = compiled(node)
    assert "1=1" not in condition.sql
    assert condition.sql.count("?") == len(condition.values)


def test_a_sender_is_compared_from_the_other_side() -> None:
    assert compiled(Predicate("sender_id", "gt", "bob")).sql == '? COLLATE "C" < ANY(r.senders)'


def test_long_texts_are_looked_up_by_their_beginning() -> None:
    beginnings, whole = SAY.texts("r.slot", ["x" * 100, "x" * 99]).values
    assert set(beginnings) == {"x" * CUT}
    assert set(whole) == {"x" * 100, "x" * 99}


def test_a_short_list_is_as_long_as_the_planner_guesses_and_an_empty_one_is_empty() -> None:
    assert SAY.numbers("r.id", [7, 8]).values[-1] == [7] + [8] * (LIST_GUESSED - 1)
    assert SAY.numbers("r.id", range(20)).values[-1] == list(range(20))
    assert SAY.numbers("r.id", []).values[-1] == []


def test_a_query_that_demands_nothing_has_no_condition() -> None:
    assert restriction(Where(ALICE, ("fact",), filter=AllOf(), scope=Scope())) is None
    assert restriction(Where(None, ("fact",), scope=Scope())) is not None


def test_a_partition_is_an_owner_and_kinds() -> None:
    assert partition(Where(None, ("fact",)), "r").values == (["fact"],)
    assert partition(Where(ALICE, ("fact",)), "r").values[0] == ["fact"]
    assert len(partition(Where(ALICE, ("fact",)), "r").values) == 3

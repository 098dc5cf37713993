"""Filters as SQL, run by SQLite on rows of three senders."""

from __future__ import annotations

import apsw
import pytest

from everlore.stores.sql.dialect import Condition
from everlore.stores.sqlite.dialect import compiled, of_partition, restriction
from everlore.stores.sqlite.schema import EVERYONE
from everlore.types import AllOf, AnyOf, Filter, Predicate, Where


def meets(condition: Condition) -> list[int]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE rows(id, owner, kind, session_id, timestamp, valid_from, valid_until, senders)")
    given = [
        (1, 1, 1, "a", 10, None, None, '["alice"]'),
        (2, 1, 2, "b", 20, 15, 30, '["alice", "bob"]'),
        (3, 2, 1, "a", 30, 25, None, "[]"),
    ]
    connection.executemany("INSERT INTO rows VALUES(?, ?, ?, ?, ?, ?, ?, ?)", given)
    return [found for (found,) in connection.execute(f"SELECT id FROM rows r WHERE {condition.sql}", condition.values)]


@pytest.mark.parametrize(
    ("node", "ids"),
    [
        (Predicate("session_id", "eq", "a"), [1, 3]),
        (Predicate("session_id", "ne", "a"), [2]),
        (Predicate("session_id", "in", ("b", "c")), [2]),
        (Predicate("session_id", "in", ()), []),
        (Predicate("timestamp", "gte", 20), [2, 3]),
        (Predicate("timestamp", "lt", 20), [1]),
        (Predicate("sender_id", "eq", "bob"), [2]),
        (Predicate("sender_id", "ne", "bob"), [1, 3]),
        (Predicate("sender_id", "in", ("alice", "x")), [1, 2]),
        (AllOf(), [1, 2, 3]),
        (AnyOf(), []),
        (AllOf((Predicate("session_id", "eq", "a"), Predicate("timestamp", "gt", 10))), [3]),
        (AnyOf((Predicate("session_id", "eq", "b"), Predicate("timestamp", "gt", 20))), [2, 3]),
    ],
)
def test_a_filter_keeps_what_it_says(node: Filter, ids: list[int]) -> None:
    assert meets(compiled(node)) == ids


def test_values_are_bound_and_never_spelled_out() -> None:
    condition = compiled(Predicate("session_id", "eq", "x' OR 1=1 --"))
    assert "OR" not in condition.sql
    assert meets(condition) == []


def test_a_very_long_filter_is_not_too_deep_for_sqlite() -> None:
    assert meets(compiled(AnyOf(tuple(Predicate("timestamp", "eq", number) for number in range(3000))))) == [1, 2, 3]


@pytest.mark.parametrize(("moment", "ids"), [(10, [1]), (15, [1, 2]), (29, [1, 2, 3]), (30, [1, 3])])
def test_what_holds_at_a_moment(moment: int, ids: list[int]) -> None:
    condition = restriction(Where(None, ("fact",), valid_at=moment))
    assert condition is not None
    assert meets(condition) == ids


def test_a_query_that_demands_nothing_has_no_condition() -> None:
    assert restriction(Where(None, ("fact",))) is None
    assert restriction(Where(None, ("fact",), filter=AllOf())) is None


def test_a_partition_is_an_owner_and_kinds() -> None:
    assert meets(of_partition(1, (1,), None)) == [1]
    assert meets(of_partition(EVERYONE, (1,), None)) == [1, 3]
    assert meets(of_partition(EVERYONE, (1, 2), Condition("r.timestamp > ?", (10,)))) == [2, 3]

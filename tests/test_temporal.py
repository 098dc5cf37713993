"""Intervals begin and end in order, and an end is not put off."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everlore.temporal import close, valid_at
from everlore.types import Validity

moments = st.integers(0, 100)
maybe = st.none() | moments


def test_an_end_never_precedes_its_start() -> None:
    assert close(Validity(10, None), 5) == Validity(10, 10)
    assert close(Validity(None, None), 5) == Validity(None, 5)


def test_an_earlier_end_stays() -> None:
    assert close(Validity(1, 5), 9) == Validity(1, 5)
    assert close(Validity(1, 9), 5) == Validity(1, 5)


@given(maybe, maybe, moments)
def test_what_is_closed_holds_no_longer(start: int | None, end: int | None, moment: int) -> None:
    closed = close(Validity(start, end), moment)
    assert closed.end is not None
    assert start is None or end is not None or start <= closed.end
    assert not valid_at(closed, max(moment, closed.end))


def test_an_interval_holds_from_its_start_to_before_its_end() -> None:
    assert [valid_at(Validity(2, 4), moment) for moment in (1, 2, 3, 4)] == [False, True, True, False]
    assert valid_at(Validity(None, None), 0)

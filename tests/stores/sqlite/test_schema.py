"""The row number of a unit in the text index says its unit, kind and length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everlore.stores.sqlite.schema import KIND_BITS, LENGTH_BITS, LONGEST, MOST_KINDS, UNIT_SHIFT, code


@given(st.integers(1, 1 << 40), st.integers(0, MOST_KINDS), st.integers(0, 5000))
def test_a_code_can_be_taken_apart(unit: int, kind: int, length: int) -> None:
    number = code(unit, kind, length)
    assert number >> UNIT_SHIFT == unit
    assert (number >> LENGTH_BITS) & MOST_KINDS == kind
    assert number & LONGEST == min(length, LONGEST)
    assert number < 1 << 63, "SQLite's row numbers have 63 bits"


def test_the_bits_add_up() -> None:
    assert UNIT_SHIFT == KIND_BITS + LENGTH_BITS

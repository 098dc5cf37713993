"""Values of template variables: text is read as a number as MySQL reads it, and nothing in it is a pattern."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from everlore.content.arguments import TvFilter
from everlore.content.variables import as_number, compare


def asked(expression: sa.ColumnElement[Any]) -> Any:
    with sa.create_engine("sqlite://").connect() as connection:
        return connection.execute(sa.select(expression)).scalar()


@pytest.mark.parametrize(
    ("text", "cast", "number"),
    [("12.9 kg", "SIGNED", 12), ("kg", "SIGNED", 0), ("-3", "SIGNED", -3), ("-3", "UNSIGNED", 0), ("7", "UNSIGNED", 7)],
)
def test_the_leading_digits_count(text: str, cast: str, number: int) -> None:
    assert asked(as_number("sqlite", sa.literal(text, sa.Text), cast)) == number


@pytest.mark.parametrize(
    ("op", "wanted", "fits"),
    [
        ("like", "ed", True),
        ("like", "e_d", False),
        ("like", "%", False),
        ("like-l", "red", True),
        ("like-r", "re", True),
        ("like-r", "ed", False),
        ("=", "red", True),
        ("!=", "red", False),
        ("in", ["blue", "red"], True),
        ("not_in", ["blue", "red"], False),
    ],
)
def test_texts_are_compared_as_texts(op: str, wanted: Any, fits: bool) -> None:
    condition = TvFilter.model_validate({"tv": "color", "op": op, "value": wanted})
    assert bool(asked(compare(sa.literal("red", sa.Text), condition))) is fits

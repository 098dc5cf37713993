"""Arguments of the content tools: what is read, and which sentence refuses the rest."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.content import arguments as a
from everlore.errors import InvalidInput


def test_what_clients_write_is_read() -> None:
    given = {"limit": "2", "offset": 1.0, "published": "1", "order_dir": "DESC", "with_tvs": '["a:d", "b"]'}
    read = a.check(a.Search, given, 10)
    assert (read.limit, read.offset, read.published, read.order_dir) == (2, 1, True, "desc")
    assert read.tvs == {"a": True, "b": False}
    assert a.check(a.Range, {"id": 1, "limit": 1, "from": 0}, 10).from_ == 0


@pytest.mark.parametrize(
    ("shape", "given", "reason"),
    [
        (a.Get, {"id": True}, "id: must be a whole number"),
        (a.Get, {"id": 1, "x": 1}, "unknown argument: x; known are: with_tvs, id"),
        (a.Range, {"id": 1, "limit": 1, "from_": 1}, "from: Field required"),
        (a.Range, {"id": 1, "limit": 1, "from": 2, "to": 1}, "to must be greater than or equal to from."),
        (a.Search, {"limit": 11}, "limit: must be between 1 and 10"),
        (a.Search, {"limit": 1, "tv_filters": [{"tv": "x", "op": "in", "value": []}]}, "operator in needs a value"),
        (a.Search, {"limit": 1, "tv_order": [{"tv": "x", "cast": "DECIMAL(1,1)"}]}, "DECIMAL is not supported"),
    ],
)
def test_sentences(shape: type[a.Arguments], given: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        a.check(shape, given, 10)
    assert reason in str(caught.value)


def test_the_schema_tells_the_largest_page() -> None:
    made = a.schema(a.Search, 7)
    assert made["properties"]["limit"]["maximum"] == 7
    assert "title" not in made

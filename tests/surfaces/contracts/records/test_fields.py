"""Readers of arguments, in the contract's words."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.records import fields


def test_what_clients_send_as_text_is_read() -> None:
    assert fields.tags('["A:b", " a:b ", "c"]', "tags") == ("a:b", "c")
    assert fields.content('{"a": 1}', "content") == {"a": 1}
    assert fields.content("plain", "content") == "plain"
    assert fields.confidence("0.5", "confidence") == 0.5
    assert [fields.limit(value, 10, 100) for value in (None, "5", 5.7, 10**9)] == [10, 5, 5, 100]


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda: fields.text(" ", "type"), "type is required and must be a non-empty string"),
        (lambda: fields.text("x" * 1001, "source"), "source is too long (max 1000 characters)"),
        (lambda: fields.query(None, "query"), "query is required and must be a non-empty string"),
        (lambda: fields.query("x" * 1001, "query"), "query length cannot exceed 1000 characters"),
        (lambda: fields.content(None, "content"), "content is required"),
        (lambda: fields.content({"x": "y" * 10_000}, "content"), "content is too large (max 10000 characters)"),
        (lambda: fields.confidence(True, "confidence"), "confidence is required and must be a number between 0 and 1"),
        (lambda: fields.limit(0, 1, 2), "limit must be a positive number"),
        (lambda: fields.limit("many", 1, 2), "limit must be a positive number"),
        (lambda: fields.confidence("NaN", "confidence"), "confidence is required and must be a number between 0 and 1"),
        (lambda: fields.tags("a", "tags"), "tags must be an array"),
        (lambda: fields.tags(["a b"], "tags"), 'invalid tag: "a b"; tags match ^[a-z0-9:_-]{1,100}$'),
        (lambda: fields.tags(["a"] * 21, "tags"), "tags array cannot have more than 20 items"),
    ],
)
def test_refusals(read: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read()
    assert str(caught.value) == sentence

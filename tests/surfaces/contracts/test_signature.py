"""Arguments of a typed function: what is accepted without loss, and the sentences for what is not."""

from __future__ import annotations

import json
from typing import Annotated, Any, NotRequired, TypedDict

import pytest
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.signature import Read, input_schema, limited, output_schema, parameters, read_arguments
from everlore.surfaces.contracts.toolset import Caller

NOBODY = Caller(lambda _: pytest.fail("no engine is needed"))


def check(arguments: dict[str, Any]) -> Any:
    return tiny.echo.call(NOBODY, arguments)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"limit": "5"}, {"limit": 5}),
        ({"limit": 5.0}, {"limit": 5}),
        ({"limit": "5.00"}, {"limit": 5}),
        ({"limit": None}, {"limit": 10}),
        ({"share": "0.25"}, {"share": 0.25}),
        ({"share": 1}, {"share": 1}),
        ({"share": None}, {}),
        ({"kind": None}, {}),
        ({"deep": '{"n": "3"}'}, {"deep": {"n": 3}}),
        ({"deep": {"n": 3.0, "more": "kept"}}, {"deep": {"n": 3, "more": "kept"}}),
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"flag": "True"}, {"flag": True}),
    ],
)
def test_what_can_be_read_without_loss_is_accepted(sent: dict[str, Any], read: dict[str, Any]) -> None:
    assert check({"word": "x"} | sent) == {"word": "x", "limit": 10, "flag": False} | read


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "word is required (string)"),
        ({"word": None}, "word must be a string, not null"),
        ({"word": 5}, "word must be a string, not 5"),
        ({"limit": "many"}, 'limit must be an integer, not "many"'),
        ({"limit": 5.5}, "limit must be an integer, not 5.5"),
        ({"limit": True}, "limit must be an integer, not true"),
        ({"limit": 0}, "limit must be at least 1, not 0"),
        ({"limit": 101}, "limit must be at most 100, not 101"),
        ({"share": "much"}, 'share must be a number, not "much"'),
        ({"kind": "c"}, 'kind must be one of: a, b; not "c"'),
        ({"share": "NaN"}, 'share must be a number, not "NaN"'),
        ({"deep": []}, "deep must be an object, not []"),
        ({"deep": {"n": "x"}}, 'deep.n must be an integer, not "x"'),
        ({"tags": ["a", 1]}, "tags[1] must be a string, not 1"),
        ({"tags": ["a"] * 4}, "tags must have at most 3 items, not 4"),
        ({"flag": "perhaps"}, 'flag must be a boolean, not "perhaps"'),
        (
            {"unheard": 1, "other": 2},
            "unknown argument: other, unheard; known are: word, limit, share, kind, deep, flag, tags",
        ),
    ],
)
def test_the_sentence_names_the_argument_and_what_is_allowed(sent: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check(({"word": "x"} | sent) if sent else sent)
    assert str(caught.value) == sentence


class Found(TypedDict):
    count: Annotated[int, {"minimum": 0}]
    name: str | None
    more: NotRequired[list[str]]


def sample(
    ask: Caller,
    type_: Annotated[str, "Told first", {"minLength": 1, "maxLength": 3}],
    many: Annotated[int | str | None, {"description": "Told behind"}] = None,
    own: Annotated[bool, Read(lambda value, name: (value, name))] = False,
    calls: list[Found] | None = None,
) -> Found:
    return {"count": 0, "name": None}


OF = parameters(sample)
SCHEMA = input_schema(OF)


def test_a_schema_is_the_signature() -> None:
    found = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 0},
            "name": {"type": ["string", "null"]},
            "more": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["count", "name"],
    }
    schema = {
        "type": "object",
        "properties": {
            "type": {"description": "Told first", "type": "string", "minLength": 1, "maxLength": 3},
            "many": {"type": ["integer", "string"], "description": "Told behind"},
            "own": {"type": "boolean", "default": False},
            "calls": {"type": "array", "items": found},
        },
        "required": ["type"],
    }
    assert json.dumps(input_schema(parameters(sample))) == json.dumps(schema)
    assert json.dumps(output_schema(sample)) == json.dumps(found)
    assert output_schema(tiny.echo.function) is None


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"type": ""}, "type must not be empty"),
        ({"type": "abcd"}, "type must have at most 3 characters, not 4"),
        ({"type": "a", "many": 1.5}, "many must be an integer or a string, not 1.5"),
        ({"type": "a", "calls": [{"count": 1}]}, "calls[0].name is required (string or null)"),
        ({"type": "a", "calls": [{"count": -1, "name": "x"}]}, "calls[0].count must be at least 0, not -1"),
    ],
)
def test_sentences_name_the_place_inside(sent: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_arguments(OF, SCHEMA, sent)
    assert str(caught.value) == sentence


def test_a_reader_of_its_own_is_asked_always() -> None:
    assert read_arguments(OF, SCHEMA, {"type": "a"}) == {"type_": "a", "own": (None, "own")}
    assert read_arguments(OF, SCHEMA, {"type": "a", "own": [7], "many": "5"})["own"] == ([7], "own")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from([*tiny.ECHO["properties"], "other"]), json_values))
def test_anything_is_either_read_or_refused(arguments: dict[str, Any]) -> None:
    try:
        read = check(arguments)
    except InvalidInput:
        return
    assert isinstance(read["word"], str)
    assert type(read["limit"]) is int
    assert check(read) == read


def test_more_than_the_maximum_is_the_maximum() -> None:
    assert [limited(limit, 50) for limit in (1, 50, 5.7, 51, 1e300)] == [1, 50, 5, 50, 50]
    with pytest.raises(InvalidInput, match="between 1 and 50"):
        limited(0, 50)

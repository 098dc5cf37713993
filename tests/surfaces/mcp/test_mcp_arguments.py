"""Arguments against a schema: what is accepted without loss, and the sentences for what is not."""

from __future__ import annotations

from typing import Any

import pytest
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import InvalidInput
from everlore.surfaces.mcp import toolsets
from everlore.surfaces.mcp.arguments import checker

check = checker(tiny.ECHO)


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
        ({"kind": None}, {"kind": None}),
        ({"deep": '{"n": "3"}'}, {"deep": {"n": 3}}),
        ({"deep": {"n": 3.0, "more": "kept"}}, {"deep": {"n": 3, "more": "kept"}}),
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"flag": "True"}, {"flag": True}),
        ({"unheard": 1}, {"unheard": 1}),
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
        ({"deep": []}, "deep must be an object, not []"),
        ({"deep": {"n": "x"}}, 'deep.n must be an integer, not "x"'),
        ({"tags": ["a", 1]}, "tags[1] must be a string, not 1"),
        ({"tags": ["a"] * 4}, "tags must have at most 3 items, not 4"),
        ({"flag": "perhaps"}, 'flag must be a boolean, not "perhaps"'),
    ],
)
def test_the_sentence_names_the_argument_and_what_is_allowed(sent: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check(({"word": "x"} | sent) if sent else sent)
    assert str(caught.value) == sentence


def test_further_keywords_of_schemas() -> None:
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
            "pair": {"type": "array", "minItems": 2},
            "open": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "long": {"type": "string", "maxLength": 2},
            "list": {"type": "array", "default": []},
        },
        "additionalProperties": False,
    }
    strict = checker(schema)
    sentences: dict[str, dict[str, Any]] = {
        "name must not be empty": {"name": ""},
        'name must match ^[a-z]+$; "A" does not': {"name": "A"},
        "pair must have at least 2 items, not 1": {"pair": [1]},
        "open must be more than 0, not 0": {"open": 0},
        "open must be less than 1, not 1": {"open": 1},
        "long must have at most 2 characters, not 3": {"long": "abc"},
        "unknown argument: other; known are: name, pair, open, long, list": {"other": 1},
    }
    for sentence, arguments in sentences.items():
        with pytest.raises(InvalidInput, match=r".") as caught:
            strict(arguments)
        assert str(caught.value) == sentence
    strict({})["list"].append("changed")
    assert strict({}) == {"list": []}, "a default is not shared between calls"


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


def test_quick_handshakes_speak_for_the_toolsets() -> None:
    assert set(toolsets.NAMES) <= set(toolsets.IDENTITIES), "a toolset without one answers its handshake late"
    for name in toolsets.NAMES:
        assert toolsets.load(name).identity == toolsets.IDENTITIES[name]()

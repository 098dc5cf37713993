"""Edits in other programs' JSON: what is not ours stays, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.surfaces.cli.evercli import edit_json

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=8)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\n\t", " // note, {\n", " /* x: [ */ ", "\r\n    ", "\n\n"])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A JSON value as some person or program may have written it."""

    def gap() -> str:
        return draw(GAPS)

    trailing: bool = draw(st.booleans())
    if isinstance(value, dict):
        items = [
            f"{gap()}{json.dumps(name, ensure_ascii=False)}{gap()}:{gap()}{draw(written(inner))}{gap()}"
            for name, inner in value.items()
        ]
        return "{" + ",".join(items) + ("," + gap() if items and trailing else "") + gap() + "}"
    if isinstance(value, list):
        items = [f"{gap()}{draw(written(inner))}{gap()}" for inner in value]
        return "[" + ",".join(items) + ("," + gap() if items and trailing else "") + gap() + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    value = draw(st.dictionaries(NAMES, VALUES, max_size=4))
    if draw(st.booleans()):
        value["servers"] = draw(st.dictionaries(NAMES, VALUES, max_size=3))
    if draw(st.booleans()):
        return value, json.dumps(value, indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=False)
    return value, draw(GAPS) + draw(written(value)) + draw(GAPS)


OURS = {"command": "everlore", "args": ["mcp", "--toolset", "everme"], "env": {"A": "b"}}


def _spans(text: str) -> list[tuple[str, str]]:
    root = edit_json.parse(text)
    found = [(item.name, text[item.node.start : item.node.end]) for item in root.items if item.name != "servers"]
    for item in root.items:
        if item.name == "servers":
            found += [(one.name, text[one.node.start : one.node.end]) for one in item.node.items if one.name != "ours"]
    return found


@given(files())
@settings(max_examples=30, deadline=None)
def test_reading_is_what_json_says(file: tuple[dict[str, Any], str]) -> None:
    value, text = file
    assert edit_json.load(text) == value


@given(files())
@settings(max_examples=60, deadline=None)
def test_an_entry_comes_and_goes_and_nothing_else_moves(file: tuple[dict[str, Any], str]) -> None:
    value, text = file
    had = "ours" in value.get("servers", {})
    after = edit_json.put(text, ("servers", "ours"), OURS)
    expected = {**value, "servers": {**value.get("servers", {}), "ours": OURS}}
    assert edit_json.load(after) == expected
    assert [name for name in edit_json.load(after) if name in value] == list(value), "the order stays"
    assert edit_json.put(after, ("servers", "ours"), OURS) == after, "twice is once"
    for name, node in _spans(text):
        assert node in after, f"{name} was touched"
    gone = edit_json.cut(after, ("servers", "ours"))
    assert edit_json.load(gone) == {
        **value,
        "servers": {name: inner for name, inner in value.get("servers", {}).items() if name != "ours"},
    }
    if not had and value.get("servers"):
        assert gone == text, "taking it out undoes putting it in"


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 2, "\t"]), st.data())
@settings(max_examples=60, deadline=None)
def test_elements_of_arrays(values: list[Any], indent: Any, data: st.DataObject) -> None:
    text = json.dumps({"hooks": {"Stop": values}}, indent=indent)
    after = edit_json.put(text, ("hooks", "Stop", edit_json.NEW), OURS)
    assert edit_json.load(after) == {"hooks": {"Stop": [*values, OURS]}}
    assert edit_json.load(edit_json.cut(after, ("hooks", "Stop", len(values)))) == {"hooks": {"Stop": values}}
    if values:
        number = data.draw(st.integers(0, len(values) - 1))
        rest = [value for at, value in enumerate(values) if at != number]
        assert edit_json.load(edit_json.cut(text, ("hooks", "Stop", number))) == {"hooks": {"Stop": rest}}


def test_comments_stay_with_what_they_explain() -> None:
    before = '{\n  // all servers\n  "mcpServers": {\n    "a": {"command": "x"} // mine\n  },\n  "z": 1,\n}\n'
    after = edit_json.put(before, ("mcpServers", "b"), {"command": "y"})
    assert after == (
        '{\n  // all servers\n  "mcpServers": {\n    "b": {\n      "command": "y"\n    },\n'
        '    "a": {"command": "x"} // mine\n  },\n  "z": 1,\n}\n'
    )
    assert edit_json.cut(after, ("mcpServers", "b")) == before


def test_json5_and_empty_files() -> None:
    assert edit_json.load("{a: 'it\\'s', $b: +1, c: .5, d: 0xff, 'e': [1,],}") == {
        "a": "it's",
        "$b": 1,
        "c": 0.5,
        "d": 255,
        "e": [1],
    }
    assert edit_json.load(edit_json.put("", ("m", "x"), {})) == {"m": {"x": {}}}
    assert edit_json.put("{a: 1}", ("b",), 2) == '{"b": 2, a: 1}'
    assert edit_json.cut(edit_json.put("{a: 1, }", ("b",), 2), ("b",)) == "{a: 1, }"
    assert edit_json.load(edit_json.put('{"a": null, "z": 1}', ("a", "b", 0), 2)) == {"a": {"b": [2]}, "z": 1}
    assert edit_json.put('{\r\n\t"a": 1\r\n}\r\n', ("b",), {"c": 1}) == (
        '{\r\n\t"b": {\r\n\t\t"c": 1\r\n\t},\r\n\t"a": 1\r\n}\r\n'
    )


@pytest.mark.parametrize(
    "text",
    ['{"a": }', '{"a" 1}', '{"a": 1', "[1 2]", '{"a": "x}', "{} {}", "nonsense", "[" * 100_000, '{"a": 1 "b": 2}'],
)
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(edit_json.NotJson):
        edit_json.put(text, ("x",), 1)


def test_an_object_is_not_put_into_an_array() -> None:
    with pytest.raises(edit_json.NotJson):
        edit_json.put('{"mcpServers": []}', ("mcpServers", "x"), 1)

"""Our entry in JSON, JSON with comments and JSON5 text; every other byte stays.

The text is read into nodes that know where they stand. A new entry becomes the first of its object, so that neither the
commas nor the comments behind the other entries are touched; in an array, whose order counts, the last.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

from everlore.surfaces.cli.evercli.edit_text import cut_item, newline_of, put_first
from everlore.types import Json

Steps = tuple[str | int, ...]

NEW: Final = -1
"""A step into an array: an element that is not there yet."""
_TRIVIA: Final = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_BARE: Final = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|true|false|null"
)
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)


class NotJson(ValueError):
    """The text does not parse; the message says where."""


@dataclass
class Node:
    """A value and where it stands: `text[start:end]`. Objects and arrays know their items."""

    start: int
    end: int
    value: Json
    items: list[Item] = field(default_factory=list)


@dataclass
class Item:
    """A member of an object (with its name) or an element of an array. `comma`: where the one behind it is, or -1."""

    name: str
    start: int
    node: Node
    comma: int = -1


def load(text: str) -> Json:
    return parse(text).value


def put(text: str, steps: Steps, value: Json) -> str:
    """The text with `value` there; objects on the way are made, also where null stands for one."""
    if not text.strip("\ufeff \t\r\n"):
        text += "{}\n"
    node = parse(text)
    for depth, step in enumerate(steps):
        if depth and node.value is None:
            value = _nested(steps[depth:], value)
            break
        item = _find(node, step)
        if item is None:
            return _insert(text, node, step, _nested(steps[depth + 1 :], value))
        node = item.node
    if json.dumps(node.value) == json.dumps(value):
        return text
    return text[: node.start] + _printed(text, value, _indent(text, node.start)) + text[node.end :]


def cut(text: str, steps: Steps) -> str:
    """The text without what stands there; the same text when nothing does."""
    node = parse(text)
    item = None
    for step in steps:
        node = item.node if item else node
        item = _find(node, step)
        if item is None:
            return text
    assert item is not None
    number = node.items.index(item)
    inside = text[node.start + 1 : item.start] + text[item.node.end : node.end - 1]
    if len(node.items) == 1 and not inside.strip(" \t\r\n,"):
        return text[: node.start + 1] + text[node.end - 1 :]
    comma = item.comma if item.comma >= 0 or number == 0 else node.items[number - 1].comma
    return cut_item(text, item.start, item.node.end, comma)


def _nested(steps: Steps, value: Json) -> Json:
    for step in reversed(steps):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _find(node: Node, step: str | int) -> Item | None:
    if isinstance(step, int):
        if not isinstance(node.value, list):
            raise NotJson("expected an array")
        return node.items[step] if 0 <= step < len(node.items) else None
    if not isinstance(node.value, dict):
        raise NotJson(f"expected an object around {step!r}")
    return next((item for item in reversed(node.items) if item.name == step), None)  # a repeated name: the last counts


def _insert(text: str, node: Node, step: str | int, value: Json) -> str:
    label = f"{json.dumps(step, ensure_ascii=False)}: " if isinstance(step, str) else ""
    is_compact = "\n" not in text[node.start : node.end]
    if isinstance(step, int) and node.items:
        indent = _indent(text, node.items[-1].start)
        lead = " " if is_compact else newline_of(text) + indent
        new = json.dumps(value, ensure_ascii=False) if is_compact else _printed(text, value, indent)
        at = node.items[-1].node.end
        return f"{text[:at]},{lead}{new}{text[at:]}"
    if node.items and is_compact:
        return put_first(text, node.start + 1, label + json.dumps(value, ensure_ascii=False), alone=False)
    newline, outer = newline_of(text), _indent(text, node.start)
    first = next((item.start for item in node.items if _first_on_line(text, item.start)), -1)
    inner = _indent(text, first) if first >= 0 else outer + _unit(text)
    new = f"{newline}{inner}{label}{_printed(text, value, inner)}{',' if node.items else ''}"
    rest = text[node.start + 1 :]
    if is_compact:
        rest = f"{newline}{outer}{rest.lstrip(' ')}"
    return text[: node.start + 1] + new + rest


def _printed(text: str, value: Json, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return f"{newline_of(text)}{indent}".join(lines)


def _unit(text: str) -> str:
    """One level of indentation, as the file has it."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found and len(found[1]) <= 8 else "  "


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _first_on_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def parse(text: str) -> Node:
    try:
        node = _value(text, _skip(text, 0))
    except RecursionError:
        raise NotJson("nested too deeply") from None
    at = _skip(text, node.end)
    if at != len(text):
        raise _bad(text, at, "something after the end")
    return node


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    assert found is not None
    return found.end()


def _value(text: str, at: int) -> Node:
    mark = text[at : at + 1]
    if mark in ("{", "["):
        return _container(text, at, is_object=mark == "{")
    if mark in ("'", '"'):
        return _string(text, at)
    found = _BARE.match(text, at)
    if not found:
        raise _bad(text, at, "expected a value")
    return Node(at, found.end(), _bare(found[0]))


def _container(text: str, start: int, *, is_object: bool) -> Node:
    items: list[Item] = []
    end = "}" if is_object else "]"
    at = _skip(text, start + 1)
    while text[at : at + 1] != end:
        first, name = at, ""
        if is_object:
            name, at = _name(text, at)
            if text[at : at + 1] != ":":
                raise _bad(text, at, "expected ':'")
            at = _skip(text, at + 1)
        items.append(Item(name, first, _value(text, at)))
        at = _skip(text, items[-1].node.end)
        if text[at : at + 1] == ",":
            items[-1].comma = at
            at = _skip(text, at + 1)
        elif text[at : at + 1] != end:
            raise _bad(text, at, f"expected ',' or '{end}'")
    value: Json = {one.name: one.node.value for one in items} if is_object else [one.node.value for one in items]
    return Node(start, at + 1, value, items)


def _name(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] in ("'", '"'):
        node = _string(text, at)
        return str(node.value), _skip(text, node.end)
    found = _NAME.match(text, at)
    if not found:
        raise _bad(text, at, "expected a name")
    return found[0], _skip(text, found.end())


def _string(text: str, at: int) -> Node:
    found = _STRING.match(text, at)
    if not found:
        raise _bad(text, at, "a string without an end")
    raw = found[0]
    if raw[0] == "'":
        inner = re.sub(r"\\'", "'", raw[1:-1])
        raw = '"' + re.sub(r'(?<!\\)"', r"\\\"", inner) + '"'
    raw = re.sub(r"\\\r?\n", "", raw)  # JSON5 lets a string go on in the next line
    try:
        return Node(at, found.end(), json.loads(raw, strict=False))
    except ValueError:
        raise _bad(text, at, "a string with a wrong escape") from None


def _bare(word: str) -> Json:
    try:
        return json.loads(word)
    except ValueError:
        sign, digits = (-1, word[1:]) if word[0] == "-" else (1, word.lstrip("+"))
        return sign * (int(digits, 16) if digits[:2].lower() == "0x" else float(digits))


def _bad(text: str, at: int, what: str) -> NotJson:
    line = text.count("\n", 0, at) + 1
    return NotJson(f"{what} at line {line}, column {at - text.rfind(chr(10), 0, at)}")

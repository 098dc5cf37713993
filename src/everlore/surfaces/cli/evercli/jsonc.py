"""Edits in JSON, JSON with comments and JSON5 text that leave every other byte alone.

The text is read into nodes that know where they stand; an edit is a few insertions or deletions at those places.
Nothing is ever printed anew, so order, comments, spacing and line ends stay as their owner wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from everlore.types import Json

Path = tuple[str | int, ...]

_TRIVIA: Final = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_BARE: Final = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|true|false|null"
)
_STRING: Final = {
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\\n]|\\.)*'", re.DOTALL),
}
_SAME_LINE: Final = re.compile(r"(?:[^\S\n]+|/\*[^\n]*?\*/)*(?://[^\n]*)?")
_WORDS: Final = {"true": True, "false": False, "null": None}


class NotJson(ValueError):
    """The text does not parse; the message says where."""


@dataclass
class Node:
    """A value and where it stands: `text[start:end]`. Objects and arrays know their items."""

    kind: str
    start: int
    end: int
    value: Json = None
    items: list[Item] = field(default_factory=list)


@dataclass
class Item:
    """A member of an object (`name` set) or an element of an array. `comma` is where its comma stands, or -1."""

    name: str
    start: int
    node: Node
    comma: int = -1


def parse(text: str) -> Node:
    try:
        node, at = _value(text, _skip(text, 0))
    except RecursionError:
        raise NotJson("nested too deeply") from None
    at = _skip(text, at)
    if at != len(text):
        raise _bad(text, at, "something after the end")
    return node


def plain(node: Node) -> Json:
    """The value without places, as `json.loads` would give it."""
    if node.kind == "object":
        return {item.name: plain(item.node) for item in node.items}
    if node.kind == "array":
        return [plain(item.node) for item in node.items]
    return node.value


def load(text: str) -> Json:
    return plain(parse(text))


def put(text: str, path: Path, value: Json) -> str:
    """The text with `value` at `path`; objects on the way are made, also where null stands for one. An integer equal to
    the length of an array appends to it."""
    if not text.strip("\ufeff \t\r\n"):
        text = text + "{}\n"
    node = parse(text)
    for depth, step in enumerate(path):
        inner = _find(node, step)
        rest = path[depth + 1 :]
        if inner is None:
            return _insert(text, node, step, _wrapped(rest, value))
        node = inner.node
        if rest and node.kind == "bare" and node.value is None:
            value = _wrapped(rest, value)
            break
    if json.dumps(plain(node)) == json.dumps(value):
        return text
    return text[: node.start] + _printed(text, value, _indent_at(text, node.start), compact=False) + text[node.end :]


def _wrapped(path: Path, value: Json) -> Json:
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def cut(text: str, path: Path) -> str:
    """The text without what stands at `path`; the same text when nothing does."""
    node = parse(text)
    for step in path[:-1]:
        item = _find(node, step)
        if item is None:
            return text
        node = item.node
    gone = _find(node, path[-1])
    return text if gone is None else _remove(text, node, node.items.index(gone))


def _find(node: Node, step: str | int) -> Item | None:
    if isinstance(step, int):
        if node.kind != "array":
            raise NotJson(f"expected an array where {step} is looked for")
        return node.items[step] if step < len(node.items) else None
    if node.kind != "object":
        raise NotJson(f"expected an object around {step!r}")
    return next((item for item in reversed(node.items) if item.name == step), None)  # a repeated name: the last counts


def _insert(text: str, node: Node, step: str | int, value: Json) -> str:
    label = f"{json.dumps(step, ensure_ascii=False)}: " if isinstance(step, str) else ""
    newline = _newline(text)
    outer = _indent_at(text, node.start)
    if not node.items:
        inner = outer + _unit(text)
        new = f"{newline}{inner}{label}{_printed(text, value, inner, compact=False)}{newline}{outer}"
        rest = text[node.start + 1 : node.end - 1]
        kept = rest.rstrip() if rest.strip() else ""  # a comment that stands alone in there
        return text[: node.start + 1] + kept + new + text[node.end - 1 :]
    last = node.items[-1]
    if "\n" not in text[node.start : node.end]:
        at = last.comma + 1 if last.comma >= 0 else last.node.end
        comma = "" if last.comma >= 0 else ","
        new = f"{comma} {label}{_printed(text, value, '', compact=True)}{'' if comma else ','}"
        return text[:at] + new + text[at:]
    inner = _indent_at(text, last.start) if _first_on_line(text, last.start) else outer + _unit(text)
    new = f"{newline}{inner}{label}{_printed(text, value, inner, compact=False)}"
    if last.comma >= 0:
        at = _line_rest(text, last.comma + 1, node.end)
        return text[:at] + new + "," + text[at:]
    at = _line_rest(text, last.node.end, node.end)
    return text[: last.node.end] + "," + text[last.node.end : at] + new + text[at:]


def _remove(text: str, node: Node, number: int) -> str:
    gone = node.items[number]
    if gone.comma >= 0 and number + 1 < len(node.items):  # not the last: up to where the next begins
        start = _before(text, gone.start)
        end = _line_rest(text, gone.comma + 1, node.end)
        if start == gone.start:  # on a line with others
            end = gone.comma + 1
            while text[end : end + 1] in (" ", "\t"):
                end += 1
        return text[:start] + text[end:]
    end = gone.comma + 1 if gone.comma >= 0 else gone.node.end
    end = _line_rest(text, end, node.end) if _first_on_line(text, gone.start) else end
    start = _before(text, gone.start)
    if number == 0:
        rest = text[end : node.end - 1]
        between = text[node.start + 1 : start]
        if not between.strip() and not rest.strip():
            return text[: node.start + 1] + text[node.end - 1 :]
        return text[:start] + text[end:]
    previous = node.items[number - 1]
    if start == gone.start:
        return text[: previous.comma if gone.comma < 0 else previous.comma + 1] + text[end:]
    if gone.comma >= 0:  # the file writes a comma after the last item, so the one before keeps its own
        return text[:start] + text[end:]
    return text[: previous.comma] + text[previous.comma + 1 : start] + text[end:]


def _before(text: str, at: int) -> int:
    """Where the line break before `at` begins, when only blanks stand between; else `at`."""
    blank = at
    while blank > 0 and text[blank - 1] in " \t":
        blank -= 1
    if blank == 0 or text[blank - 1] != "\n":
        return at
    return blank - 2 if blank >= 2 and text[blank - 2] == "\r" else blank - 1


def _line_rest(text: str, at: int, limit: int) -> int:
    """Past blanks and comments on the same line, which belong to what stands before them."""
    end = _SAME_LINE.match(text, at, limit).end()  # type: ignore[union-attr]
    following = text[end:limit].lstrip("\r")[:1]
    if following not in ("\n", ""):
        return at
    return end - 1 if text[end - 1 : end] == "\r" and end > at else end


def _printed(text: str, value: Json, indent: str, *, compact: bool) -> str:
    if compact:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return _newline(text).join([lines[0], *(indent + line for line in lines[1:])])


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """One level of indentation, as the file has it."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found and len(found[1]) <= 8 else "  "


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _first_on_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _skip(text: str, at: int) -> int:
    return _TRIVIA.match(text, at).end()  # type: ignore[union-attr]


def _value(text: str, at: int) -> tuple[Node, int]:
    mark = text[at : at + 1]
    if mark in ("{", "["):
        node = Node("object" if mark == "{" else "array", at, at)
        end = "}" if mark == "{" else "]"
        for item, position in _items(text, at + 1, end, named=mark == "{"):
            if item is not None:
                node.items.append(item)
            node.end = position
        return node, node.end
    if mark in _STRING:
        stop = _string_end(text, at)
        return Node("string", at, stop, _unquoted(text, at, stop)), stop
    found = _BARE.match(text, at)
    if not found:
        raise _bad(text, at, "expected a value")
    return Node("bare", at, found.end(), _bare(found[0])), found.end()


def _items(text: str, at: int, end: str, *, named: bool) -> Iterator[tuple[Item | None, int]]:
    at = _skip(text, at)
    while text[at : at + 1] != end:
        start, name = at, ""
        if named:
            name, at = _name(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise _bad(text, at, "expected ':'")
            at = _skip(text, at + 1)
        node, at = _value(text, at)
        item = Item(name, start, node)
        after = _skip(text, at)
        if text[after : after + 1] == ",":
            item.comma = after
            at = _skip(text, after + 1)
        elif text[after : after + 1] == end:
            at = after
        else:
            raise _bad(text, after, f"expected ',' or '{end}'")
        yield item, at
    yield None, at + 1


def _name(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] in _STRING:
        stop = _string_end(text, at)
        return str(_unquoted(text, at, stop)), stop
    found = _NAME.match(text, at)
    if not found:
        raise _bad(text, at, "expected a name")
    return found[0], found.end()


def _string_end(text: str, at: int) -> int:
    found = _STRING[text[at]].match(text, at)
    if not found:
        raise _bad(text, at, "a string without an end")
    return found.end()


def _unquoted(text: str, start: int, end: int) -> str:
    raw = text[start:end]
    if raw[0] == "'":
        inner = re.sub(r"\\'", "'", raw[1:-1])
        raw = '"' + re.sub(r'(?<!\\)"', r"\\\"", inner) + '"'
    raw = re.sub(r"\\\r?\n", "", raw)  # JSON5 lets a string go on in the next line
    try:
        value: str = json.loads(raw, strict=False)
    except ValueError:
        raise _bad(text, start, "a string with a wrong escape") from None
    return value


def _bare(word: str) -> Json:
    if word in _WORDS:
        return _WORDS[word]
    try:
        return json.loads(word)
    except ValueError:
        sign, digits = (-1, word[1:]) if word[0] == "-" else (1, word.lstrip("+"))
        return sign * (int(digits, 16) if digits[:2].lower() == "0x" else float(digits))


def _bad(text: str, at: int, what: str) -> NotJson:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return NotJson(f"{what} at line {line}, column {column}")

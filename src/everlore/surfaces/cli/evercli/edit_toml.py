"""Our table in a TOML file, put and cut by whole lines, so that every other byte stays where it is.

The text is read statement by statement: a header, or a key with its value, is the fewest lines that parse alone. Ours
are those of our table and of the tables below it. Comments and blank lines behind the last of them belong to what
follows. In a section that is written as one inline value our entry is its first item.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everlore.surfaces.cli.evercli.edit_text import add_below, cut_item, cut_out, newline_of, put_first
from everlore.types import Json

Steps = tuple[str, ...]

_MARK: Final = "\ufeff"


@dataclass(frozen=True)
class Statement:
    """A header or a key with its value: whole lines, `text[start:end]`, and the path of what it defines."""

    start: int
    end: int
    path: Steps
    value: int = 0
    """Where the value of a key begins; 0 of a header."""


def put(text: str, steps: Steps, entry: Json) -> str:
    mark, body = _without_mark(text)
    newline = newline_of(body)
    lines = [f"[{'.'.join(map(_key, steps))}]", *(f"{_key(name)} = {_value(value)}" for name, value in entry.items())]
    block = newline.join(lines)
    spans = list(_spans(body, steps))
    if spans and body[slice(*spans[0])].lstrip().startswith("["):
        (start, end), *others = spans
        last = newline if body[end - 1 : end] == "\n" else ""
        new = body[:start] + block + last + _without(body, others)[end:]
    else:
        new = add_below(_without(body, spans), block)
    try:
        tomllib.loads(new)
    except tomllib.TOMLDecodeError:  # the section is one inline value
        brace, items = _inline(body, steps)
        item = f"{_key(steps[-1])} = {_value(entry)}"
        start, end, _ = items.get(steps[-1], (-1, -1, -1))
        new = body[:start] + item + body[end:] if end >= 0 else put_first(body, brace + 1, item, alone=not items)
    return mark + new


def cut(text: str, steps: Steps) -> str:
    mark, body = _without_mark(text)
    spans = list(_spans(body, steps))
    if not spans:
        return mark + cut_item(body, *_inline(body, steps)[1][steps[-1]])
    *others, (start, end) = spans
    return mark + _without(cut_out(body, start, end), others)


def _without_mark(text: str) -> tuple[str, str]:
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return text


def _spans(text: str, steps: Steps) -> Iterator[tuple[int, int]]:
    """Where our statements stand; those that follow each other are one span, with what lies between them."""
    span: tuple[int, int] | None = None
    for statement in _statements(text):
        if statement.path[: len(steps)] == steps:
            span = (span[0] if span else statement.start, statement.end)
        elif span:
            yield span
            span = None
    if span:
        yield span


def _statements(text: str) -> Iterator[Statement]:
    header: Steps = ()
    start = 0
    for end in (found.end() for found in re.finditer(r"\n|.\Z", text)):
        piece = text[start:end]
        value = _parsed(piece)
        if value is None:  # it goes on in the next line
            continue
        if piece.lstrip().startswith("["):
            header = _path(value)
            yield Statement(start, end, header)
        elif value:  # else a comment, or an empty line
            keys = ((found.end(), _parsed(f"{piece[: found.start()]} = 0")) for found in re.finditer("=", piece))
            behind, key = next((at, key) for at, key in keys if key)  # an = may stand in a quoted name, too
            yield Statement(start, end, header + _path(key), start + behind)
        start = end


def _parsed(text: str) -> dict[str, Json] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _path(value: Json) -> Steps:
    path: Steps = ()
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        path += (name,)
    return path


def _inline(text: str, steps: Steps) -> tuple[int, dict[str, tuple[int, int, int]]]:
    """Where the brace of a section stands that is one inline value, and its items: start, end and comma of each."""
    section = next((one for one in _statements(text) if one.path == steps[:-1] and one.value), None)
    if section is None or not text[section.value :].lstrip().startswith("{"):
        raise ValueError(f"{steps[0]} is not a table")
    brace = text.index("{", section.value)
    items: dict[str, tuple[int, int, int]] = {}
    first, comma = brace + 1, -1
    for mark in re.compile("[,}]").finditer(text, first):
        whole = text[first : mark.start()]
        value = _parsed(whole.strip())
        if value is None:  # the mark stands inside the value
            continue
        for name in value:
            start = first + len(whole) - len(whole.lstrip())
            items[name] = (start, start + len(whole.strip()), mark.start() if mark[0] == "," else comma)
        if mark[0] == "}":
            break
        first, comma = mark.end(), mark.start()
    return brace, items


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if value is None:
        raise ValueError("TOML has no null")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

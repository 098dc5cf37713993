"""Our table in a TOML file, put and cut by whole lines, so that every other byte stays where it is.

The text is read statement by statement (a header, or a key with its value over however many lines); ours are those of
our table and of the tables below it. Comments and blank lines behind the last of them belong to what follows. Only a
section that is written as one inline value is edited through tomlkit, which keeps its layout.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from everlore.surfaces.cli.evercli.text import add_below, cut_out, newline_of

if TYPE_CHECKING:
    from everlore.types import Json

Steps = tuple[str, ...]

_TOKEN: Final = re.compile(
    r'"""(?:"{0,2}(?:\\.|[^"\\]))*"{3,5}' + r"|'''(?:'{0,2}[^'])*'{3,5}" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'"
    r"|\#[^\n]*|[^\S\n]+|.|\n",
    re.DOTALL,
)
_MARK: Final = "\ufeff"


@dataclass(frozen=True)
class Statement:
    """A header or a key with its value: whole lines, `text[start:end]`, and the path of what it defines."""

    start: int
    end: int
    path: Steps
    is_header: bool


def put(text: str, steps: Steps, entry: Json) -> str:
    mark, body = _without_mark(text)
    newline = newline_of(body)
    block = newline.join(_table(steps, entry))
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
        new = _in_line(body, steps, lambda section: section.update({steps[-1]: _value(entry)}))
    return mark + new


def cut(text: str, steps: Steps) -> str:
    mark, body = _without_mark(text)
    spans = list(_spans(body, steps))
    if not spans:
        return mark + _in_line(body, steps, lambda section: section.remove(steps[-1]))
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
    start = -1
    equals = 0
    depth = 0
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word == "\n" and depth == 0 and start >= 0:
            statement = _statement(text, start, token.end(), equals, header)
            header = statement.path if statement.is_header else header
            yield statement
            start, equals = -1, 0
        elif word.isspace() or word.startswith("#"):
            continue
        elif start < 0:
            start = token.start()
            depth = 1 if word == "[" else 0
        elif word in ("[", "{"):
            depth += 1
        elif word in ("]", "}"):
            depth -= 1
        elif word == "=" and not equals:
            equals = token.start()
    if start >= 0:
        yield _statement(text, start, len(text), equals, header)


def _statement(text: str, start: int, end: int, equals: int, header: Steps) -> Statement:
    is_header = text[start] == "["
    value: Json = tomllib.loads(text[start:end] if is_header else f"{text[start:equals]} = 0")
    path: Steps = ()
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        path += (name,)
    line = text.rfind("\n", 0, start) + 1
    return Statement(line, end, path if is_header else header + path, is_header)


def _table(steps: Steps, entry: Json) -> list[str]:
    import tomlkit

    document = tomlkit.document()
    outer: Any = document
    for step in steps[:-1]:
        outer[step] = tomlkit.table(is_super_table=True)
        outer = outer[step]
    table = tomlkit.table()
    for key, value in entry.items():
        table.append(key, _value(value))
    outer[steps[-1]] = table
    return tomlkit.dumps(document).strip().splitlines()


def _value(value: Json) -> Any:
    import tomlkit

    if isinstance(value, dict):
        inline = tomlkit.inline_table()
        inline.update({key: _value(item) for key, item in value.items()})
        return inline
    return tomlkit.item(value)


def _in_line(text: str, steps: Steps, edit: Callable[[Any], None]) -> str:
    """The text with a section changed that is one inline value. tomlkit sees that statement and nothing else: it does
    not give back every whole file as it was."""
    import tomlkit

    found = next((one for one in _statements(text) if one.path == steps[:1] and not one.is_header), None)
    if found is None:
        raise ValueError(f"{steps[0]} is not a table")
    line = tomlkit.parse(text[found.start : found.end])
    edit(line[steps[0]])
    return text[: found.start] + tomlkit.dumps(line) + text[found.end :]

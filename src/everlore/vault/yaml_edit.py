"""Changing values in YAML that people wrote: what keeps its value keeps its bytes, and comments stay. Pure.

A comment belongs to the item in whose lines it stands, or else to the one below it. An item that goes takes along only
what stands inside. The caller must check the result: YAML has more forms than are known here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import yaml

from everlore.types import Json

_COMMENT = re.compile(r"(?:^|(?<![ \t])[ \t]+)#[^\r\n]*", re.MULTILINE)
_IN_LINE = re.compile(r"[^\r\n]")


class YamlText:
    """A mapping as text. `loader` reads it; `dump` writes a value in lines of its own, which end in a line feed."""

    def __init__(self, text: str, loader: type, dump: Callable[[Json], str], newline: str) -> None:
        self._text = text
        self._loader = loader
        self._dump = dump
        self._newline = newline

    def edited(self, old: Mapping[str, Json], new: Mapping[str, Json]) -> str:
        """The text with these values instead of the old ones that it has; keys that are new come last."""
        root = yaml.compose(self._text, Loader=self._loader)
        if not _is_block(root, yaml.MappingNode):
            return self._text + self._lines(new, 0)
        first: int = root.value[0][0].start_mark.index
        return self._text[:first] + self._mapping(root, len(self._text), old, new)

    @property
    def comments(self) -> list[str]:
        return [comment.strip() for _, comment in self._comments]

    @cached_property
    def _tokens(self) -> list[yaml.Token]:
        return list(yaml.scan(self._text, Loader=self._loader))

    @cached_property
    def _comments(self) -> list[tuple[int, str]]:
        """Where each begins, with the blanks before it."""
        return [(found.start(), self._text[found.start() : found.end()]) for found in _COMMENT.finditer(self._masked)]

    @cached_property
    def _masked(self) -> str:
        """The text with its values made unrecognisable, since a # in them begins no comment."""
        pieces: list[str] = []
        at = 0
        for token in self._tokens:
            if isinstance(token, yaml.ScalarToken):
                start, end = token.start_mark.index, token.end_mark.index
                if token.style in ("|", ">"):  # the value begins in the next line
                    start = self._text.find("\n", start, end) + 1 or end
                pieces += [self._text[at:start], _IN_LINE.sub("x", self._text[start:end])]
                at = end
        return "".join([*pieces, self._text[at:]])

    def _mapping(self, node: yaml.Node, stop: int, old: Mapping[str, Json], new: Mapping[str, Json]) -> str:
        """From its first key on, which may stand behind the dash of an item."""
        mark = node.value[0][0].start_mark
        edges = [mark.index, *(self._line_start(key.start_mark.index) for key, _ in node.value[1:]), stop]
        missing = dict(new)
        parts: list[str] = []
        for (key, value), (start, end) in zip(node.value, pairwise(edges), strict=True):
            name = key.value
            if name in new and old[name] == new[name]:
                parts.append(self._text[start:end])
            else:
                gap = self._gap(start, end, mark.column)
                if name in missing:  # else it goes, or is there twice
                    parts.append(self._text[start : key.start_mark.index])
                    parts.append(self._entry(key, value, gap, old[name], new[name]))
                parts.append(self._text[gap:end])
            missing.pop(name, None)
        return "".join([*parts, self._lines(missing, mark.column)])

    def _entry(self, key: yaml.Node, value: yaml.Node, stop: int, old: Json, new: Json) -> str:
        """A key with another value."""
        start, column = key.start_mark.index, key.start_mark.column
        if _is_block(value, yaml.SequenceNode) and isinstance(new, list):
            colon = self._text.index(":", key.end_mark.index) + 1
            above = self._text[colon : self._line_start(value.start_mark.index)]
            return f"{self._text[start:colon]}{'' if new else ' []'}{above}{self._sequence(value, stop, old, new)}"
        comments = self._comments[bisect_left(self._comments, (start,)) : bisect_left(self._comments, (stop,))]
        beside = next((one for one in comments if one[0] != self._line_start(one[0])), None)
        below = [f"{' ' * column}{one[1].strip()}{self._newline}" for one in comments if one is not beside]
        first, _, rest = self._lines({key.value: new}, column)[column:].partition(self._newline)
        return "".join([first, beside[1] if beside else "", self._newline, rest, *below])

    def _sequence(self, node: yaml.Node, stop: int, old: Sequence[Json], new: Sequence[Json]) -> str:
        """Items that stay take along what stands above them; what stood above one that goes stays in its place."""
        column = node.start_mark.column
        dashes = [token.start_mark.index for token in self._tokens if isinstance(token, yaml.BlockEntryToken)]
        starts = [self._line_start(dashes[bisect_left(dashes, item.start_mark.index) - 1]) for item in node.value]
        gaps = [self._gap(start, end, column) for start, end in pairwise([*starts, stop])]
        above = ["", *(self._text[gap:end] for gap, end in zip(gaps, [*starts[1:], stop], strict=True))]
        sources = _sources(node, old, new)
        for at in set(range(len(old))).difference(sources):
            above[at + 1] = above[at] + above[at + 1]
        parts: list[str] = []
        for item, source in zip(new, sources, strict=True):
            if source is None:
                parts.append(self._lines([item], column))
            elif old[source] == item:
                parts += [above[source], self._text[starts[source] : gaps[source]]]
            else:
                value = node.value[source]
                parts += [above[source], self._text[starts[source] : value.value[0][0].start_mark.index]]
                parts.append(self._mapping(value, gaps[source], old[source], item))
        return "".join([*parts, above[-1]])

    def _gap(self, start: int, stop: int, column: int) -> int:
        """Where the empty lines and comments at the end of a part begin that are not indented as what is in it."""
        while stop > start:
            begin = max(start, self._line_start(stop - 1))
            line = self._masked[begin:stop]
            text = line.lstrip(" ")
            if text.strip() and not (text.startswith("#") and len(line) - len(text) <= column):
                break
            stop = begin
        return stop

    def _line_start(self, at: int) -> int:
        return self._text.rfind("\n", 0, at) + 1

    def _lines(self, value: Json, column: int) -> str:
        lines = self._dump(value).removesuffix("\n").split("\n") if value else []
        return "".join(f"{' ' * column if line else ''}{line}{self._newline}" for line in lines)


def _sources(node: yaml.Node, old: Sequence[Json], new: Sequence[Json]) -> list[int | None]:
    """For each new item the old one that stands for it: the same; or else one that it agrees with in part."""
    sources: list[int | None] = [None] * len(new)
    free = list(range(len(old)))
    for agrees in (lambda at, item: old[at] == item, lambda at, item: _changed(node.value[at], old[at], item)):
        for place, item in enumerate(new):
            source = next((at for at in free if agrees(at, item)), None) if sources[place] is None else None
            if source is not None:
                sources[place] = source
                free.remove(source)
    return sources


def _changed(node: yaml.Node, old: Json, new: Json) -> bool:
    """Whether an item can become the new one line by line, and something of it stays."""
    return (
        _is_block(node, yaml.MappingNode)
        and isinstance(new, Mapping)
        and old.keys() <= new.keys()
        and any(old[name] == new[name] for name in old)
    )


def _is_block(node: yaml.Node | None, kind: type[yaml.CollectionNode]) -> bool:
    return isinstance(node, kind) and not node.flow_style and bool(node.value)

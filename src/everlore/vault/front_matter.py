"""YAML front matter: the lines between two `---` at the top of a file.

Invariants: a text stays text (dates, `no` and `1_000` are strings, as YAML 1.2 has it); what a person added or
commented stays; hostile YAML costs no more than its length. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import yaml

from everlore.errors import Damaged
from everlore.types import Json

try:
    from yaml import CSafeDumper as _BaseDumper
    from yaml import CSafeLoader as _BaseLoader
except ImportError:  # PyYAML built without libyaml: the same language, slower
    from yaml import SafeDumper as _BaseDumper  # type: ignore[assignment]
    from yaml import SafeLoader as _BaseLoader  # type: ignore[assignment]

LONGEST = 2**20
DEEPEST = 32
"""Levels of nesting. The C parser recurses, and a file must not be able to exhaust the stack."""

_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_MARKER = re.compile(r"^<!--[ \t]*/?entry:", re.MULTILINE)
_UNPAIRED = re.compile(r"[\ud800-\udfff]")
_COMMENT = re.compile(r"(?:^|(?<![ \t])[ \t]+)#[^\r\n]*", re.MULTILINE)
_IN_LINE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of a text: its values, where its YAML lies, and where the rest of the file begins.

    `problem` is (line, reason) when it could not be read; `values` is empty then.
    """

    values: Mapping[str, Json]
    start: int
    end: int
    body: int
    problem: tuple[int, str] | None = None


def read_front(text: str) -> Front:
    opened = _OPEN.match(text)
    if opened is None:
        top = 1 if text.startswith("\ufeff") else 0
        return Front({}, top, top, top)
    entry = _MARKER.search(text)
    closed = _CLOSE.search(text, opened.end(), entry.start() if entry else len(text))
    if closed is None:
        return Front({}, 0, 0, 0, (1, "the front matter is not closed: add a line `---` below it"))
    span = (opened.end(), closed.start(), closed.end())
    try:
        return Front(_load(text[span[0] : span[1]]), *span)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        return Front({}, *span, (line, f"the front matter is not valid YAML: {error.problem or error.context}"))
    except (Damaged, yaml.YAMLError, ValueError, OverflowError) as error:
        return Front({}, *span, (1, f"the front matter cannot be read: {error}"))


def write_front(text: str, front: Front, updates: Mapping[str, Json], drop: Collection[str] = ()) -> str:
    """Set these keys, and take out those of `drop`.

    Lines of other keys and of items that stay, comments and the rest of the file stay as they are, byte for byte.
    `front` is what `read_front` found; the text may have changed behind it since. Front matter that cannot be
    read is left alone: it is a person's to repair.
    """
    changed = clean({key: new for key, new in updates.items() if key not in front.values or front.values[key] != new})
    dropped = [key for key in drop if key in front.values]
    if front.problem or not (changed or dropped):
        return text
    newline = newline_of(text)
    if front.body == front.start:
        created = f"---\n{dump(changed)}---\n\n".replace("\n", newline)
        return text[: front.start] + created + text[front.start :]
    wanted = {key: value for key, value in {**front.values, **changed}.items() if key not in dropped}
    source = _YamlText(text[front.start : front.end], newline)
    edited = source.edited(front.values, wanted)
    if not _holds(edited, wanted):  # YAML in a form that nobody writes by hand
        edited = "".join([*(f"{comment}\n" for comment in source.comments), dump(clean(wanted))]).replace("\n", newline)
    return text[: front.start] + edited + text[front.end :]


def dump(values: Json) -> str:
    """As YAML; the caller has made them `clean`."""
    if not values:
        return ""
    text: str = yaml.dump(
        values, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=2**20
    )
    return text


def clean(value: Json) -> Json:
    """The value without half characters (unpaired surrogates), which no file can hold."""
    if isinstance(value, str):
        return _UNPAIRED.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list | tuple) else value


def newline_of(text: str) -> str:
    """How this file ends its lines, so that what we add looks the same."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


@lru_cache(maxsize=32)
def _load(source: str) -> Mapping[str, Json]:
    """Kept for a while: an update reads the same lines several times, before and after it changes them."""
    if len(source) > LONGEST:
        raise Damaged(f"it is longer than {LONGEST} characters")
    source = source.replace("\r\n", "\n")
    depth = 0
    for event in yaml.parse(source, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise Damaged("YAML aliases (*name) are not supported")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise Damaged(f"it is nested deeper than {DEEPEST} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    values = yaml.load(source, Loader=_Loader)
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise Damaged("it must be lines of `name: value`")
    _check_plain(values)
    return values


def _check_plain(value: Json) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise Damaged(f"the name {key!r} must be text: put it in quotes")
            _check_plain(item)
    elif isinstance(value, list):
        for item in value:
            _check_plain(item)
    elif not isinstance(value, str | int | float | None):
        raise Damaged(f"values of the type {type(value).__name__} are not supported")


def _holds(source: str, wanted: Mapping[str, Json]) -> bool:
    try:
        return bool(_load(source) == wanted)
    except (Damaged, yaml.YAMLError, ValueError, OverflowError):
        return False


class _Loader(_BaseLoader):
    """Only what JSON knows is anything but text. Each form is also one that YAML 1.1 writers put in quotes."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own class-level table, filled below


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:[tT]rue|[fF]alse|TRUE|FALSE)\Z"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"(?:[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"),
    list("-+0123456789."),
)


class _Dumper(_BaseDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _text_node(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # paragraphs read best as a block; outer blank space would need marks that few people know
    style = ("|" if text == text.strip() else '"') if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text_node)


class _YamlText:
    """A mapping as text, and how it is changed: what keeps its value keeps its bytes, and comments stay.

    A comment belongs to the item in whose lines it stands, or else to the one below it. An item that goes takes along
    only what stands inside. The caller must check the result: YAML has more forms than are known here.
    """

    def __init__(self, text: str, newline: str) -> None:
        self._text = text
        self._newline = newline

    def edited(self, old: Mapping[str, Json], new: Mapping[str, Json]) -> str:
        """The text with these values instead of the old ones that it has; keys that are new come last."""
        root = yaml.compose(self._text, Loader=_Loader)
        if not _is_block(root, yaml.MappingNode):
            return self._text + self._lines(new, 0)
        first: int = root.value[0][0].start_mark.index
        return self._text[:first] + self._mapping(root, len(self._text), old, new)

    @property
    def comments(self) -> list[str]:
        return [comment.strip() for _, comment in self._comments]

    @cached_property
    def _tokens(self) -> list[yaml.Token]:
        return list(yaml.scan(self._text, Loader=_Loader))

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
        lines = dump(value).removesuffix("\n").split("\n") if value else []
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

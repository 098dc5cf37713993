"""YAML front matter: the lines between two `---` at the top of a file.

Invariants: a text stays text (dates, `no` and `1_000` are strings, as YAML 1.2 has it); what a person added or
commented stays; hostile YAML costs no more than its length. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from everlore.errors import Damaged
from everlore.types import Json
from everlore.vault.yaml_edit import YamlText

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
    source = YamlText(text[front.start : front.end], _Loader, dump, newline)
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

"""Where a memory lies: vault-relative posix paths from owners and kinds, and back.

    <app>/<project>/users/<owner>/episodes/episode-2026-11-15.md
    <app>/<project>/agents/<owner>/skills/<name>/SKILL.md

Invariants: `locate` undoes `log_path` and `sheet_path`; two owners never share a folder; no id, whatever it
contains, names a path outside the vault or a hidden folder. Pure: nothing here touches the disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from everlore.clock import day
from everlore.errors import InvalidInput
from everlore.kinds.registry import AnyKind, by_path
from everlore.types import Owner, Scope, Track

LONGEST_NAME = 200
"""Bytes of one folder name. File systems allow 255; the rest is room for editors that add a suffix."""
LONGEST_ID = 3000
"""Bytes of an encoded id. Beyond, the whole path comes near the limits of operating systems."""

_CHUNK = LONGEST_NAME - 8
"""Where a long name is cut: leaves room for the `%` at the end and for characters that a cut makes special."""
_CONTINUES = "%"
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@+-")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE | re.DOTALL)
_ENCODED = re.compile(r"%[0-9A-F]{2}|[A-Za-z0-9_.@+-]")
_TRACKS: dict[str, Track] = {"users": "user", "agents": "agent"}
_FOLDERS = {track: folder for folder, track in _TRACKS.items()}
_DEFAULTS = ("default_app", "default_project")


@dataclass(frozen=True, slots=True)
class Located:
    """What a file of the vault is. `day` is set for daily logs, `name` for files of which there are many."""

    owner: Owner
    kind: AnyKind
    name: str = ""
    day: str = ""


def encode_name(text: str) -> str:
    """One safe file name for any text; `decode_name` gives the text back."""
    if not text:
        raise InvalidInput("an id must not be empty")
    return "".join(_guard(_tokens(text)))


def decode_name(name: str) -> str:
    tokens = _ENCODED.findall(name)
    if not name or "".join(tokens) != name:
        raise InvalidInput(f"{name!r} is not an encoded name")
    raw = b"".join(bytes.fromhex(token[1:]) if len(token) == 3 else token.encode() for token in tokens)
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name!r} is not an encoded name") from None


def encode_path(text: str) -> tuple[str, ...]:
    """Like `encode_name`, for text that may be long: a folder whose name ends in a bare `%` continues below."""
    whole = encode_name(text)
    if len(whole) > LONGEST_ID:
        raise InvalidInput(f"{text[:40]!r}... is too long; percent-encoded, an id must stay below {LONGEST_ID} bytes")
    if len(whole) <= LONGEST_NAME:
        return (whole,)
    names: list[str] = []
    tokens: list[str] = []
    room = _CHUNK
    for token in _tokens(text):
        if len(token) > room:
            names.append("".join(_guard([*tokens, _CONTINUES])))
            tokens, room = [], _CHUNK
        tokens.append(token)
        room -= len(token)
    return (*names, "".join(_guard(tokens)))


def decode_path(names: Sequence[str]) -> str:
    return decode_name("".join(name.removesuffix(_CONTINUES) for name in names))


def scope_dir(scope: Scope) -> PurePosixPath:
    return PurePosixPath(*_scope_path(scope.app, _DEFAULTS[0]), *_scope_path(scope.project, _DEFAULTS[1]))


@lru_cache(4096)
def owner_dir(owner: Owner) -> PurePosixPath:
    return scope_dir(owner.scope).joinpath(_FOLDERS[owner.track], *encode_path(owner.id))


def log_path(kind: AnyKind, owner: Owner, ms: int) -> str:
    """The daily file in which an entry of this moment is written."""
    return log_paths(kind, owner, ms)[0]


def log_paths(kind: AnyKind, owner: Owner, ms: int) -> tuple[str, ...]:
    """`log_path` and the other files that may hold entries of that day; their numbers must not be given again."""
    _check(kind, owner)
    date = day(ms)
    return tuple(f"{owner_dir(owner)}/{pattern.format(date=date)}" for pattern in kind.layout.patterns)


def part_path(kind: AnyKind, owner: Owner, ms: int, number: int) -> str:
    """The file of the entry that has this number on its day, of a kind whose days may fill several files."""
    part = (number - 1) // kind.per_file + 1 if kind.per_file else 1
    whole = log_path(kind, owner, ms)
    return whole if part < 2 else f"{whole.removesuffix('.md')}-{part}.md"


def sheet_path(kind: AnyKind, owner: Owner, name: str = "") -> str:
    """The file of a memory that has one of its own."""
    return page_path(kind, owner, "/".join(encode_path(name)) if "*" in kind.layout.pattern else "")


def page_path(kind: AnyKind, owner: Owner, file_name: str) -> str:
    """The file of a memory whose name people read; the caller makes it safe, and its identity is in the file."""
    _check(kind, owner)
    return f"{owner_dir(owner)}/{kind.layout.pattern.replace('*', file_name)}"


def locate(path: str) -> Located | None:
    """What this vault-relative file is, or None when it is not a memory: other files are none of our business."""
    if "\0" in path:  # which no file has in its name
        return None
    try:
        app, rest = _take(path.split("/"))
        project, rest = _take(rest)
        track = _TRACKS.get(rest[0])
        ident, rest = _take(rest[1:])
        if track is None or not rest:
            return None
        scope = Scope(_scope_id(app, _DEFAULTS[0]), _scope_id(project, _DEFAULTS[1]))
        owner = Owner(scope, track, decode_path(ident))
        if encode_path(owner.id) != ident:
            return None
    except (InvalidInput, IndexError):
        return None
    found = by_path(track, "/".join(rest))
    if found is None:
        return None
    kind, star, of_day = found
    name = _file_name(star.split("/")) if star else ""
    return Located(owner, kind, name, of_day) if bool(name) == bool(star) else None


def _tokens(text: str) -> list[str]:
    """Each byte of the text as it is written: itself, or `%XX`."""
    return [char if (char := chr(byte)) in _PLAIN else f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass")]


def _guard(tokens: list[str]) -> list[str]:
    """Encode what would be special as a file name: outer dots, and the names of Windows devices."""
    special = [0] if tokens[0] == "." or _DEVICE.fullmatch("".join(tokens)) else []
    special += [-1] if tokens[-1] == "." else []
    for at in special:
        if len(tokens[at]) == 1:
            tokens[at] = f"%{ord(tokens[at]):02X}"
    return tokens


def _scope_path(ident: str, default: str) -> tuple[str, ...]:
    if ident == "default":
        return (default,)
    first, *rest = encode_path(ident)
    if first == default:
        first = f"%{ord(first[0]):02X}{first[1:]}"
    return (first, *rest)


def _scope_id(names: tuple[str, ...], default: str) -> str:
    ident = "default" if names == (default,) else decode_path(names)
    if _scope_path(ident, default) != names:
        raise InvalidInput(f"{'/'.join(names)!r} is not the folder of a scope")
    return ident


def _take(parts: Sequence[str]) -> tuple[tuple[str, ...], Sequence[str]]:
    """The folders of one encoded id, and what follows."""
    length = 1
    while parts[length - 1].endswith(_CONTINUES):
        length += 1
    return tuple(parts[:length]), parts[length:]


def _check(kind: AnyKind, owner: Owner) -> None:
    if kind.track != owner.track:
        raise InvalidInput(f"a {kind.name} belongs to a {kind.track}, and {owner.id!r} is not one here")


def _file_name(names: list[str]) -> str:
    """A person may name such a folder freely: the identity of the memory is in the file, not in its name."""
    try:
        text = decode_path(names)
        if encode_path(text) == tuple(names):
            return text
    except InvalidInput:
        pass
    free = names[0]
    return "" if len(names) > 1 or free.startswith((".", "#")) or free.endswith(("~", _CONTINUES)) else free

"""The kinds that there are. Each registers itself in its own module; `everlore.kinds` imports them all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from everlore.errors import InvalidInput
from everlore.kinds.spec import AnyKind, DailyLog, Kind, S, V
from everlore.types import Key, Owner, Track

_kinds: dict[str, AnyKind] = {}
_folders: dict[tuple[Track, str], list[AnyKind]] = {}
"""By the first part of their paths."""
_parts: dict[str, tuple[str, ...]] = {}


def register(new: Kind[S, V]) -> Kind[S, V]:
    for one in _kinds.values():
        if new.name == one.name or (new.track, new.code) == (one.track, one.code):
            raise InvalidInput(f"the kind {new.name!r} has a name or a code that the kind {one.name!r} has already")
    _kinds[new.name] = new
    if new.part_of:
        _parts[new.part_of] = (*_parts.get(new.part_of, ()), new.name)
    for pattern in new.layout.patterns:
        _folders.setdefault((new.track, pattern.partition("/")[0]), []).append(new)
    return new


def kind(name: str) -> AnyKind:
    return _kinds[name]


def all_kinds() -> tuple[AnyKind, ...]:
    return tuple(_kinds.values())


def kinds_where(test: Callable[[AnyKind], object]) -> tuple[str, ...]:
    """Names of the kinds for which this is true."""
    return tuple(one.name for one in _kinds.values() if test(one))


def key_of(owner: Owner, public_id: str) -> Key | None:
    """The memory that an id of this owner names, whether it is there or not."""
    own = [one for one in _kinds.values() if one.track == owner.track]
    only = [key for one in own if (key := Key(owner, one.name, one.name)).public_id == public_id]
    entry = public_id.removeprefix(f"{owner.id}_")
    many = [Key(owner, one.name, entry) for one in own if entry != public_id and entry.startswith(f"{one.code}_")]
    return next(iter(only + many), None)


def several(name: str, count: int = 2) -> str:
    """A kind as people name so many of it."""
    known = _kinds.get(name)
    return name if count == 1 else (known.plural if known else "") or f"{name}s"


def parts_of(whole: str) -> tuple[str, ...]:
    """Names of the kinds that speak for this one."""
    return _parts.get(whole, ())


def searched(track: Track) -> dict[str, tuple[str, ...]]:
    """What is looked for together, on one scale, by the name under which it is returned, which comes first."""
    own = [one for one in _kinds.values() if one.track == track]
    together: dict[str, tuple[str, ...]] = {one.name: (one.name,) for one in own if one.found_as == one.name}
    for one in own:
        if one.found_as != one.name and one.found_as in together:
            together[one.found_as] += (one.name,)
    return together


def hidden_folders() -> frozenset[str]:
    """The only folders with a leading dot that hold memories."""
    return frozenset(folder for _, folder in _folders if folder.startswith("."))


def by_path(track: Track, path: str) -> tuple[AnyKind, str, str] | None:
    """The kind of a file below its owner's folder, and what its name says: the part of a `*`, or the day of a log."""
    for one in _folders.get((track, path.partition("/")[0]), ()):
        found = one.layout.match(path)
        if found is None:
            continue
        if not isinstance(one.layout, DailyLog):
            return one, found, ""
        if _is_day(found):
            return one, "", found
    return None


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False

"""One owner's memories as files that can be taken along, and put into another place.

An export is the files themselves, so it can be read, edited and kept without Everlore. An import writes all of them or
none, and never over something else unless the caller insists.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.errors import Conflict, InvalidInput
from everlore.kinds.paths import locate, owner_dir
from everlore.sync.indexing import index_file
from everlore.types import Owner
from everlore.vault.base import Raw

NAMED = 5
"""Files that a refusal names."""


@dataclass(frozen=True, slots=True)
class Exported:
    files: dict[str, bytes]
    """By their path in the owner's folder."""
    total: int


@dataclass(frozen=True, slots=True)
class Imported:
    written: int
    unchanged: int


def export_owner(engine: Engine, owner: Owner, *, page: int = 1, page_size: int = 20) -> Exported:
    """A page of an owner's files, in order."""
    folder = f"{owner_dir(owner)}/"
    paths = [path for path, _, _ in engine.vault.walk(str(owner_dir(owner)))]
    wanted = paths[(page - 1) * page_size : page * page_size]
    files = {path.removeprefix(folder): raw.content for path in wanted if (raw := engine.vault.raw(path))}
    return Exported(files, len(paths))


def import_owner(engine: Engine, owner: Owner, files: Mapping[str, bytes], *, overwrite: bool = False) -> Imported:
    """Write files of an export into an owner's folder, and index them."""
    new = {_path(owner, name): content for name, content in files.items()}
    known = {path: raw.content for path in new if (raw := engine.vault.raw(path))}
    differing = sorted(path for path in known if known[path] != new[path])
    if differing and not overwrite:
        raise _conflict(owner, differing)
    missing = [path for path in new if known.get(path) != new[path]]
    written: list[str] = []
    try:
        for path in missing:
            with engine.vault.lock(path):
                # somebody may have talked since it was looked at; who insists means that as well
                if not overwrite and (raw := engine.vault.raw(path)) and raw.content != new[path]:
                    raise _conflict(owner, [path])
                engine.vault.put(path, Raw(new[path], time.time_ns()))
            written.append(path)
    except Exception:
        for path in written:
            _take_back(engine, path, new[path], known.get(path))
        raise
    for path in missing:  # facts may come before their episodes, so all are there first
        index_file(engine, path)
    return Imported(len(missing), len(new) - len(missing))


def _conflict(owner: Owner, differing: Sequence[str]) -> Conflict:
    named = ", ".join(path.removeprefix(f"{owner_dir(owner)}/") for path in differing[:NAMED])
    more = f" and {len(differing) - NAMED} more" if len(differing) > NAMED else ""
    return Conflict(
        f"{named}{more} hold something else here; nothing was written. Export and merge them, or send overwrite"
    )


def _take_back(engine: Engine, path: str, content: bytes, before: bytes | None) -> None:
    """The file as it was, unless somebody has added to it."""
    with engine.vault.lock(path):
        raw = engine.vault.raw(path)
        if raw is None or raw.content != content:
            return
        if before is None:
            engine.vault.remove(path)
        else:
            engine.vault.put(path, Raw(before, time.time_ns()))
    index_file(engine, path)


def _path(owner: Owner, name: str) -> str:
    path = f"{owner_dir(owner)}/{name}"
    located = locate(path)
    if located is None or located.owner != owner:
        raise InvalidInput(
            f"{name[:80]!r} is not a file of memories; send paths as an export names them, such as "
            "episodes/episode-2026-05-28.md"
        )
    return path

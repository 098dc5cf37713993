"""One owner's memories as files that can be taken along, and put into another place.

An export is the files themselves, so it can be read, edited and kept without Everlore. An import writes all of them or
none, and never over something else unless the caller insists.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.errors import Conflict, InvalidInput, Unreadable
from everlore.kinds.paths import locate, owner_dir
from everlore.memory.bin import Binning, binning
from everlore.sync.indexing import index_file, index_new, shown
from everlore.types import Owner
from everlore.vault.base import Raw

NAMED = 5
"""Files that a refusal names."""


@dataclass(frozen=True, slots=True)
class Exported:
    files: dict[str, bytes]
    """By their path in the owner's folder."""
    total: int
    refused: tuple[str, ...] = ()
    """Files of this page that cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class Imported:
    written: int
    unchanged: int
    bin: str = ""
    """Where what was overwritten can be restored from."""


def export_owner(engine: Engine, owner: Owner, *, page: int = 1, page_size: int = 20) -> Exported:
    """A page of an owner's files, in order."""
    folder = f"{owner_dir(owner)}/"
    paths = [path for path, _, _ in engine.vault.walk(str(owner_dir(owner)))]
    wanted = paths[(page - 1) * page_size : page * page_size]
    files: dict[str, bytes] = {}
    refused: list[str] = []
    for path in wanted:
        try:
            if raw := engine.vault.raw(path):
                files[path.removeprefix(folder)] = raw.content
        except Unreadable as error:
            refused.append(str(error).removeprefix(folder))
    return Exported(files, len(paths), tuple(refused))


def import_owner(engine: Engine, owner: Owner, files: Mapping[str, bytes], *, overwrite: bool = False) -> Imported:
    """Write files of an export into an owner's folder, and index them."""
    new = {_path(owner, name): content for name, content in files.items()}
    known = {path: raw.content for path, raw in engine.vault.raws(new).items()}
    differing = sorted(path for path in known if known[path] != new[path])
    if differing and not overwrite:
        raise _conflict(owner, differing)
    missing = [path for path in new if known.get(path) != new[path]]
    first = not engine.index.files.known(f"{owner_dir(owner)}/")
    with binning(engine, "import", owner.scope, owner, f"what an import overwrote for {owner.id}") as item:
        if differing:
            item.keep(dict.fromkeys(differing), after=new)
        _write(engine, owner, new, known, missing, overwrite=overwrite, item=item)
        item.done({})
    # facts may come before their episodes, so all are there first
    done = index_new(engine, [path for path in missing if first or not shown(path)])
    for path in missing:
        if path not in done:
            index_file(engine, path)
    return Imported(len(missing), len(new) - len(missing), item.id if differing else "")


def _write(
    engine: Engine,
    owner: Owner,
    new: Mapping[str, bytes],
    known: Mapping[str, bytes],
    missing: Sequence[str],
    *,
    overwrite: bool,
    item: Binning,
) -> None:
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
        item.drop()
        raise


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

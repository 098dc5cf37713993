"""Bringing the index of one project up to date with its folder, file by file, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from everlore.code.chunks import cut
from everlore.code.rows import rows_of
from everlore.code.walk import Found, find, read
from everlore.errors import Unavailable
from everlore.extras import require
from everlore.stores.base import Applied, Index


@dataclass(slots=True)
class Counts:
    """How far a run is."""

    total: int = 0
    """Files that are to be in the index."""
    indexed: int = 0
    """Of these, files that are there as they are on disk."""
    skipped: int = 0
    changed: int = 0
    """Files that were read because they are new or differ."""
    created: int = 0
    """Chunks that are new or differ."""


def bring_up_to_date(index: Index, project: str, root: Path, counts: Counts, go_on: Callable[[], bool]) -> bool:
    """Make the chunks of a project agree with its folder. `go_on` is asked after each file; False when it said no.

    A file whose time and size are as they were is not opened. What is gone from the folder leaves the index.
    """
    require("code")
    prefix = f"{project}/"
    if not root.is_dir():
        raise Unavailable(f"the folder {root} is gone; bring it back, or delete the project")
    known = index.files.known(prefix)
    found = list(find(root))
    counts.total = len(found)
    for one in found:
        stamp = known.pop(prefix + one.path, None)
        applied = _index(index, project, root, one) if stamp != one.stamp else Applied()
        if applied is None:
            if stamp is not None:
                index.files.remove(prefix + one.path)
            counts.skipped += 1
            counts.total -= 1
        else:
            counts.changed += stamp != one.stamp
            counts.created += applied.added + applied.changed
            counts.indexed += 1
        if not go_on():
            return False
    for path in known:
        index.files.remove(path)
        if not go_on():
            return False
    return True


def _index(index: Index, project: str, root: Path, found: Found) -> Applied | None:
    source = read(root, found)
    if source is None:
        return None
    chunks = cut(source.text, source.language, found.path)
    rows = rows_of(project, found.path, source.language, chunks, found.stamp.mtime_ns)
    return index.files.replace(f"{project}/{found.path}", found.stamp, rows)

"""What went along when a person took something out of a file comes back if it is put back soon.

An undo in an editor, a cut that is pasted elsewhere, a folder that a sync service makes anew: for an hour facts of an
episode and lines of the profile are kept in `.everlore/removed`, then they are gone for good. What is deleted through
an interface is not kept, and on PostgreSQL nobody edits files.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from everlore.engine import Engine
from everlore.kinds.profile import Info
from everlore.sync.aside import folder_of, named, put
from everlore.types import Owner

KEPT_SECONDS = 3600.0
FOLDER = "removed"


@dataclass(frozen=True, slots=True)
class Removed:
    facts: Mapping[str, str]
    """Their entries as text, by the file they were in."""
    infos: Sequence[Info]
    """Lines of the profile."""
    names: Sequence[str]
    """What the user was called, which the profile may not tell any more."""


def keep(engine: Engine, owner: Owner, what: str, removed: Removed) -> None:
    """`what` it went with: a cell, or the entry of a fact."""
    folder = folder_of(engine, FOLDER)
    if folder is None or not (removed.facts or removed.infos):
        return
    kept = {
        "facts": dict(removed.facts),
        "infos": [asdict(info) for info in removed.infos],
        "names": list(removed.names),
    }
    put(folder, named(owner, what), kept)


def take(engine: Engine, owner: Owner, what: Iterable[str]) -> Iterator[Removed]:
    """What was kept for any of these; it is not kept any longer when the caller comes back for the next."""
    folder = folder_of(engine, FOLDER)
    if folder is None or not folder.is_dir():
        return
    for one in what:
        file = folder / f"{named(owner, one)}.json"
        with contextlib.suppress(FileNotFoundError, ValueError, KeyError, TypeError):
            kept = json.loads(file.read_text(encoding="utf-8"))
            yield Removed(kept["facts"], [Info(**info) for info in kept["infos"]], kept["names"])
        file.unlink(missing_ok=True)


def expire(engine: Engine) -> None:
    """What was not put back by now is gone for good."""
    folder = folder_of(engine, FOLDER)
    for file in folder.glob("*") if folder is not None else ():
        with contextlib.suppress(FileNotFoundError):
            if file.stat().st_mtime < engine.clock.now() / 1000 - KEPT_SECONDS:
                file.unlink()

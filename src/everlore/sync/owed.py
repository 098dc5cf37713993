"""What is still to leave a profile that cannot be read.

A person deletes an episode or corrects a fact while their `user.md` is broken. The memory is forgotten at once, and
what the profile says on the strength of it is noted in `.everlore/owed` until somebody repairs the file. On PostgreSQL
nobody breaks files.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from everlore.engine import Engine
from everlore.sync.aside import folder_of, named, put
from everlore.types import Owner

FOLDER = "owed"


def owe(engine: Engine, owner: Owner, evidence: Collection[str]) -> None:
    """Note that what rests on this evidence has to go."""
    folder = folder_of(engine, FOLDER)
    if folder is not None and evidence:
        said = sorted(evidence)
        put(folder, f"{named(owner)}-{named(owner, *said)}", said)


def owed(engine: Engine, owner: Owner) -> dict[Path, set[str]]:
    """The evidence, by the file in which it is noted."""
    folder, found = folder_of(engine, FOLDER), dict[Path, set[str]]()
    for file in folder.glob(f"{named(owner)}-*.json") if folder else ():
        with suppress(FileNotFoundError, ValueError):
            found[file] = set(json.loads(file.read_text(encoding="utf-8")))
    return found


def settle(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)

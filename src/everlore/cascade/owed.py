"""What is still to leave a profile that cannot be read.

A person deletes an episode or corrects a fact while their `user.md` is broken. The memory is forgotten at once, and
what the profile says on the strength of it is noted in `.everlore/owed` until somebody repairs the file. On PostgreSQL
nobody breaks files.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from everlore.engine import Engine
from everlore.types import Owner
from everlore.vault.files import SYSTEM, FolderVault

FOLDER = "owed"


def owe(engine: Engine, owner: Owner, evidence: Collection[str]) -> None:
    """Note that what rests on this evidence has to go."""
    folder = _folder(engine)
    if folder is None or not evidence:
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    text = json.dumps(sorted(evidence))
    # one file for each time, so that processes need not take turns
    file = folder / f"{_name(owner)}-{blake2b(text.encode(), digest_size=8).hexdigest()}.json"
    fresh = file.with_suffix(".tmp")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


def owed(engine: Engine, owner: Owner) -> dict[Path, set[str]]:
    """The evidence, by the file in which it is noted."""
    folder, found = _folder(engine), dict[Path, set[str]]()
    for file in folder.glob(f"{_name(owner)}-*.json") if folder else ():
        with suppress(FileNotFoundError, ValueError):
            found[file] = set(json.loads(file.read_text(encoding="utf-8")))
    return found


def settle(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _folder(engine: Engine) -> Path | None:
    return engine.vault.root / SYSTEM / FOLDER if isinstance(engine.vault, FolderVault) else None


def _name(owner: Owner) -> str:
    parts = (owner.scope.app, owner.scope.project, owner.track, owner.id)
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()

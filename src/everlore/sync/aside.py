"""Notes about memories that are kept beside the index in `.everlore`, one small file for each occasion, so that
processes need not take turns. There are none on PostgreSQL, where nobody edits or breaks files."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

from everlore.engine import Engine
from everlore.types import Json, Owner
from everlore.vault.folder import SYSTEM, FolderVault


def folder_of(engine: Engine, name: str) -> Path | None:
    return engine.vault.root / SYSTEM / name if isinstance(engine.vault, FolderVault) else None


def named(owner: Owner, *what: str) -> str:
    """What a note about this of an owner is called; ids may hold what no file name can."""
    parts = (owner.scope.app, owner.scope.project, owner.track, owner.id, *what)
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def put(folder: Path, name: str, value: Json) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / f"{name}.json"
    fresh = file.with_suffix(".tmp")
    fresh.write_text(json.dumps(value), encoding="utf-8")
    fresh.replace(file)

"""Files that must never be half written: ours, and the configuration files of hosts.

A write goes to a temporary file beside the target, is synced, and takes its place in one step. What it replaces is
kept beside it with the suffix `-bak`. A file that changed between our reading and our writing is left alone.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Final

from everlore.durable import sync_folder, temporary
from everlore.surfaces.cli.evercli.failure import Failure, local_failure, unusable
from everlore.transcripts.text import json_object
from everlore.types import Json

BACKUP: Final = "-bak"
PRIVATE: Final = 0o600


def read_bytes(path: Path) -> bytes | None:
    """None when there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise local_failure(error, "read") from None


def read_json(path: Path) -> dict[str, Json] | None:
    raw = read_bytes(path)
    if raw is None:
        return None
    value = json_object(raw)
    if value is None:
        hint = f"Move it away and log in again: mv {path} {path}.broken"
        raise unusable(path, f"{path} is damaged: it is not a JSON object", hint)
    return value


def write_private_json(path: Path, value: Json) -> None:
    """Ours alone, so the last writer wins: two commands at once must not fail for it."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    replace_file(path, read_bytes(path), text.encode(), private=True, shared=False)


def replace_file(path: Path, expected: bytes | None, content: bytes, *, private: bool, shared: bool = True) -> None:
    """Put `content` at `path`, which must still hold `expected` if others write it too. A symbolic link stays one:
    its target is replaced."""
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() and not private else PRIVATE
        if expected is not None:
            with temporary(expected, target.parent, mode) as kept:
                kept.replace(backup_of(target))
        with temporary(content, target.parent, mode) as new:
            if shared and read_bytes(target) != expected:
                told = f"{path} was changed by another program in the meantime; it was left as it is"
                raise Failure("conflict", told, "Run the command again", detail={"path": str(path)})
            new.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        error.filename = str(target)  # not the temporary file beside it, which nobody knows
        raise local_failure(error, "write") from None


def backup_of(path: Path) -> Path:
    target = Path(os.path.realpath(path))
    return target.with_name(target.name + BACKUP)


def remove_file(path: Path) -> bool:
    """Also its backup, which may hold the same secrets."""
    gone = False
    for each in (path, path.with_name(path.name + BACKUP)):
        try:
            each.unlink()
            gone = True
        except FileNotFoundError:
            continue
        except OSError as error:
            raise local_failure(error, "remove") from None
    return gone

"""Files that must never be half written: ours, and the configuration files of hosts.

A write goes to a temporary file beside the target, is synced, and takes its place in one step. What it replaces is
kept beside it with the suffix `-bak`. A file that changed between our reading and our writing is left alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli.failure import Failure, local_failure, unusable
from everlore.surfaces.cli.evercli.text import json_object
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
            _temporary(backup_of(target), expected, mode).replace(backup_of(target))
        temporary = _temporary(target, content, mode)
        try:
            if shared and read_bytes(target) != expected:
                raise Failure(
                    "conflict",
                    f"{path} was changed by another program in the meantime; it was left as it is",
                    "Run the command again",
                    detail={"path": str(path)},
                )
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(target.parent)
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


def _temporary(target: Path, content: bytes, mode: int) -> Path:
    import tempfile  # writing is rare; most commands start without it

    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # made with mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if sys.platform != "win32":
            Path(name).chmod(mode)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":  # a folder cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

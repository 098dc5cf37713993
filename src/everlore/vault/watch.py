"""Noticing what people and programs change in the vault.

Paths are vault-relative. A folder that appeared or went away is reported with a `/` at its end, since the system
tells nothing of the files in it; `expand` names them. Reports may repeat and may name files that did not change:
they say "look there". What happens before `ready` is set is not reported.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import watchfiles

from everlore.errors import Unavailable
from everlore.kinds.registry import hidden_folders
from everlore.vault.base import Vault
from everlore.vault.folder import relevant

DEBOUNCE_MS = 200
"""Changes are gathered this long at most: an editor's save is several steps."""
QUIET_MS = 50
WAKE_MS = 250
"""How often the watcher looks up when nothing happens."""

_NO_FOLDER = re.compile(r"\A(?:.*~|.*\.(?:swp|swo|swx|tmp|bak|md)|#.*|4913)", re.DOTALL)
"""Names of editors' temporary files: when one is gone, it cannot be told any more that it was no folder."""


def watch(
    vault: Vault, on_paths: Callable[[set[str]], None], stop: threading.Event, ready: threading.Event | None = None
) -> None:
    """Call `on_paths` for changes until `stop` is set. Blocks: the caller gives it a thread."""
    vault.prepare()  # a folder that is not there would be watched without a word
    root = vault.folder
    for batch in raw_changes(root, stop) if root else ():
        if ready is not None:
            ready.set()
        paths = {path for change, name in batch if root and (path := _translate(root, change, Path(name)))}
        if paths:
            on_paths(paths)


def expand(vault: Vault, paths: Iterable[str], known: Iterable[str]) -> set[str]:
    """Files to look at: the files among `paths`, and for each folder what lies there now or is `known` to have."""
    given = set(paths)
    folders = tuple(path for path in given if path.endswith("/"))
    files = given.difference(folders)
    if folders:
        files.update(path for path in known if path.startswith(folders))
        files.update(path for folder in folders for path, _, _ in vault.walk(folder.rstrip("/")))
    return files


def raw_changes(root: Path, stop: threading.Event) -> Iterator[set[watchfiles.main.FileChange]]:
    """Every change below a folder, in batches; an empty one when nothing happened for a moment, and the first of all
    when the watch is on. Ends when `stop` is set; raises Unavailable when the folder cannot be watched."""
    try:
        yield from watchfiles.watch(
            root,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=QUIET_MS,
            stop_event=stop,
            rust_timeout=WAKE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=True,
            ignore_permission_denied=True,
        )
    except (OSError, RuntimeError) as error:
        raise Unavailable(f"{root} cannot be watched ({error}); changes are found by scanning") from None


def _translate(root: Path, change: watchfiles.Change, name: Path) -> str:
    """The path to report for a raw change; empty when it is none of ours."""
    try:
        path = name.relative_to(root)
    except ValueError:
        return ""
    text = path.as_posix()
    if relevant(text):
        return text
    hidden = any(part.startswith(".") and part not in hidden_folders() for part in path.parts)
    if hidden or not path.parts or _NO_FOLDER.fullmatch(path.name):
        return ""
    gone = change is watchfiles.Change.deleted and not name.exists()
    new = change is watchfiles.Change.added and name.is_dir()
    return f"{text}/" if gone or new else ""

"""Noticing that source files in a folder changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import PurePath

import watchfiles

from everlore.code.walk import IGNORE_FILES, SKIPPED_FOLDERS
from everlore.errors import Unavailable

DEBOUNCE_MS = 400
"""Changes are gathered this long at most: an editor's save is several steps, a checkout very many."""
QUIET_MS = 100
WAKE_MS = 300
"""How often the watcher looks up when nothing happens."""


def changes(root: str, stop: threading.Event) -> Iterator[bool]:
    """True after a change that may be one of source code; False when there was none for a moment. The first value
    comes when the watch is on. Ends when `stop` is set; raises Unavailable when the folder cannot be watched."""
    try:
        for batch in watchfiles.watch(
            root,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=QUIET_MS,
            stop_event=stop,
            rust_timeout=WAKE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            yield any(_concerns(root, name) for _, name in batch)
    except (OSError, RuntimeError) as error:
        raise Unavailable(f"{root} cannot be watched ({error})") from error


def _concerns(root: str, name: str) -> bool:
    """Builds and repositories change all the time; they are none of our business."""
    try:
        parts = PurePath(name).relative_to(root).parts
    except ValueError:
        return True
    *folders, last = parts or ("",)
    if any(part.startswith(".") or part in SKIPPED_FOLDERS for part in folders):
        return False
    return not last.startswith(".") or last in IGNORE_FILES

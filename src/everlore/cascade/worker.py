"""The background half of the cascade: watch the vault, index what changed, embed what is new.

Work is found in three ways: the watcher sees a person's edits, a scan compares all files with the index (at
start, and now and then in case the watcher missed something), and failed files come due again by themselves. On
PostgreSQL there is no watcher: each file is queued by the transaction that writes it, and one scan at start is enough.
Messages that a crash left between buffer and markdown are finished first.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress

import structlog

from everlore.cascade.indexing import embed_pending, index_file, missing_cells
from everlore.engine import Engine
from everlore.errors import EverloreError, Unavailable
from everlore.vault.files import FolderVault
from everlore.vault.watch import expand, watch

SCAN_EVERY_SECONDS = 300.0
IDLE_SECONDS = 0.5
CLAIM = 256
SETTLE_SECONDS = 0.5
"""How long an episode must be missing from its file to be believed deleted."""
BACKLOG = "embedding backlog"
"""Name of the lock held by the process that embeds what has no vector yet."""
LONGEST_PAUSE_SECONDS = 600.0
EMBED_STEP = 128
"""Units embedded before the queue is looked at again."""

log = structlog.get_logger("everlore.cascade")


class Worker:
    """Two threads, one that watches and one that works, and a third where a language model may keep cells waiting.

    `start` returns at once. `recover` is called once and first, `retry` now and then.
    """

    def __init__(
        self,
        engine: Engine,
        recover: Callable[[Engine], None] | None = None,
        retry: Callable[[Engine], int] | None = None,
    ) -> None:
        self._engine = engine
        self._recover = recover
        self._retry = retry
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._watching = threading.Event()
        self._threads: list[threading.Thread] = []
        self._backlog = ExitStack()
        self._owned = False

    def start(self) -> None:
        threads = [(self._work, "everlore-cascade")]
        if isinstance(self._engine.vault, FolderVault):
            threads.append((self._watch, "everlore-watch"))
        else:
            self._watching.set()  # a database has no editors: whoever writes there queues what was written
        if self._retry is not None and self._engine.llm is not None:
            threads.append((self._ask_again, "everlore-retry"))
        for target, name in threads:
            thread = threading.Thread(target=target, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout: float = 10.0) -> None:
        self._stop.set()
        self._wake.set()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.1, deadline - time.monotonic()))

    def _watch(self) -> None:
        vault = self._engine.vault
        assert isinstance(vault, FolderVault)

        def changed(paths: set[str]) -> None:
            known = self._engine.index.files() if any(path.endswith("/") for path in paths) else ()
            self._engine.index.enqueue(expand(vault, paths, known))
            self._wake.set()

        try:
            watch(vault, changed, self._stop, self._watching)
        except Exception:
            # without a watcher the periodic scan still finds every edit, only later
            log.exception("watching the vault failed; edits are found by the periodic scan")
        finally:
            self._watching.set()  # nobody need wait for it, also when it was stopped before it began

    def _work(self) -> None:
        if self._recover is not None:
            self._guard("recover", lambda: self._recover(self._engine) if self._recover else None)
        self._watching.wait(5.0)  # what changes after the scan must be seen by the watcher
        next_scan = 0.0
        while not self._stop.is_set():
            if time.monotonic() >= next_scan:
                self._guard("scan", lambda: scan(self._engine))
                every = SCAN_EVERY_SECONDS if isinstance(self._engine.vault, FolderVault) else math.inf
                next_scan = time.monotonic() + every
            busy = self._guard("queue", lambda: drain(self._engine, self._stop))
            busy = self._guard("embed", self._embed) or busy
            if not busy:
                self._wake.wait(IDLE_SECONDS)
                self._wake.clear()
        self._backlog.close()

    def _ask_again(self) -> None:
        """Ever more rarely while it does not help: what a model cannot do it cannot do a minute later either."""
        pause = self._engine.settings.llm.retry_seconds
        while not self._stop.is_set():
            waiting = self._guard("retry", lambda: self._retry(self._engine) if self._retry else None)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS) if waiting else self._engine.settings.llm.retry_seconds
            self._stop.wait(pause)

    def _embed(self) -> int:
        """Of all processes on the vault one works off the backlog, and the others need not load a model for it."""
        ready = self._engine.embedder.ready()
        if not ready and not self._engine.index.status().unembedded:
            self._backlog.close()
            return 0
        if not self._owned and not self._claim():
            return 0
        if not ready:
            self._engine.embedder.warm()
            return 0
        done = 0
        try:
            done = embed_pending(self._engine, EMBED_STEP)
        finally:
            if not done:  # all is done, or it failed and another process may have better luck
                self._backlog.close()
        return done

    def _claim(self) -> bool:
        try:
            self._backlog.enter_context(self._engine.vault.lock(BACKLOG, timeout=0))
        except Unavailable:
            return False
        self._owned = True
        self._backlog.callback(self._disown)
        return True

    def _disown(self) -> None:
        self._owned = False

    def _guard(self, what: str, step: Callable[[], int | None]) -> int:
        """The worker outlives every error: it says so and tries again after a pause."""
        try:
            return step() or 0
        except EverloreError as error:
            log.warning("cascade step failed", step=what, error=str(error))
        except Exception:
            log.exception("cascade step failed", step=what)
        self._stop.wait(2.0)
        return 0


def scan(engine: Engine) -> int:
    """Queue every file that differs from what the index has seen; returns how many."""
    changed = differing(engine)
    engine.index.enqueue(changed)
    return len(changed)


def differing(engine: Engine) -> list[str]:
    """Files that are not as the index has seen them, those that are gone last."""

    def known() -> dict[str, tuple[int, int]]:
        return {path: (stamp.mtime_ns, stamp.size) for path, stamp in engine.index.files().items()}

    return engine.vault.differing(known)


def drain(engine: Engine, stop: threading.Event | None = None) -> int:
    """Index everything that is due; returns how many files were looked at."""
    done = 0
    while not (stop and stop.is_set()):
        paths = engine.index.claim(CLAIM)
        if not paths:
            break
        gone = _gone(engine, paths, stop)
        if any(gone.values()):  # what was written during the pause may be where the memory is now
            paths = list(dict.fromkeys([*paths, *engine.index.claim(len(paths) + CLAIM)]))
        # what is there before what is not: a memory may have moved to another file
        for path in sorted(paths, key=lambda path: not _there(engine, path)):
            if stop and stop.is_set():
                break
            try:
                index_file(engine, path, gone=gone.get(path, ()))
            except EverloreError as error:
                engine.index.failed(path, str(error))
            except Exception as error:
                log.exception("indexing failed", path=path)
                engine.index.failed(path, f"{type(error).__name__}: {error}")
            else:
                engine.index.done(path)
            done += 1
    return done


def _there(engine: Engine, path: str) -> bool:
    with suppress(EverloreError):  # comes up again, and is reported, when the file is indexed
        return engine.vault.stat(path) is not None
    return False


def _gone(engine: Engine, paths: Sequence[str], stop: threading.Event | None) -> dict[str, list[str]]:
    """Cells that these files miss now, and, since there is a pause, will have missed for a while when they are read
    again: an editor empties or moves a file only for a moment, and their facts would be deleted with them."""
    missing: dict[str, list[str]] = {}
    for path in paths:
        with suppress(EverloreError):  # comes up again, and is reported, when the file is indexed
            missing[path] = missing_cells(engine, path)
    if any(missing.values()):
        (stop or threading.Event()).wait(SETTLE_SECONDS)
    return missing

"""The background half of sync: watch the vault, index what changed, embed what is new.

Work is found in three ways: the watcher sees a person's edits, a scan compares all files with the index (at
start, when somebody deleted the index, and now and then in case the watcher missed something), and failed files come
due again by themselves. On PostgreSQL there is no watcher: each file is queued by the transaction that writes it, and
one scan at start is enough.
Messages that a crash left between buffer and markdown are finished first.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TypeVar

from everlore.engine import Engine
from everlore.errors import EverloreError, Unavailable
from everlore.kinds.paths import locate
from everlore.kinds.registry import parts_of
from everlore.logs import get_logger
from everlore.sync.embedding import embed_pending
from everlore.sync.indexing import index_file, index_new, missing, owner_folder, shown
from everlore.vault.watch import expand, watch

IDLE_SECONDS = 0.5
DATABASE_IDLE_SECONDS = 20.0
"""How often a database is asked that told nothing: for what a dead server left, or a proxy did not let through."""
CLAIM = 256
SETTLE_SECONDS = 0.5
"""How long an episode or a fact must be missing from its file to be believed deleted."""
BACKLOG = "embedding backlog"
"""Name of the lock held by the process that embeds what has no vector yet."""
LONGEST_PAUSE_SECONDS = 600.0
EMBED_AGAIN_SECONDS, EMBED_AGAIN_AT_MOST_SECONDS = 2.0, 60.0
"""The first pause after a model did not answer, and the longest."""
EMBED_STEP = 128
"""Units embedded before the time is looked at again."""

log = get_logger("everlore.sync")
T = TypeVar("T")


class Worker:
    """Three threads: one watches, one works, and one comes back to messages that could not be extracted.

    `start` returns at once. `recover` is called once and first, `retry` now and then.
    """

    def __init__(
        self,
        engine: Engine,
        recover: Callable[[Engine], object] | None = None,
        retry: Callable[[Engine], int] | None = None,
    ) -> None:
        self._engine = engine
        self._recover = recover
        self._retry = retry
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._watching = threading.Event()
        self._missed = threading.Event()
        self._threads: list[threading.Thread] = []
        self._backlog = ExitStack()
        self._owned = False
        self._embed_after = 0.0
        self._embed_pause = EMBED_AGAIN_SECONDS
        self._indexing: Iterator[int] = iter(())

    def start(self) -> None:
        threads: list[tuple[Callable[[], None], str]] = [(self._work, "everlore-cascade")]
        if self._engine.vault.folder is not None:
            threads.append((self._watch, "everlore-watch"))
        else:
            threads.append((lambda: self._engine.vault.listen(self._wake.set, self._stop), "everlore-listen"))
            self._watching.set()  # a database has no editors: whoever writes there queues what was written
        if self._retry is not None:
            threads.append((partial(self._try_again, self._retry), "everlore-retry"))
        for target, name in threads:
            thread = threading.Thread(target=target, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout: float = 10.0) -> None:
        """Before the engine is closed. What has no vector yet is left for the next start."""
        self._stop.set()
        self._wake.set()
        self._engine.embedder.close()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.1, deadline - time.monotonic()))

    def _watch(self) -> None:
        vault = self._engine.vault

        def changed(paths: set[str]) -> None:
            index = self._engine.index
            try:
                known = [file for path in paths if path.endswith("/") for file in index.files.known(path)]
                index.queue.enqueue(expand(vault, paths, known))
            except EverloreError as error:  # the index is busy for long, by a rebuild perhaps: look at all files then
                log.warning("changes could not be noted; all files are looked at instead", error=str(error))
                self._missed.set()
            self._wake.set()

        try:
            watch(vault, changed, self._stop, self._watching)
        except Exception:
            # without a watcher the periodic scan still finds every edit, only later
            log.exception("watching the vault failed; edits are found by the periodic scan")
        finally:
            self._watching.set()  # nobody need wait for it, also when it was stopped before it began

    def _work(self) -> None:
        if (recover := self._recover) is not None:
            self._guard("recover", lambda: recover(self._engine))
        self._watching.wait(5.0)  # what changes after the scan must be seen by the watcher
        scanned, renewals = -math.inf, 0
        while not self._stop.is_set():
            seen = self._engine.index.upkeep.renewals
            every = self._guard("scan", lambda: self._engine.vault.scan_seconds) or 0.0
            if time.monotonic() >= scanned + every or seen != renewals or self._missed.is_set():
                self._missed.clear()
                if self._guard("scan", lambda: scan(self._engine)) is not None:
                    scanned, renewals = time.monotonic(), seen
            began = time.monotonic()
            busy = self._guard("queue", self._index_some)
            # as long as was read: what was read is soon found by its meaning, and not only when all the rest is read
            until = 2 * time.monotonic() - began
            busy = self._guard("embed", partial(self._embed, until)) or busy
            if not busy:
                self._guard("tidy", self._engine.index.upkeep.tidy)  # little by little, so that nobody waits for it
                self._rest(every)
        self._backlog.close()

    def _rest(self, every: float) -> None:
        """Until there is something to do. A database wakes us, and is asked by ourselves only now and then."""
        if self._engine.vault.folder is not None:
            self._wake.wait(IDLE_SECONDS)
        else:
            again = self._embed_after - time.monotonic()
            pauses = (DATABASE_IDLE_SECONDS, every, *([again] if again > 0 else []))
            if self._wake.wait(IDLE_SECONDS if self._owned else max(IDLE_SECONDS, min(pauses))):
                self._stop.wait(IDLE_SECONDS)  # who wrote once may write again, and does most of the work itself
        self._wake.clear()

    def _try_again(self, retry: Callable[[Engine], int]) -> None:
        """Ever more rarely while it does not help: what a model cannot do it cannot do a minute later either."""
        pause = first = self._engine.settings.llm.retry_seconds
        if self._engine.llm is None:  # `recover` has just tried
            self._stop.wait(pause)
        while not self._stop.is_set():
            waiting = self._guard("retry", lambda: retry(self._engine))
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS) if waiting else first
            self._stop.wait(pause)

    def _index_some(self) -> int:
        """So many files that others need not wait long; returns how many."""
        done = next(self._indexing, 0)
        if not done:
            self._indexing = drained(self._engine, self._stop)
            done = next(self._indexing, 0)
        return done

    def _embed(self, until: float) -> int:
        """Of all processes on the vault one works off the backlog, and the others need not load a model for it.

        A model that does not answer is asked ever more rarely, while files are indexed as ever.
        """
        if time.monotonic() < self._embed_after:
            return 0
        embedder, upkeep = self._engine.embedder, self._engine.index.upkeep
        if ready := embedder.ready():
            upkeep.use_model(embedder.name, embedder.dimension)
        if not (upkeep.unembedded(1) if ready else upkeep.status().unembedded):
            self._backlog.close()
            return 0
        if not self._owned and not self._claim():
            return 0
        if not ready:
            self._engine.embedder.warm()
            return 0
        done = 0
        try:
            while step := embed_pending(self._engine, EMBED_STEP):
                done += step
                if time.monotonic() >= until or self._stop.is_set():
                    break
            self._embed_pause = EMBED_AGAIN_SECONDS
        except EverloreError as error:
            if self._stop.is_set():  # the model was closed while it worked
                return 0
            log.warning("embedding failed; words find what has no vector", error=str(error), again_in=self._embed_pause)
            self._embed_after = time.monotonic() + self._embed_pause
            self._embed_pause = min(2 * self._embed_pause, EMBED_AGAIN_AT_MOST_SECONDS)
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

    def _guard(self, what: str, step: Callable[[], T]) -> T | None:
        """The worker outlives every error: it says so, and tries again after a pause. None after an error."""
        try:
            return step()
        except EverloreError as error:
            if not self._stop.is_set():  # then a step may be cut short
                log.warning("cascade step failed", step=what, error=str(error))
        except Exception:
            log.exception("cascade step failed", step=what)
        self._stop.wait(2.0)
        return None


def scan(engine: Engine) -> int:
    """Queue every file that differs from what the index has seen; returns how many."""
    changed = differing(engine)
    engine.index.queue.enqueue(changed)
    return len(changed)


def differing(engine: Engine) -> list[str]:
    """Files that are not as the index has seen them, those that are gone last."""

    def known() -> dict[str, tuple[int, int]]:
        return {path: (stamp.mtime_ns, stamp.size) for path, stamp in engine.index.files.known().items()}

    return engine.vault.differing(known)


def drain(engine: Engine) -> int:
    """Index everything that is due; returns how many files were looked at."""
    return sum(drained(engine))


def drained(engine: Engine, stop: threading.Event | None = None) -> Iterator[int]:
    """Index everything that is due, a part at a time; yields how many files were looked at each time.

    What is there comes before what is not, since a memory may have moved to another file. Episodes come last of what is
    there, since facts of a deleted one may have moved, too, and are taken from where the index knows them; and of these
    the files that miss some, which may be in another by now. An owner of whom the index knew nothing, since it is new
    or was deleted, keeps the profile that is there: it was made from all facts, and these come file by file.
    """
    known: dict[str, bool] = {}
    while not (stop and stop.is_set()):
        paths = engine.index.queue.claim(CLAIM)
        if not (claimed := len(paths)):
            break
        _look_up(engine, paths, known)
        fresh = index_new(engine, [path for path in paths if not known[owner_folder(path)] or not shown(path)])
        engine.index.queue.done(fresh)
        paths = [path for path in paths if path not in fresh]
        gone = _gone(engine, paths, stop)
        if any(gone.values()):  # what was written during the pause may be where the memory is now
            paths = list(dict.fromkeys([*paths, *engine.index.queue.claim(len(paths) + CLAIM)]))
        _look_up(engine, paths, known)
        for path in sorted(paths, key=lambda one: (not _there(engine, one), _has_parts(one), bool(gone.get(one)))):
            if stop and stop.is_set():
                break
            try:
                index_file(engine, path, gone=gone.get(path, ()), projecting=known[owner_folder(path)])
            except EverloreError as error:
                engine.index.queue.failed(path, str(error))
            except Exception as error:
                log.exception("indexing failed", path=path)
                engine.index.queue.failed(path, f"{type(error).__name__}: {error}")
            else:
                engine.index.queue.done([path])
        yield claimed


def _look_up(engine: Engine, paths: Collection[str], known: dict[str, bool]) -> None:
    """Whether the index knows anything of the owners of these files."""
    for folder in set(map(owner_folder, paths)) - known.keys():
        known[folder] = bool(engine.index.files.known(folder))


def _there(engine: Engine, path: str) -> bool:
    with suppress(EverloreError):  # comes up again, and is reported, when the file is indexed
        return engine.vault.stat(path) is not None
    return False


def _has_parts(path: str) -> bool:
    located = locate(path)
    return located is not None and bool(parts_of(located.kind.name))


def _gone(engine: Engine, paths: Sequence[str], stop: threading.Event | None) -> dict[str, list[str]]:
    """What these files miss now, and, since there is a pause, will have missed for a while when they are read again:
    an editor empties or moves a file only for a moment, and what hangs on it would be deleted with it."""
    gone: dict[str, list[str]] = {}
    for path in paths:
        with suppress(Exception):  # comes up again, and is reported, when the file is indexed
            gone[path] = missing(engine, path)
    if any(gone.values()):
        (stop or threading.Event()).wait(SETTLE_SECONDS)
    return gone

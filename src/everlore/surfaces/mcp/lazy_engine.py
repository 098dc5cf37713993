"""The engine of an MCP process: opened in the background when the handshake is done, with its worker.

Opening may fail, e.g. on a setting. It is tried again by the next call, which then reads why. A process that never
succeeded says so with its exit code.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import structlog

from everlore.config import Settings, unknown_settings
from everlore.errors import EverloreError, Unavailable

if TYPE_CHECKING:
    from everlore.engine import Engine
    from everlore.sync.worker import Worker

log = structlog.get_logger("everlore.mcp")


class Opener:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._closed = False
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self.failure: EverloreError | OSError | None = None
        """Why it is not open, when that was tried."""
        self._worker: Worker | None = None

    def start(self) -> None:
        threading.Thread(target=self._warm, name="everlore-open", daemon=True).start()

    def engine(self) -> Engine:
        """The engine; the first caller opens it."""
        with self._lock:
            if self._closed:
                raise Unavailable("the server is stopping")
            if self._engine is None:
                try:
                    self._engine, self._worker = _open(self._settings)
                except (EverloreError, OSError) as error:
                    self.failure = error
                    raise
                self.failure = None
            return self._engine

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.stop()
            if self._engine is not None:
                self._engine.close()

    def _warm(self) -> None:
        try:
            self.engine()
        except (EverloreError, OSError) as error:
            log.error("the vault cannot be opened", error=str(error))


def _open(settings: Settings) -> tuple[Engine, Worker]:
    from everlore import engine, memory  # half a second that neither handshake nor tools/list waits for
    from everlore.sync.worker import Worker  # the same

    if unknown := unknown_settings():
        log.warning("settings without effect in this version", names=unknown)
    opened = engine.open_engine(settings)
    worker = Worker(opened, memory.resume, memory.retry)
    worker.start()
    return opened, worker

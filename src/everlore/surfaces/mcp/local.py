"""A session whose engine is in its own process: where no server may be started, and where tools need no vault."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from everlore import logs
from everlore.config import load as load_settings
from everlore.config import unknown_settings
from everlore.errors import EverloreError, Unavailable
from everlore.logs import get_logger
from everlore.surfaces.contracts.toolset import Caller, Toolset
from everlore.surfaces.mcp import toolsets
from everlore.surfaces.mcp.answer import answer, offer_of
from everlore.surfaces.mcp.protocol import Object
from everlore.surfaces.mcp.stdio import Work, serve

if TYPE_CHECKING:
    from everlore.engine import Engine
    from everlore.sync.worker import Worker

log = get_logger("everlore.mcp")


def serve_here(made: Sequence[Toolset]) -> None:
    """Toolsets of one's own on stdin and stdout."""
    serve(offer_of(made), Local((), made))


class Local:
    """The engine is opened, with its worker, in the background when the handshake is done.

    Opening may fail, e.g. on a folder. It is tried again by the next call, which then reads why. A process that never
    succeeded says so with its exit code.
    """

    def __init__(self, names: Sequence[str], made: Sequence[Toolset] = ()) -> None:
        self._names = names
        self._made = made
        self._closed = False
        self._loading, self._lock = threading.Lock(), threading.Lock()
        self._opened: tuple[Engine, Worker] | None = None
        self._failure: EverloreError | OSError | None = None

    @cached_property
    def _toolsets(self) -> Sequence[Toolset]:
        gc.disable()  # importing makes only objects that stay; looking through them costs a quarter of the time
        settings = load_settings()
        logs.configure(settings.log_level, settings.log_format)
        made = self._made or [toolsets.load(name) for name in self._names]
        for toolset in made:
            if toolset.begin is not None:
                toolset.begin()
        gc.freeze()
        gc.enable()
        return made

    def _loaded(self) -> Sequence[Toolset]:
        with self._loading:
            return self._toolsets

    def warm(self, end: Callable[[EverloreError], None]) -> None:
        threading.Thread(target=self._warm, args=(end,), name="everlore-open", daemon=True).start()

    def _warm(self, end: Callable[[EverloreError], None]) -> None:
        try:
            needed = any(toolset.needs_vault for toolset in self._loaded())
        except EverloreError as error:
            end(error)
            return
        try:
            if needed:
                self.engine()
        except (EverloreError, OSError) as error:
            log.error("the vault cannot be opened", error=str(error))

    def carry(self, work: Work) -> Object:
        caller = Caller(
            lambda _: self.engine(),
            protocol_version=work.caller["version"],
            client_name=work.caller["client"],
            bare=work.caller["bare"],
            folder=os.getcwd(),  # noqa: PTH109 - a text is wanted
        )
        return answer(self._loaded(), work.message["method"], work.message.get("params", {}), caller)

    def engine(self) -> Engine:
        """The first caller opens it."""
        with self._lock:
            if self._closed:
                raise Unavailable("the server is stopping")
            if self._opened is None:
                try:
                    self._opened = _open()
                except (EverloreError, OSError) as error:
                    self._failure = error
                    raise
                self._failure = None
            return self._opened[0]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._opened is not None:
                engine, worker = self._opened
                worker.stop()
                engine.close()
        if self._failure is not None:
            raise self._failure


def _open() -> tuple[Engine, Worker]:
    from everlore import engine, memory  # half a second, which tools that need no vault do not wait for
    from everlore.sync.worker import Worker  # the same

    if unknown := unknown_settings():
        log.warning("settings without effect in this version", names=unknown)
    opened = engine.open_engine(load_settings())
    worker = Worker(opened, memory.resume, memory.come_back)
    worker.start()
    return opened, worker

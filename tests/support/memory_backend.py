"""A third backend, registered by one line: its index is in memory, and what is canonical lies in the folder.

Nothing above `backends/` and `stores/` knows of it.
"""

from __future__ import annotations

import time

from memory_index import State
from memory_search import open_index

from everlore.backends.files import FilesBackend
from everlore.backends.registry import BACKENDS
from everlore.config import Settings
from everlore.stores.base import Index

BACKENDS["memory"] = "memory_backend:MemoryBackend"


class MemoryBackend(FilesBackend):
    """Whoever opens the same URL in this process has the same index."""

    states: dict[str, State] = {}  # noqa: RUF012 - shared on purpose

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.memory.root)
        self._state = self.states.setdefault(settings.store.url.get_secret_value(), State())

    def index(self) -> Index:
        return open_index(self._state, time.time)

"""A folder of blobs beside the memories. What stands on it is durable, and nobody reads it as a memory."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from everlore.durable import make_folder, sync_folder, temporary
from everlore.vault.disk import translated

BIN = "bin"


class Shelf(Protocol):
    """Names are plain words with dots and dashes."""

    def put(self, name: str, content: bytes) -> None:
        """Durable when it returns; it takes the place of what has the name."""

    def get(self, name: str) -> bytes | None: ...

    def names(self) -> list[str]:
        """Of all that is there, in order."""

    def drop(self, names: Collection[str]) -> None:
        """One after the other, in this order; it is well when some are not there."""


class FolderShelf:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes) -> None:
        with translated(name):
            make_folder(self._folder)
            with temporary(content, self._folder) as file:
                file.replace(self._folder / name)
            sync_folder(self._folder)

    def get(self, name: str) -> bytes | None:
        with translated(name):
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def names(self) -> list[str]:
        with translated(str(self._folder)), suppress(FileNotFoundError):
            return sorted(file.name for file in self._folder.iterdir() if not file.name.startswith("."))
        return []

    def drop(self, names: Collection[str]) -> None:
        with translated(str(self._folder)), suppress(FileNotFoundError):
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
            sync_folder(self._folder)

"""What a backend gives: each part of what is kept, all in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from everlore.accounts.store import Accounts
from everlore.models.base import Cache
from everlore.stores.base import Index
from everlore.stores.buffer import Buffer
from everlore.stores.sqlite.index import open_index
from everlore.vault.base import Vault
from everlore.vault.folder import SYSTEM

CODE = "code.db"


class Backend(Protocol):
    """Each call opens a part, which its caller closes before the backend. The vault goes first: on a cluster the tables
    of others are laid beside its own."""

    def vault(self) -> Vault: ...

    def buffer(self) -> Buffer: ...

    def index(self) -> Index: ...

    def cache(self) -> Cache: ...

    def accounts(self, say: Callable[[str], None]) -> Accounts:
        """What a person should know about the opening is said with `say`."""

    def code_index(self) -> Index:
        """Source code, which is on this machine, wherever memories are."""

    def damage(self, part: Literal["index", "cache"]) -> str:
        """Why a part cannot be read, "" if it can: opening one that can be made again would put it aside."""

    def troubles(self, *, thoroughly: bool = False) -> list[str]:
        """What is wrong with what nothing else could give back: messages, accounts, projects, content. Cheap where
        nothing changed."""

    def repair(self) -> list[str]:
        """Save of that what can be saved, keep what is damaged, and say what was done and what is lost."""

    def put_aside(self) -> list[str]:
        """What was damaged and put aside."""

    def distribute(self) -> tuple[str, list[str]]:
        """Spread everything over the nodes of a cluster: which one, and the statements that did it."""

    def tidy(self) -> list[str]:
        """Drop what older versions derived and left, when none of them runs; returns its names."""

    def close(self) -> None: ...


def local_code_index(root: Path) -> Index:
    return open_index(root / SYSTEM / CODE)

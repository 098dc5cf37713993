"""The toolsets by name. Nothing of a toolset is imported before it is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlore.errors import Misconfigured

if TYPE_CHECKING:
    from everlore.surfaces.contracts.identity import Identity
    from everlore.surfaces.contracts.toolset import Toolset

CONTRACTS = {"knowledge": "knowledge", "records": "records", "everme": "everme", "evo": "emcp", "review": "review"}
NAMES = tuple(CONTRACTS)


def identity(name: str) -> Identity:
    """Apart from the tools, and the engine they work on: a handshake is answered before these are imported."""
    found: Identity = _part(name, "identity").IDENTITY
    return found


def check(name: str) -> None:
    """Raise `Misconfigured` before a host is spoken to, where a toolset can tell that it will not work."""
    if name == "everme":
        root = Path(os.environ.get("EVEROS_MEMORY__ROOT") or "~/.everos").expanduser()
        there = next(path for path in (root, *root.absolute().parents) if path.exists())
        if _part(name, "remote").configured() is None and not there.is_dir():
            raise Misconfigured(f"{there} is not a folder; set EVEROS_MEMORY__ROOT to the vault's folder")


def load(name: str) -> Toolset:
    toolset: Toolset = _part(name, "toolset").toolset()
    return toolset


def _part(name: str, module: str) -> Any:
    return import_module(f"everlore.surfaces.contracts.{CONTRACTS[name]}.{module}")


def loaders(names: tuple[str, ...] = NAMES) -> dict[str, Callable[[], Toolset]]:
    """By name, what `load` would do."""
    return {name: partial(load, name) for name in names}

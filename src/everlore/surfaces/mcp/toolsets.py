"""The toolsets by name. Nothing of a toolset is imported before it is asked for.

`IDENTITIES` repeats what a toolset says of itself, so that a handshake can be answered before its tools, and the
engine they work on, are imported. A test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from everlore.surfaces.mcp.handshake import Identity

if TYPE_CHECKING:
    from everlore.surfaces.mcp.toolset import Toolset

NAMES = ("knowledge", "records", "everme", "evo")


def _knowledge() -> Identity:
    return Identity(
        server_name="memory-mcp",
        server_version="0.1.0",
        instructions="AI agent memory server with knowledge graph and code search. 21 tools available.",
    )


IDENTITIES: dict[str, Callable[[], Identity]] = {"knowledge": _knowledge}
"""Toolsets that are not here have their first handshake answered when they are imported, which takes longer."""


def offered() -> tuple[str, ...]:
    """The toolsets of this installation."""
    return tuple(name for name in NAMES if find_spec(f"{__package__}.{name}"))


def load(name: str) -> Toolset:
    toolset: Toolset = import_module(f"{__package__}.{name}").toolset()
    return toolset


def loaders(names: tuple[str, ...] | None = None) -> dict[str, Callable[[], Toolset]]:
    """By name, what `load` would do; all that are offered unless some are named."""
    return {name: partial(load, name) for name in (offered() if names is None else names)}

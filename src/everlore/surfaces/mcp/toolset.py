"""A toolset as a value: what one MCP contract offers, apart from how the protocol carries it.

Tools are plain functions of the engine and the arguments. They run off the event loop, return a JSON object (which
the core sends as structured content and mirrored as text) or a `Text`, and raise an `EverloreError` whose text is
what the client reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from everlore.engine import Engine
from everlore.types import Json


@dataclass(frozen=True, slots=True)
class Text:
    """A result that is text and nothing else."""

    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """`run` gets arguments that were checked against `input_schema`, with its defaults filled in."""

    name: str
    description: str
    input_schema: Mapping[str, Json]
    run: Callable[[Engine, Mapping[str, Json]], Json | Text]
    output_schema: Mapping[str, Json] | None = None
    title: str = ""
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    lenient: frozenset[str] = frozenset()
    """Arguments that `run` checks itself: the core passes them on whatever they are, also when they are missing."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """`failures` tells how a tool's error is answered: as a result with `isError`, or as a JSON-RPC error -32000."""

    name: str
    server_name: str
    server_version: str
    instructions: str
    tools: tuple[Tool, ...]
    failures: Literal["result", "rpc"] = "result"
    server_fields: Mapping[str, Json] = field(default_factory=dict)
    """Further fields of `serverInfo`."""
    capabilities: Mapping[str, Json] = field(default_factory=dict)
    """Further capabilities."""

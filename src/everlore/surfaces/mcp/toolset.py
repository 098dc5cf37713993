"""A toolset as a value: what one MCP contract offers, apart from how the protocol carries it.

Tools are plain functions of the engine and the arguments. They run off the event loop, return a JSON object (which
the core sends as structured content and mirrored as text), `Items` or a `Text`, and raise an `EverloreError` whose
text is what the client reads. Who is asking is in `CALLER`, for the few that must know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from everlore.surfaces.mcp.handshake import HANDSHAKE_VERSIONS, Identity
from everlore.types import Json

if TYPE_CHECKING:  # the engine takes half a second to import, and a handshake needs none
    from everlore.accounts.values import Principal
    from everlore.engine import Engine


@dataclass(frozen=True, slots=True)
class Text:
    """A result that is text and nothing else."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A resource that a result points to."""

    uri: str
    name: str
    description: str = ""
    mime_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Items:
    """A result that is a list. Clients that accept nothing but an object get `{"items": [...]}`.

    `text` replaces the JSON mirrored in the text block.
    """

    items: tuple[Json, ...]
    links: tuple[Link, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """The client of the request that is being served."""

    protocol_version: str
    client_name: str = ""
    bare: bool = False
    """It shook hands in the shortest form, without naming capabilities."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of the HTTP request; empty on stdio."""
    principal: Principal | None = None
    """Whose token the request carries; None for a process of the vault's owner."""


CALLER: ContextVar[Caller] = ContextVar("everlore_mcp_caller")


@dataclass(frozen=True, slots=True)
class Tool:
    """`run` gets arguments that were checked against `input_schema`, with its defaults filled in."""

    name: str
    description: str
    input_schema: Mapping[str, Json]
    run: Callable[[Engine, Mapping[str, Json]], Json | Text | Items]
    output_schema: Mapping[str, Json] | None = None
    title: str = ""
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    lenient: frozenset[str] = frozenset()
    """Arguments that `run` checks itself: the core passes them on whatever they are, also when they are missing."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource with a fixed address, or, when it is a `template`, one whose address has `{parts}`."""

    uri: str
    name: str
    description: str = ""
    mime_type: str = "application/json"
    template: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """What a resource holds."""

    text: str
    mime_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Argument:
    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """`render` makes the text of one message of the user; required arguments are there when it is called."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    render: Callable[[Mapping[str, str]], str]


@dataclass(frozen=True, slots=True)
class Toolset:
    """`failures` tells how a tool's error is answered: as a result with `isError`, or as a JSON-RPC error."""

    name: str
    server_name: str
    server_version: str
    instructions: str
    tools: tuple[Tool, ...]
    failures: Literal["result", "rpc"] = "result"
    needs_vault: bool = True
    """False when its tools work elsewhere and leave the engine alone: then none is opened on stdio."""
    error_prefix: str = ""
    """What the text of a tool's error begins with. With one, an unknown tool is answered like any other failure."""
    server_fields: Mapping[str, Json] = field(default_factory=dict)
    """Further fields of `serverInfo`."""
    capabilities: Mapping[str, Json] = field(default_factory=dict)
    """Further capabilities, or ours in the words of the contract."""
    resources: tuple[Resource, ...] = ()
    read: Callable[[Engine, str], Content] | None = None
    """Reads a resource by its address; raises `NotFound`."""
    prompts: tuple[Prompt, ...] = ()
    begin: Callable[[], None] | None = None
    """Called once by a process of its own, when its logs are set up."""
    invalid_code: int = -32000
    """With `failures="rpc"`: the code for arguments that cannot be used."""
    missing_code: int = -32000
    """With `failures="rpc"`: the code for something that is not there. All other failures are -32000."""
    unexpected: str = "Something went wrong on our side; the server's log says where. Please try again."
    """What the client reads when an error was not foreseen."""
    default_version: str = HANDSHAKE_VERSIONS[0]
    """The protocol spoken to a client that names none."""

    @property
    def identity(self) -> Identity:
        offered: dict[str, Json] = {"tools": {}}
        offered |= {"resources": {}} if self.read else {}
        offered |= {"prompts": {}} if self.prompts else {}
        return Identity(
            server_name=self.server_name,
            server_version=self.server_version,
            instructions=self.instructions,
            capabilities=offered | dict(self.capabilities),
            server_fields=self.server_fields,
            version=self.default_version,
        )

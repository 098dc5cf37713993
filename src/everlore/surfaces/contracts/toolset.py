"""A toolset as a value: what one MCP contract offers, apart from how the protocol carries it.

A tool is a typed function of who is asking and its arguments, see `signature`. It runs off the event loop, returns a
JSON object (sent as structured content and mirrored as text), `Items` or a `Text`, and raises an `EverloreError`
whose text is what the client reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from everlore.errors import EverloreError
from everlore.surfaces.contracts import signature
from everlore.surfaces.contracts.identity import Identity
from everlore.types import Json, Owner, Scope

if TYPE_CHECKING:  # the engine takes half a second to import
    from everlore.accounts.values import Principal
    from everlore.engine import Engine


@dataclass(frozen=True, slots=True)
class Text:
    """A result that is text and nothing else."""

    text: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource with a fixed address, or, when it is a `template`, one whose address has `{parts}`."""

    uri: str
    name: str
    description: str = ""
    mime_type: str = "application/json"
    template: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A result that is a list. Clients that accept nothing but an object get `{"items": [...]}`."""

    items: tuple[Json, ...]
    links: tuple[Resource, ...] = ()
    """Where the items are read whole."""


@dataclass(frozen=True)
class Caller:
    """The client of the request that is being served."""

    open_engine: Callable[[Caller], Engine]
    """Waits for the engine where it is not open yet; over HTTP, gives what the caller may see of it."""
    protocol_version: str = ""
    client_name: str = ""
    bare: bool = False
    """It shook hands in the shortest form, without naming capabilities."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of the HTTP request; empty on stdio."""
    principal: Principal | None = None
    """Whose token the request carries; None for a process of the vault's owner."""
    folder: str = ""
    """Where the host works, on this machine; empty where that is not known."""

    @cached_property
    def engine(self) -> Engine:
        return self.open_engine(self)

    @property
    def user(self) -> Owner:
        """Whose memories are meant where a tool is not told whose."""
        mcp = self.engine.settings.mcp
        return Owner(Scope(mcp.app, mcp.project), "user", mcp.user)


Result = Json | Text | Items


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    function: Callable[..., Result]
    title: str = ""
    reads: bool = False
    destroys: bool = False
    repeatable: bool = False
    """A second call with the same arguments changes nothing more."""

    @cached_property
    def parameters(self) -> signature.Parameters:
        return signature.parameters(self.function)

    @cached_property
    def input_schema(self) -> Mapping[str, Json]:
        return signature.input_schema(self.parameters)

    @cached_property
    def output_schema(self) -> Mapping[str, Json] | None:
        return signature.output_schema(self.function)

    def call(self, ask: Caller, arguments: Mapping[str, Json]) -> Result:
        return self.function(ask, **signature.read_arguments(self.parameters, self.input_schema, arguments))


def tool(title: str = "", **hints: bool) -> Callable[[Callable[..., Any]], Tool]:
    """A function as a tool of its name. Its docstring, on one line, is the description that models read."""

    def made(function: Callable[..., Any]) -> Tool:
        description = " ".join((function.__doc__ or "").split())
        return Tool(function.__name__.rstrip("_"), description, function, title, **hints)

    return made


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
    identity: Identity
    tools: tuple[Tool, ...]
    failures: Literal["result", "rpc"] = "result"
    needs_vault: bool = True
    """False when its tools work elsewhere and leave the engine alone: then none is opened on stdio."""
    error_prefix: str = ""
    """What the text of a tool's error begins with. With one, an unknown tool is answered like any other failure."""
    resources: tuple[Resource, ...] = ()
    read: Callable[[Caller, str], Content] | None = None
    """Reads a resource by its address; raises `NotFound`."""
    prompts: tuple[Prompt, ...] = ()
    told: Callable[[EverloreError], str] = str
    """What a client reads of an error."""
    begin: Callable[[], None] | None = None
    """Called once by a process of its own, when its logs are set up."""
    invalid_code: int = -32000
    """With `failures="rpc"`: the code for arguments that cannot be used."""
    missing_code: int = -32000
    """With `failures="rpc"`: the code for something that is not there. All other failures are -32000."""

"""A toolset for tests of the core, served by the real core in a real process: `python tiny.py [rpc] [relay]`, which has
an engine of its own or carries requests to `python tiny.py http`."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.contracts.toolset import Argument, Caller, Content, Items, Prompt, Resource, Text, Toolset, tool

SECRET = "sk-very-secret"


IDENTITY = Identity(
    server_name="tiny-mcp",
    server_version="0.0.1",
    instructions="Tools for tests.",
    capabilities={"tools": {}, "resources": {}, "prompts": {}, "evo": {"toolsetVersion": "1.0"}},
    server_fields={"displayName": "Tiny"},
)


class Deep(TypedDict):
    n: NotRequired[int]


@tool(reads=True)
def echo(
    ask: Caller,
    word: Annotated[str, {"description": "A word", "maxLength": 5_000_000}],
    limit: Annotated[int, {"minimum": 1, "maximum": 100}] = 10,
    share: Annotated[float | None, {"minimum": 0, "maximum": 1}] = None,
    kind: Annotated[Literal["a", "b"] | None, {"nullable": True}] = None,
    deep: Annotated[Deep | None, {"nullable": True}] = None,
    flag: bool = False,
    tags: Annotated[list[str] | None, {"maxItems": 3}] = None,
) -> Any:
    """Gives its arguments back."""
    given = {"word": word, "limit": limit, "share": share, "kind": kind, "deep": deep, "flag": flag, "tags": tags}
    return {name: value for name, value in given.items() if value is not None}


ECHO = echo.input_schema


@tool(reads=True)
def text(ask: Caller) -> Text:
    """Text and nothing else."""
    return Text("plain words")


@tool()
def items(ask: Caller) -> Items:
    """A list."""
    return Items(({"id": "1"}, {"id": "2"}), links=(Resource("tiny://item/1", "item:1", "The first"),))


@tool("Wait a while", repeatable=True)
def wait(ask: Caller, seconds: float) -> Any:
    """Takes its time."""
    time.sleep(seconds)
    return {"waited": seconds}


@tool(destroys=True)
def refuse(ask: Caller) -> Any:
    """Refuses."""
    from everlore.errors import InvalidInput

    raise InvalidInput("this cannot be; do that instead")


@tool()
def crash(ask: Caller) -> Any:
    """Has a defect."""
    raise RuntimeError(f"the password is {SECRET}")


@tool()
def write(ask: Caller, line: str) -> Any:
    """Adds a line to a file of the vault."""
    ask.engine.vault.change("default/default/users/tiny/notes.md", lambda text: f"{text or ''}{line}\n")
    return {"written": True}


@tool()
def who(ask: Caller) -> Any:
    """Who is asking."""
    return {"version": ask.protocol_version, "client": ask.client_name, "bare": ask.bare}


@tool()
def noise(ask: Caller) -> Any:
    """Prints."""
    import os

    print("from print")
    os.write(1, b"from the descriptor\n")
    return {}


@tool()
def torn(ask: Caller) -> Any:
    """Half a character."""
    return {"half": "\ud800"}


def read(_: Any, uri: str) -> Content:
    from everlore.errors import NotFound

    if uri == "tiny://item/none":
        raise NotFound("there is no item none")
    return Content(f'{{"uri": "{uri}"}}')


def greet(arguments: Mapping[str, str]) -> str:
    return f"Say hello to {arguments['name']}."


def toolset(failures: Any = "result") -> Toolset:
    return Toolset(
        name="tiny",
        identity=IDENTITY,
        tools=(echo, text, items, wait, refuse, crash, write, who, noise, torn),
        failures=failures,
        resources=(
            Resource("tiny://fixed", "fixed", "A fixed one"),
            Resource("tiny://item/{id}", "item", template=True, mime_type=""),
        ),
        read=read,
        prompts=(Prompt("greet", "Greets.", (Argument("name", "Whom", required=True),), greet),),
    )


if __name__ == "__main__":
    import os

    from everlore.surfaces.mcp.answer import offer_of
    from everlore.surfaces.mcp.local import serve_here
    from everlore.surfaces.mcp.relay import Relay, told
    from everlore.surfaces.mcp.stdio import serve

    if "http" in sys.argv:
        from everlore.config import load
        from everlore.surfaces.cli import serve as serving

        serving.serve(load(api={"port": 0}), {"tiny": toolset, "rpc": lambda: toolset("rpc")})
        sys.exit()
    name = "rpc" if "rpc" in sys.argv else "tiny"
    mine = toolset("rpc" if name == "rpc" else "result")
    if "relay" in sys.argv:
        sys.exit(told(lambda: serve(offer_of([mine]), Relay([name], os.environ))))
    sys.exit(told(lambda: serve_here([mine])))

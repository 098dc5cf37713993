"""A toolset for tests of the core, served by the real core in a real process: `python tiny.py [rpc|http]`."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from everlore.surfaces.mcp.handshake import Identity
from everlore.surfaces.mcp.toolset import (
    CALLER,
    Argument,
    Content,
    Items,
    Link,
    Prompt,
    Resource,
    Text,
    Tool,
    Toolset,
)

SECRET = "sk-very-secret"


def toolset(failures: Any = "result") -> Toolset:
    return Toolset(
        name="tiny",
        server_name="tiny-mcp",
        server_version="0.0.1",
        instructions="Tools for tests.",
        tools=(
            Tool("echo", "Gives its arguments back.", ECHO, lambda _, arguments: dict(arguments), read_only=True),
            Tool("text", "Text and nothing else.", NOTHING, lambda *_: Text("plain words"), read_only=True),
            Tool("items", "A list.", NOTHING, lambda *_: LIST),
            Tool("wait", "Takes its time.", WAIT, wait, title="Wait a while", idempotent=True),
            Tool("refuse", "Refuses.", NOTHING, refuse, destructive=True),
            Tool("crash", "Has a defect.", NOTHING, crash),
            Tool("write", "Adds a line to a file of the vault.", WRITE, write),
            Tool("who", "Who is asking.", NOTHING, who),
            Tool("noise", "Prints.", NOTHING, noise),
            Tool("torn", "Half a character.", NOTHING, lambda *_: {"half": "\ud800"}),
        ),
        failures=failures,
        server_fields={"displayName": "Tiny"},
        capabilities={"evo": {"toolsetVersion": "1.0"}},
        resources=(
            Resource("tiny://fixed", "fixed", "A fixed one"),
            Resource("tiny://item/{id}", "item", template=True, mime_type=""),
        ),
        read=read,
        prompts=(Prompt("greet", "Greets.", (Argument("name", "Whom", required=True),), greet),),
    )


NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
ECHO: dict[str, Any] = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "description": "A word", "maxLength": 5_000_000},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "kind": {"type": "string", "enum": ["a", "b"], "nullable": True},
        "deep": {"type": "object", "properties": {"n": {"type": "integer"}}, "nullable": True},
        "flag": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    },
    "required": ["word"],
}
WAIT: dict[str, Any] = {"type": "object", "properties": {"seconds": {"type": "number"}}, "required": ["seconds"]}
WRITE: dict[str, Any] = {"type": "object", "properties": {"line": {"type": "string"}}, "required": ["line"]}
LIST = Items(({"id": "1"}, {"id": "2"}), links=(Link("tiny://item/1", "item:1", "The first"),))


def wait(_: Any, arguments: Mapping[str, Any]) -> Any:
    time.sleep(arguments["seconds"])
    return {"waited": arguments["seconds"]}


def refuse(*_: Any) -> Any:
    from everlore.errors import InvalidInput

    raise InvalidInput("this cannot be; do that instead")


def crash(*_: Any) -> Any:
    raise RuntimeError(f"the password is {SECRET}")


def write(engine: Any, arguments: Mapping[str, Any]) -> Any:
    engine.vault.update("default/default/users/tiny/notes.md", lambda text: f"{text or ''}{arguments['line']}\n")
    return {"written": True}


def who(*_: Any) -> Any:
    caller = CALLER.get()
    return {"version": caller.protocol_version, "client": caller.client_name, "bare": caller.bare}


def noise(*_: Any) -> Any:
    import os

    print("from print")
    os.write(1, b"from the descriptor\n")
    return {}


def read(_: Any, uri: str) -> Content:
    from everlore.errors import NotFound

    if uri == "tiny://item/none":
        raise NotFound("there is no item none")
    return Content(f'{{"uri": "{uri}"}}')


def greet(arguments: Mapping[str, str]) -> str:
    return f"Say hello to {arguments['name']}."


IDENTITY: Identity = toolset().identity

if __name__ == "__main__":
    from everlore.surfaces.mcp import stdio

    if "http" in sys.argv:
        from everlore.config import load
        from everlore.surfaces.cli.serve import serve

        serve(load(api={"port": 0}), {"tiny": toolset, "rpc": lambda: toolset("rpc")})
    elif "rpc" in sys.argv:
        stdio.serve(lambda: toolset("rpc"), IDENTITY)
    else:
        stdio.serve(toolset, IDENTITY)

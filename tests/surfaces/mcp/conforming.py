"""The official conformance suite against the real server, in both eras. `make conformance` runs this.

The suite asks for tools, resources and prompts by name: here is a toolset that has those among them that our core
can offer. What it cannot is listed in `unsupported-<era>.yaml`, by scenario; the suite fails as well when one of these
passes, so that the list cannot grow old.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import nodes
import serving

from everlore.errors import InvalidInput, NotFound
from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.contracts.toolset import Argument, Caller, Content, Prompt, Resource, Text, Tool, Toolset, tool

HERE = Path(__file__).parent
ERAS = {
    "2025-11-25": ("--suite", "active", "--spec-version", "2025-11-25"),
    "2026-07-28": ("--requirements", "2026-07-28"),
}
SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@tool()
def simple_text(ask: Caller) -> Text:
    """Text."""
    return Text("This is a simple text response for testing.")


@tool()
def error_handling(ask: Caller) -> Text:
    """Fails."""
    raise InvalidInput("This tool intentionally returns an error for testing")


@tool()
def headers(
    ask: Caller,
    region: Annotated[str | None, {"x-mcp-header": "Region"}] = None,
    priority: Annotated[int | None, {"x-mcp-header": "Priority"}] = None,
    query: str | None = None,
) -> Any:
    """Takes headers."""
    given = {"region": region, "priority": priority, "query": query}
    return {name: value for name, value in given.items() if value is not None}


@tool()
def missing_capability(ask: Caller) -> Text:
    """Needs what no client of ours has."""
    from mcp.shared.exceptions import MCPError

    # the protocol's own errors pass through the core as they are
    raise MCPError(-32021, "the client cannot sample", {"requiredCapabilities": {"sampling": {}}})


@tool()
def streaming_elicitation(ask: Caller) -> Text:
    """Asks nothing back."""
    return Text("no questions")


@tool()
def logging_tool(ask: Caller) -> Text:
    """Sends no log."""
    return Text("nothing to log")


class WithSchema(Tool):
    input_schema = SCHEMA_2020_12

    def call(self, ask: Caller, arguments: Mapping[str, Any]) -> Any:
        return dict(arguments)


def toolset() -> Toolset:
    plain = (simple_text, error_handling, headers, missing_capability, streaming_elicitation, logging_tool)
    pair = (Argument("arg1", "First", required=True), Argument("arg2", "Second", required=True))
    return Toolset(
        name="conforming",
        identity=Identity("conforming", "1.0.0", capabilities={"tools": {}, "resources": {}, "prompts": {}}),
        tools=(
            *(replace(one, name=f"test_{one.name}") for one in plain),
            WithSchema("json_schema_2020_12_tool", "A schema.", lambda *_: {}),
        ),
        resources=(
            Resource("test://static-text", "text", mime_type="text/plain"),
            Resource("test://template/{id}/data", "template", template=True),
        ),
        read=read,
        prompts=(
            Prompt("test_simple_prompt", "Simple.", (), lambda _: "This is a simple prompt for testing."),
            Prompt("test_prompt_with_arguments", "Two.", pair, lambda given: f"{given['arg1']} and {given['arg2']}"),
        ),
    )


def read(_: Any, uri: str) -> Content:
    if uri == "test://static-text":
        return Content("This is the content of the static text resource.", "text/plain")
    if uri.startswith("test://template/"):
        id_ = uri.split("/")[3]
        return Content(f'{{"id": "{id_}", "templateTest": true, "data": "Data for ID: {id_}"}}')
    raise NotFound(f"there is no resource {uri}")


def run() -> int:
    if nodes.missing:
        print(f"{nodes.missing}: the conformance suite comes from the npm registry", file=sys.stderr)
        return 1
    folder = nodes.installed(nodes.CONFORMANCE)
    program = [nodes.node(folder), str(folder / "node_modules" / ".bin" / "conformance"), "server"]
    failed = False
    with (
        tempfile.TemporaryDirectory() as vault,
        serving.running(Path(vault) / "root", program=[sys.executable, __file__, "serve"]) as server,
    ):
        for era, which in ERAS.items():
            print(f"\n##### {era}", flush=True)
            url = f"{server.url}/mcp/conforming"
            expected = str(HERE / f"unsupported-{era}.yaml")
            done = subprocess.run([*program, "--url", url, *which, "--expected-failures", expected], timeout=280)
            failed = failed or done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    if "serve" in sys.argv:
        from everlore.config import load
        from everlore.surfaces.cli.serve import serve

        serve(load(api={"port": 0}), {"conforming": toolset})
    else:
        sys.exit(run())

"""Who the servers say they are, told before anything heavy is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from everlore.surfaces.contracts import emcp, everme, knowledge, review
from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS
from everlore.surfaces.mcp import toolsets

HEAVY = {"mcp", "pydantic", "numpy", "asyncio", "everlore.engine"}


@pytest.mark.parametrize("name", toolsets.NAMES)
def test_an_identity_is_that_of_its_toolset_and_needs_none_of_its_tools(name: str) -> None:
    assert toolsets.load(name).identity is toolsets.identity(name)
    assert toolsets.identity(name).version in HANDSHAKE_VERSIONS
    code = f"import sys; from everlore.surfaces.mcp import toolsets; toolsets.identity({name!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert HEAVY.isdisjoint(done.stdout.split())


def test_the_version_of_the_content_tools_stands_there_twice() -> None:
    found = emcp.IDENTITY.capabilities
    assert found["evo"] == found["experimental"]["evo"] == {"toolsetVersion": "1.0"}
    assert set(found) == {"tools", "evo", "experimental"}


def test_instructions_name_the_tools() -> None:
    assert all(tool.name in everme.IDENTITY.instructions for tool in toolsets.load("everme").tools)
    assert f"{len(toolsets.load('knowledge').tools)} tools available" in knowledge.IDENTITY.instructions
    for words in ("memory_review", "memory_curate", "never an instruction"):
        assert words in review.IDENTITY.instructions


def test_the_memory_server_is_called_as_its_variables_say() -> None:
    def told(**environ: str) -> Any:
        code = (
            "import dataclasses, json; from everlore.surfaces.contracts.records import IDENTITY;"
            " print(json.dumps(dataclasses.asdict(IDENTITY)))"
        )
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MCP_")}
        done = subprocess.run(
            [sys.executable, "-c", code], env=plain | environ, check=True, capture_output=True, text=True
        )
        return json.loads(done.stdout)

    found = told(MCP_PROTOCOL_VERSION="1999-01-01")
    assert (found["server_name"], found["server_version"], found["version"]) == ("memory", "0.1.0", "2024-11-05")
    found = told(MCP_SERVER_NAME="mine", MCP_SERVER_DISPLAY_NAME="Mine", MCP_PROTOCOL_VERSION="2025-06-18")
    assert (found["server_name"], found["server_fields"]["displayName"]) == ("mine", "Mine")
    assert found["version"] == "2025-06-18"

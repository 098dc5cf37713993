"""Who the server says it is, from the environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any


def told(**environ: str) -> Any:
    code = (
        "import dataclasses, json; from everlore.surfaces.contracts.records.identity import IDENTITY;"
        " print(json.dumps(dataclasses.asdict(IDENTITY)))"
    )
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MCP_")}
    done = subprocess.run([sys.executable, "-c", code], env=plain | environ, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_without_variables() -> None:
    found = told(MCP_PROTOCOL_VERSION="1999-01-01")
    assert (found["server_name"], found["server_version"], found["version"]) == ("memory", "0.1.0", "2024-11-05")


def test_with_variables() -> None:
    found = told(MCP_SERVER_NAME="mine", MCP_SERVER_DISPLAY_NAME="Mine", MCP_PROTOCOL_VERSION="2025-06-18")
    assert (found["server_name"], found["server_fields"]["displayName"]) == ("mine", "Mine")
    assert found["version"] == "2025-06-18"

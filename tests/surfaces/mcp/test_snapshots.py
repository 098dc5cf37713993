"""What hosts are told before any tool is called, byte for byte: `snapshots/<toolset>.json`, from a real stdio process.

Key order is part of it: hosts keep these answers, and put them before a model as they are.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from serving import clean_env

from everlore import __version__

SNAPSHOTS = Path(__file__).parent / "snapshots"
VERSION = "{everlore's version}"
"""Stands in a snapshot where the package's own version is sent."""
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
CLIENT = {"name": "tests", "version": "1"}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
ERAS: dict[str, list[tuple[str, Any]]] = {
    "2025-11-25": [("initialize", HANDSHAKE), *((method, {}) for method in LISTS)],
    "2026-07-28": [(method, ENVELOPE) for method in ("server/discover", *LISTS)],
}


def answers(root: Path, toolset: str, era: str) -> dict[str, str]:
    """By method, the line that came back."""
    asked = ERAS[era]
    requests = [{"jsonrpc": "2.0", "id": method, "method": method, "params": params} for method, params in asked]
    done = subprocess.run(
        [sys.executable, "-m", "everlore", "mcp", "--toolset", toolset],
        input="".join(json.dumps(request) + "\n" for request in requests).encode(),
        env=clean_env(root),
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode("utf-8").splitlines()
    return {json.loads(line)["id"]: line for line in lines}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("toolset", ["knowledge", "records", "everme", "evo", "review"])
def test_what_hosts_are_told_is_as_it_was(tmp_path: Path, toolset: str, era: str) -> None:
    text = (SNAPSHOTS / f"{toolset}.json").read_text(encoding="utf-8")
    expected: dict[str, Any] = json.loads(text.replace(VERSION, __version__))[era]
    got = answers(tmp_path / "root", toolset, era)
    assert list(got) == list(expected)
    for method, message in expected.items():
        # the first answer of a handshake is written by us, all others by the SDK
        separators = (", ", ": ") if method == "initialize" else (",", ":")
        assert got[method] == json.dumps(message, ensure_ascii=method == "initialize", separators=separators), method

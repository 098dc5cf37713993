"""How long processes take to start and what they hold while nobody asks: a server, an MCP process, and beside each a
Python that only imports the libraries it is made of."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from bench.clients import family_cpu
from bench.peers import percentile
from bench.server import running
from bench.timing import Timing

ROUNDS = 3
SETTLE_SECONDS = 0.5
SERVER_LIBRARIES = "import fastapi, uvicorn, pydantic, numpy, apsw, structlog, httpx"
MCP_LIBRARIES = "import mcp.server.lowlevel, pydantic, numpy, apsw, structlog"
SERVER_MB, MCP_MB, TOOLS_MS = 120, 40, 250
"""The design's budgets."""


@dataclass(frozen=True, slots=True)
class Started:
    seconds: float
    mebibytes: float
    cpu: float
    """Seconds that its processors spent on it until it answered."""


def measure(progress: Progress) -> list[Timing]:
    bar = progress.add_task("speed: starting", total=ROUNDS)
    servers, mcps, bare_servers, bare_mcps = [], [], [], []
    for _ in range(ROUNDS):
        bare_servers.append(_bare(SERVER_LIBRARIES))
        servers.append(_server())
        bare_mcps.append(_bare(MCP_LIBRARIES))
        mcps.append(_mcp())
        progress.advance(bar)
    return [
        _start("server start to first answer", servers, bare_servers),
        _spent("the same, processor time", servers, bare_servers),
        _memory("memory of an idle server", servers, bare_servers, SERVER_MB),
        _start("MCP process start to tools/list answered", mcps, bare_mcps),
        _spent("the same, processor time", mcps, bare_mcps, TOOLS_MS),
        _memory("memory of an idle MCP process", mcps, bare_mcps, MCP_MB),
    ]


def _start(name: str, found: Sequence[Started], bare: Sequence[Started]) -> Timing:
    times, floor = ([one.seconds * 1000 for one in some] for some in (found, bare))
    return _timing(name, times, floor, "ms")


def _spent(name: str, found: Sequence[Started], bare: Sequence[Started], most: float | None = None) -> Timing:
    times, floor = ([one.cpu * 1000 or math.nan for one in some] for some in (found, bare))
    return _timing(name, times, floor, "ms", most)


def _memory(name: str, found: Sequence[Started], bare: Sequence[Started], most: float) -> Timing:
    held, floor = ([one.mebibytes for one in some] for some in (found, bare))
    return _timing(name, held, floor, "MB", most)


def _timing(name: str, found: Sequence[float], floor: Sequence[float], unit: str, most: float | None = None) -> Timing:
    middle = percentile(found, 0.5)
    return Timing(
        name,
        0,
        middle,
        max(found),
        math.nan,
        "Python with the same libraries",
        percentile(floor, 0.5),
        budget="" if most is None else f"< {most:g} {unit}",
        holds=None if most is None or math.isnan(middle) else middle < most,
        unit=unit,
    )


def _server() -> Started:
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder, running(Path(folder) / "vault") as server:
        return Started(server.started_after, _resident(server.process.pid), family_cpu(server.process.pid))


def _mcp() -> Started:
    """With the handshake done, the tools listed and the vault open; no model is needed for that."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("EVEROS_")}
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "everlore", "mcp", "--toolset", "knowledge"],
            env=ours | {"EVEROS_MEMORY__ROOT": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        client = {"name": "bench", "version": "1"}
        _ask(process, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        _say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        _ask(process, "tools/list", {})
        seconds, cpu = time.perf_counter() - begin, family_cpu(process.pid)
        time.sleep(SETTLE_SECONDS)
        held = _resident(process.pid)
        process.communicate(timeout=60)
    return Started(seconds, held, cpu)


def _ask(process: subprocess.Popen[bytes], method: str, params: dict[str, object]) -> None:
    _say(process, {"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    assert process.stdout is not None
    if "result" not in json.loads(process.stdout.readline()):
        raise RuntimeError(f"the MCP process refused {method}")


def _say(process: subprocess.Popen[bytes], message: dict[str, object]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _bare(libraries: str) -> Started:
    script = f"{libraries}\nprint('ready', flush=True)\ninput()"
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    seconds, cpu = time.perf_counter() - begin, family_cpu(process.pid)
    held = _resident(process.pid)
    process.communicate(b"\n")
    return Started(seconds, held, cpu)


def _resident(pid: int) -> float:
    """Mebibytes of memory that a process holds; not a number where the system has no `ps`."""
    try:
        said = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return math.nan
    return int(said.stdout) / 1024

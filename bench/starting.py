"""How long processes take to start and what they hold while nobody asks: a server, an MCP process, its first answer, a
hook. Beside each a Python that imports nothing, one with the libraries, or a bare MCP server of Node."""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from bench.clients import family_cpu
from bench.peers import percentile
from bench.server import running
from bench.timing import Timing

ROUNDS = 3
SETTLE_SECONDS = 0.5
SERVER_LIBRARIES = "import fastapi, uvicorn, pydantic, numpy, apsw, httpx"
SERVER_MB, MCP_MB, TOOLS_MS = 120, 40, 250
ANSWER_MS, ALONE_MS, HOOK_MS = 400, 1000, 100
"""The design's budgets."""
PYTHON, NODE, LIBRARIES = "Python that does nothing", "a bare MCP server of Node", "Python with the same libraries"
NODE_SERVER = """
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const {id, method} = JSON.parse(line)
  const result = method === "initialize" ? {protocolVersion: "2025-11-25", capabilities: {tools: {}},
    serverInfo: {name: "bare", version: "1"}} : {tools: [{name: "echo", inputSchema: {type: "object"}}]}
  if (id !== undefined) console.log(JSON.stringify({jsonrpc: "2.0", id, result}))
})
"""
HELLO: Mapping[str, object] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Started:
    seconds: float
    mebibytes: float
    cpu: float
    """Seconds that its processors spent on it until it answered."""


def measure(progress: Progress) -> list[Timing]:
    bar = progress.add_task("starting", total=ROUNDS)
    servers: list[Started] = []
    bare: list[Started] = []
    mcps: list[Started] = []
    nodes: list[Started] = []
    pythons: list[Started] = []
    hooks: list[Started] = []
    served: list[Started] = []
    alone: list[Started] = []
    for _ in range(ROUNDS):
        bare.append(_bare(SERVER_LIBRARIES))
        servers.append(_server())
        pythons.append(_bare("import sys"))
        nodes.append(_node())
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            alone.append(_mcp(Path(folder) / "vault", asks=True, env={"EVEROS_BACKGROUND__START": "false"}))
        with _background() as root:
            mcps.append(_mcp(root))
            served.append(_mcp(root, asks=True))
            hooks.append(_hook(root))
        progress.advance(bar)
    return [
        _start("server start to first answer", servers, bare),
        _spent("the same, processor time", servers, bare, LIBRARIES),
        _memory("memory of an idle server", servers, bare, LIBRARIES, SERVER_MB),
        _spent("MCP process to tools/list, processor time", mcps, pythons, PYTHON, TOOLS_MS),
        _spent("the same beside Node", mcps, nodes, NODE, TOOLS_MS),
        _memory("memory of an idle MCP process", mcps, pythons, PYTHON, MCP_MB),
        _memory("the same beside Node", mcps, nodes, NODE, MCP_MB),
        _spent("MCP process to its first tool answer, a server running", served, pythons, PYTHON, ANSWER_MS),
        _spent("MCP process to its first tool answer, none running", alone, pythons, PYTHON, ALONE_MS),
        _spent("hook at a prompt, a server running", hooks, pythons, PYTHON, HOOK_MS),
    ]


def _start(name: str, found: Sequence[Started], bare: Sequence[Started]) -> Timing:
    times, floor = ([one.seconds * 1000 for one in some] for some in (found, bare))
    return _timing(name, times, floor, LIBRARIES, "ms")


def _spent(
    name: str, found: Sequence[Started], bare: Sequence[Started], peer: str, most: float | None = None
) -> Timing:
    times, floor = ([one.cpu * 1000 or math.nan for one in some] for some in (found, bare))
    return _timing(name, times, floor, peer, "ms", most)


def _memory(name: str, found: Sequence[Started], bare: Sequence[Started], peer: str, most: float) -> Timing:
    held, floor = ([one.mebibytes for one in some] for some in (found, bare))
    return _timing(name, held, floor, peer, "MB", most)


def _timing(
    name: str, found: Sequence[float], floor: Sequence[float], peer: str, unit: str, most: float | None = None
) -> Timing:
    middle = percentile(found, 0.5)
    return Timing(
        name,
        0,
        middle,
        max(found),
        math.nan,
        peer,
        percentile(floor, 0.5),
        budget="" if most is None else f"< {most:g} {unit}",
        holds=None if most is None or math.isnan(middle) else middle < most,
        unit=unit,
    )


def _server() -> Started:
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder, running(Path(folder) / "vault") as server:
        return Started(server.started_after, _resident(server.process.pid), family_cpu(server.process.pid))


@contextmanager
def _background() -> Iterator[Path]:
    """A vault with a server that a client has started, and that has its model."""
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
        root = Path(folder) / "vault"
        try:
            _mcp(root, asks=True)
            time.sleep(SETTLE_SECONDS)
            yield root
        finally:
            subprocess.run([sys.executable, "-m", "everlore", "stop"], env=_env(root), capture_output=True)


def _env(root: Path, further: Mapping[str, str] | None = None) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("EVEROS_", "EVERCLI_"))}
    return ours | {"EVEROS_MEMORY__ROOT": str(root), "HOME": str(root.parent)} | dict(further or {})


def _mcp(root: Path, *, asks: bool = False, env: Mapping[str, str] | None = None) -> Started:
    """To the answer to `tools/list`, or to that of a first tool; what it has the server do is not its own."""
    command = [sys.executable, "-m", "everlore", "mcp", "--toolset", "everme"]
    return _spoken(command, _env(root, env), asks=asks)


def _node() -> Started:
    node = shutil.which("node")
    if node is None:
        return Started(math.nan, math.nan, math.nan)
    return _spoken([node, "-e", NODE_SERVER], dict(os.environ), asks=False)


def _spoken(command: Sequence[str], env: Mapping[str, str], *, asks: bool) -> Started:
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    _ask(process, "initialize", HELLO)
    _say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    _ask(process, "tools/list", {})
    if asks:
        _ask(process, "tools/call", {"name": "mem_search", "arguments": {"query": "where the keys are"}})
    seconds, cpu = time.perf_counter() - begin, family_cpu(process.pid)
    if not asks:
        time.sleep(SETTLE_SECONDS)
    held = _resident(process.pid)
    process.communicate(timeout=60)
    return Started(seconds, held, cpu)


def _hook(root: Path) -> Started:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "everlore.surfaces.cli.evercli", "hook", "prompt"],
        input=b'{"prompt": "Where are the keys?"}',
        env=_env(root),
        capture_output=True,
    )
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Started(seconds, after.ru_maxrss / 1024, after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime)


def _ask(process: subprocess.Popen[bytes], method: str, params: Mapping[str, object]) -> None:
    _say(process, {"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    assert process.stdout is not None
    if "result" not in json.loads(process.stdout.readline()):
        raise RuntimeError(f"the MCP process refused {method}")


def _say(process: subprocess.Popen[bytes], message: Mapping[str, object]) -> None:
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

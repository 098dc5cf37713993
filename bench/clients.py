"""Many clients at once on a server, in a process of their own, which reads a plan in JSON and prints what it saw.

The server has the conversations of LoCoMo. Each client keeps one connection and asks its next question as soon as the
last one is answered; beside them one stores a message every now and then. HTTP is spoken by hand, so that the clients
take as little of the machine as they can.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from bench.data import locomo
from bench.peers import percentile
from bench.quality import question_of, tell
from bench.server import running
from bench.synthetic import START

CLIENTS = 32
TOP_K = 10
PER_SECOND, SEARCH_MS, ADD_MS, CPU_MS = 150, 300, 20, 12
"""The design's budgets for two idle cores. The last follows from the first and holds on a busy machine, too."""
ADD_EVERY_SECONDS = 0.1
WARM_SECONDS = 2.0
TICKS = 100
"""Of the processor's clock in a second, as Linux tells it."""


@dataclass(frozen=True, slots=True)
class Crowd:
    host: str
    port: int
    searches: list[dict[str, Any]]
    """Bodies, which the clients ask by turns."""
    add: dict[str, Any]
    """A body; every time it is sent its session is another one."""
    seconds: float
    clients: int = CLIENTS


@dataclass(frozen=True, slots=True)
class Answered:
    """Milliseconds from the first byte sent to the last byte received."""

    searches: list[float]
    adds: list[float]
    seconds: float
    cpu: float
    """Seconds that the clients themselves took of the processors."""
    server_cpu: float = 0.0
    """Seconds that the server's processes took."""

    @property
    def per_second(self) -> float:
        return len(self.searches) / self.seconds

    @property
    def cpu_each(self) -> float:
        """Milliseconds of processor time that the server took for a search and what came with it."""
        return 1000 * self.server_cpu / max(1, len(self.searches))


def ask(crowd: Crowd, server: int) -> Answered:
    """What clients in a process of their own see of the server with this process id. They warm it up first."""
    warm = Crowd(**asdict(crowd) | {"seconds": WARM_SECONDS})
    _asked(warm)
    before = family_cpu(server)
    found = _asked(crowd)
    return Answered(**asdict(found) | {"server_cpu": family_cpu(server) - before})


def _asked(crowd: Crowd) -> Answered:
    told = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(asdict(crowd)), capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise RuntimeError(f"the clients gave up:\n{told.stderr[-2000:]}")
    return Answered(**json.loads(told.stdout))


def family_cpu(pid: int) -> float:
    """Seconds that a process and its children have worked; 0 where the system has no /proc."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text(encoding="ascii").split()]
    except OSError:
        return 0.0
    return sum(map(int, said[11:13])) / TICKS + sum(family_cpu(int(child)) for child in children)


async def _serve(crowd: Crowd) -> Answered:
    searches: list[float] = []
    adds: list[float] = []
    until = time.perf_counter() + crowd.seconds
    bodies = itertools.cycle(_request("search", body) for body in crowd.searches)

    async def search() -> None:
        reader, writer = await asyncio.open_connection(crowd.host, crowd.port)
        while time.perf_counter() < until:
            searches.append(await _exchange(reader, writer, next(bodies)))
        writer.close()

    async def add() -> None:
        reader, writer = await asyncio.open_connection(crowd.host, crowd.port)
        for body in _sessions(crowd.add):
            if time.perf_counter() >= until:
                break
            adds.append(await _exchange(reader, writer, _request("add", body)))
            await asyncio.sleep(ADD_EVERY_SECONDS)
        writer.close()

    begin = time.perf_counter()
    await asyncio.gather(add(), *(search() for _ in range(crowd.clients)))
    return Answered(searches, adds, time.perf_counter() - begin, time.process_time())


def _sessions(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number in itertools.count():
        yield body | {"session_id": f"{body['session_id']}-{time.time_ns()}-{number}"}


def _request(route: str, body: dict[str, Any]) -> bytes:
    content = json.dumps(body).encode()
    head = f"POST /api/v1/memory/{route} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(content)}\r\n\r\n".encode() + content


async def _exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> float:
    begin = time.perf_counter()
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    content = await reader.readexactly(int(head.partition("content-length:")[2].split(maxsplit=1)[0]))
    if not head.startswith("http/1.1 200"):
        raise RuntimeError(f"refused: {head} {content[:500]!r}")
    return (time.perf_counter() - begin) * 1000


def measure(data: Path, work: Path, seconds: float, progress: Progress) -> Answered:
    talks = locomo(data)
    asked = [question_of(talk, one.text, "hybrid", TOP_K) for talk in talks for one in talk.questions]
    said = {"sender_id": "ada", "role": "user", "timestamp": START, "content": "I moved to Lisbon in March."}
    with tempfile.TemporaryDirectory(prefix="everlore-bench-", dir=work) as folder, running(Path(folder)) as server:
        tell(server, talks, progress, "scale")
        progress.add_task(f"scale: {CLIENTS} clients", total=1)
        url = server.client.base_url
        crowd = Crowd(url.host, url.port or 80, asked, {"session_id": "s", "messages": [said]}, seconds)
        return ask(crowd, server.process.pid)


def table(found: Answered) -> str:
    rows = [
        ("searches in a second", f"{found.per_second:,.0f}", f">= {PER_SECOND}"),
        ("search, p50", f"{percentile(found.searches, 0.5):,.0f} ms", ""),
        ("search, p95", f"{percentile(found.searches, 0.95):,.0f} ms", f"< {SEARCH_MS} ms"),
        ("a message stored beside them, p50", f"{percentile(found.adds, 0.5):,.1f} ms", f"< {ADD_MS} ms"),
        ("a message stored beside them, p95", f"{percentile(found.adds, 0.95):,.1f} ms", ""),
        ("processor time of the server for a search", f"{found.cpu_each:,.1f} ms", f"< {CPU_MS} ms"),
        ("processor time of the clients for a search", f"{1000 * found.cpu / len(found.searches):,.1f} ms", ""),
    ]
    lines = [f"| {CLIENTS} clients on one server | measured | budget |", "|---|--:|--:|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(_serve(Crowd(**json.loads(sys.stdin.read())))))))

"""Many clients at once on a server, in a process of their own, which reads a plan in JSON and prints what it saw.

The server has the conversations of LoCoMo. Each client keeps one connection and asks its next question as soon as the
last one is answered; beside them one stores a message for every few searches. HTTP is spoken by hand, so that the
clients take as little of the machine as they can.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
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
SEARCHES_FOR_AN_ADD = 15
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
        for number, body in enumerate(_sessions(crowd.add)):
            while len(searches) < SEARCHES_FOR_AN_ADD * number:
                await asyncio.sleep(0.005)
                if time.perf_counter() >= until:
                    writer.close()
                    return
            adds.append(await _exchange(reader, writer, _request("add", body)))

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


def measure(data: Path, work: Path, seconds: float, progress: Progress) -> dict[int, Answered]:
    """By the number of processes that search, of which 0 is the server itself."""
    talks, found = locomo(data), {}
    asked = [question_of(talk, one.text, "hybrid", TOP_K) for talk in talks for one in talk.questions]
    said = {"sender_id": "ada", "role": "user", "timestamp": START, "content": "I moved to Lisbon in March."}
    with tempfile.TemporaryDirectory(prefix="everlore-bench-", dir=work) as folder:
        root = Path(folder) / "vault"
        with running(root) as server:
            tell(server, talks, progress, "scale")
        for count in (0, os.cpu_count() or 1):
            progress.add_task(f"scale: {CLIENTS} clients and {count} processes that search", total=1)
            with running(root, EVEROS_API__SEARCH_PROCESSES=str(count)) as server:
                url = server.client.base_url
                crowd = Crowd(url.host, url.port or 80, asked, {"session_id": "s", "messages": [said]}, seconds)
                found[count] = ask(crowd, server.process.pid)
    return found


def table(found: dict[int, Answered]) -> str:
    every = list(found.values())
    columns = " | ".join(f"{count or 'no'} processes that search" for count in found)
    lines = [f"| {CLIENTS} clients on one server | {columns} | budget |", f"|---|{'--:|' * (len(found) + 1)}"]

    def add(name: str, cells: Iterable[float], unit: str, budget: str = "") -> None:
        lines.append(f"| {name} | {' | '.join(f'{cell:,.1f}{unit}' for cell in cells)} | {budget} |")

    add("searches in a second", (one.per_second for one in every), "", f">= {PER_SECOND}")
    for share, budget in ((0.5, ""), (0.95, f"< {SEARCH_MS} ms")):
        add(f"search, p{share * 100:.0f}", (percentile(one.searches, share) for one in every), " ms", budget)
    for share, budget in ((0.5, f"< {ADD_MS} ms"), (0.95, "")):
        name = f"a message stored beside them, p{share * 100:.0f}"
        add(name, (percentile(one.adds, share) for one in every), " ms", budget)
    add("processor time of the server for a search", (one.cpu_each for one in every), " ms", f"< {CPU_MS} ms")
    add("that of the clients", (1000 * one.cpu / len(one.searches) for one in every), " ms")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(_serve(Crowd(**json.loads(sys.stdin.read())))))))

"""A server process of our own on a free port, and an HTTP client to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

START_SECONDS = 120.0
CACHE_DIR = "EVEROS_EMBEDDING__CACHE_DIR"


@dataclass(frozen=True, slots=True)
class Server:
    process: subprocess.Popen[bytes]
    client: httpx.Client
    started_after: float
    """Seconds from the start of the process to the first answer."""

    def post(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.client.post(f"/api/v1/memory/{route}", json=body)
        if answer.status_code != 200:
            raise RuntimeError(f"{route} was refused with {answer.status_code}: {answer.text[:500]}")
        data: dict[str, Any] = answer.json()["data"]
        return data

    def health(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/health").raise_for_status().json()
        return found

    def settle(self, progress: Callable[[int, int], None]) -> None:
        """Wait until every file is indexed and every unit has its vector. `progress` hears done and total."""
        while True:
            index = self.health()["index"]
            progress(index["units"] - index["unembedded"], index["units"])
            if not index["unembedded"] and not index["queued"]:
                return
            time.sleep(0.5)


@contextmanager
def running(root: Path, **settings: str) -> Iterator[Server]:
    """Serves the vault at `root` with the default settings but these, whatever the environment says."""
    root.mkdir(parents=True, exist_ok=True)
    log = root.parent / f"{root.name}.log"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVEROS_") or name == CACHE_DIR}
    begin = time.perf_counter()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "everlore", "server", "start", "--port", "0"],
            env=kept | {"EVEROS_MEMORY__ROOT": str(root), "EVEROS_LOG_FORMAT": "json"} | settings,
            stdout=out,
            stderr=out,
        )
    try:
        with httpx.Client(base_url=_await_url(process, log), timeout=600) as client:
            client.get("/health").raise_for_status()
            yield Server(process, client, time.perf_counter() - begin)
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_url(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text(encoding="utf-8").splitlines():
            if line.startswith("{") and line.endswith("}"):
                record = json.loads(line)
                if record.get("event") == "listening":
                    return f"http://{record['host']}:{record['port']}"
        time.sleep(0.01)
    raise RuntimeError(f"the server did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")

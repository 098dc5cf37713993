"""Two walks through Everlore, recorded: what POST /add and POST /search enter, in the order in which they do.

    python docs/walks.py

Every call of a function of ours is noted by a profiler hook, in all threads, while a request is answered in this
process on a vault that is thrown away. Printed are the calls, how many functions, modules and packages they are in, and
how often the package changes from one call to the next. `docs/architecture.md` cites the table.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from fastapi.testclient import TestClient

import everlore
from everlore import logs
from everlore.config import load
from everlore.engine import open_engine
from everlore.surfaces.http.app import create_app

SOURCE = str(Path(everlore.__file__).parent)
AT = 1_780_000_000_000
HOUR = 3_600_000
TALK = ("I live in Rome and I love jazz.", "My favorite coffee shop is Blue Bottle.", "I bought a new bike yesterday.")
Call = tuple[str, str]
"""A module and a function."""


class Recorder:
    """Notes calls in every thread that begins after it, but for those that work in the background."""

    def __init__(self) -> None:
        self.calls: list[Call] | None = None
        threading.setprofile(self.note)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        background = threading.current_thread().name.startswith("everlore")
        if self.calls is not None and event == "call" and name.startswith(SOURCE) and not background:
            module = name.removeprefix(SOURCE).removesuffix(".py").strip("/")
            self.calls.append((module, frame.f_code.co_qualname))

    def walk(self, step: Callable[[], object]) -> list[Call]:
        calls: list[Call] = []
        self.calls = calls
        step()
        self.calls = None
        return calls


def package(module: str) -> str:
    return module.partition("/")[0]


def shown(name: str, calls: list[Call]) -> str:
    packages = [package(module) for module, _ in calls]
    changes = sum(one != other for one, other in pairwise(packages))
    figures = (len(calls), len(set(calls)), len({module for module, _ in calls}), len(set(packages)), changes)
    return f"| {name} | " + " | ".join(f"{figure:,}" for figure in figures) + " |"


def message(text: str, at: int) -> dict[str, object]:
    return {"sender_id": "alice", "role": "user", "timestamp": at, "content": text}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = load(memory={"root": Path(folder)}, boundary_detection={"topic_shift": False})
        logs.configure("error", "console")
        recorder = Recorder()
        engine = open_engine(settings)
        with TestClient(create_app(engine, engine.backend.accounts(print)), base_url="http://127.0.0.1") as client:

            def post(route: str, body: dict[str, object]) -> None:
                client.post(f"/api/v1/memory/{route}", json=body).raise_for_status()

            def add(session: str, start: int) -> list[Call]:
                """The last of four messages comes so late that the first three are a stretch of their own."""
                talk = [message(text, start + number * 60_000) for number, text in enumerate(TALK)]
                post("add", {"session_id": session, "messages": talk})
                last = [message("I moved to Lisbon.", start + 24 * HOUR)]
                return recorder.walk(lambda: post("add", {"session_id": session, "messages": last}))

            add("first", AT)  # loads what is needed
            print("| request | calls | functions | modules | packages | changes of package |")
            print("|---|--:|--:|--:|--:|--:|")
            print(shown("POST /add, a message that closes a stretch of three", add("second", AT + 240 * HOUR)))
            asked: dict[str, object] = {"user_id": "alice", "query": "Where do I live?", "method": "hybrid", "top_k": 5}
            post("search", asked)
            print(shown("POST /search, hybrid, top_k 5", recorder.walk(lambda: post("search", asked))))
        engine.close()


if __name__ == "__main__":
    main()

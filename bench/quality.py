"""Retrieval quality through the public API: every conversation is told to a real server, every question asked.

The vault is new in every run; only the embeddings are kept between runs, since they depend on the text alone.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from bench.data import Haystack
from bench.measure import Figures, Turns, judge, read_answer
from bench.server import Server, running

METHODS = ("hybrid", "agentic", "vector", "keyword")
FLOOR = "BM25"
TOP_K = {"locomo": 10, "longmemeval": 20}
"""A session may be several episodes, so five sessions need more than five of them."""
BATCH = 100
"""Messages of one request."""


@dataclass(frozen=True, slots=True)
class Quality:
    name: str
    questions: int
    turns: int
    ingest_seconds: float
    methods: dict[str, Figures]


def measure(name: str, haystacks: Sequence[Haystack], work: Path, progress: Progress) -> Quality:
    root = work / name
    empty(root)
    with running(root) as server:
        # loads the model, so that every conversation is cut into episodes in the same way
        _search(server, haystacks[0], "warm up", "hybrid", 1)
        begin = time.perf_counter()
        tell(server, haystacks, progress, name)
        seconds = time.perf_counter() - begin
        methods = _ask(server, haystacks, progress, name)
    questions = sum(len(haystack.questions) for haystack in haystacks)
    return Quality(name, questions, sum(haystack.turns for haystack in haystacks), seconds, methods)


def empty(root: Path) -> None:
    """Everything goes but the embedding cache."""
    system = root / ".everlore"
    for path in [*root.glob("*"), *system.glob("*")]:
        if path == system or path.name.startswith("embeddings.db"):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def tell(server: Server, haystacks: Sequence[Haystack], progress: Progress, name: str) -> None:
    bar = progress.add_task(f"{name}: remembering", total=sum(len(one.sessions) for one in haystacks))
    for haystack in haystacks:
        scope = {"app_id": haystack.app, "project_id": haystack.project}
        for session in haystack.sessions:
            messages = [
                {
                    "sender_id": turn.sender_id,
                    "sender_name": turn.sender_name,
                    "role": turn.role,
                    "timestamp": turn.timestamp,
                    "content": turn.text,
                }
                for turn in session.turns
            ]
            for at in range(0, len(messages), BATCH):
                server.post("add", scope | {"session_id": session.id, "messages": messages[at : at + BATCH]})
            server.post("flush", scope | {"session_id": session.id})
            progress.advance(bar)
    waiting = progress.add_task(f"{name}: embedding", total=None)
    server.settle(lambda done, total: progress.update(waiting, completed=done, total=total))


def _ask(server: Server, haystacks: Sequence[Haystack], progress: Progress, name: str) -> dict[str, Figures]:
    figures = {method: Figures() for method in (*METHODS, FLOOR)}
    bar = progress.add_task(f"{name}: asking", total=sum(len(haystack.questions) for haystack in haystacks))
    for haystack in haystacks:
        turns = Turns(haystack)
        for question in haystack.questions:
            for method in METHODS:
                begin = time.perf_counter()
                data = _search(server, haystack, question.text, method, TOP_K[name])
                judge(figures[method], question, read_answer(data, turns, time.perf_counter() - begin))
            judge(figures[FLOOR], question, turns.bm25(question.text))
            progress.advance(bar)
    return figures


def _search(server: Server, haystack: Haystack, query: str, method: str, top_k: int) -> dict[str, object]:
    return server.post("search", question_of(haystack, query, method, top_k))


def question_of(haystack: Haystack, query: str, method: str, top_k: int) -> dict[str, object]:
    """The body of a search by the haystack's owner."""
    return {
        "app_id": haystack.app,
        "project_id": haystack.project,
        "user_id": haystack.owner,
        "query": query,
        "method": method,
        "top_k": top_k,
    }

"""Questions that need several memories: stored with `store_memory`, asked with the memory API and with `recall`.

Passages of MuSiQue and HotpotQA are the memories; a question's gold is the passages that hold its answer. The vault is
new in every run; only the embeddings are kept between runs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from bench.measure import Figures
from bench.quality import empty
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.search import Query
from everlore.search import recall as find
from everlore.surfaces.contracts.knowledge.toolset import toolset
from everlore.surfaces.contracts.toolset import Caller
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Scope

SETS = {"musique": "MuSiQue", "hotpotqa": "HotpotQA"}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "recall": ("recall", {}),
    "recall without the graph": ("recall", {"ppr_weight": 0.0}),
    "search": ("search", {}),
    "search_text": ("search_text", {}),
}
HTTP = "HTTP hybrid"
FIGURES = ("recall@5", "all@5", "all@10")
TOP = 10
EMBED_STEP = 128


@dataclass(frozen=True, slots=True)
class MultiHop:
    name: str
    questions: int
    passages: int
    ways: dict[str, Figures]


def measure(folder: Path, limit: int | None, work: Path, progress: Progress) -> list[MultiHop]:
    return [_measure(name, folder / "multihop", limit, work / f"multihop-{name}", progress) for name in SETS]


def caller(engine: Engine) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Calls tools as the protocol would, without its cost."""
    tools = {tool.name: tool for tool in toolset().tools}

    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = tools[name].call(Caller(lambda _: engine), arguments)
        assert isinstance(result, dict)
        return result

    return call


def judge(figures: Figures, gold: set[int], found: list[int]) -> None:
    figures.add("recall@5", len(gold & set(found[:5])) / len(gold))
    for depth in (5, 10):
        figures.add(f"all@{depth}", float(gold <= set(found[:depth])))


def _measure(name: str, folder: Path, limit: int | None, root: Path, progress: Progress) -> MultiHop:
    passages = json.loads((folder / f"{name}_corpus.json").read_text(encoding="utf-8"))
    questions = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))[:limit]
    with _opened(root) as engine:
        call = caller(engine)
        bar = progress.add_task(f"{SETS[name]}: storing", total=len(passages))
        places: dict[str, int] = {}
        for passage in passages:
            content = f"{passage['title']}\n{passage['text']}"
            places[call("store_memory", {"content": content})["id"]] = passage["idx"]
            progress.advance(bar)
        bar = progress.add_task(f"{SETS[name]}: embedding", total=len(passages))
        while done := embed_pending(engine, EMBED_STEP):
            progress.advance(bar, done)
        ways = {way: Figures() for way in (*WAYS, HTTP)}
        owner = Owner(Scope(engine.settings.mcp.app, engine.settings.mcp.project), "user", engine.settings.mcp.user)
        bar = progress.add_task(f"{SETS[name]}: asking", total=len(questions))
        for question in questions:
            for way, (tool, given) in WAYS.items():
                begin = time.perf_counter()
                answer = call(tool, {"query": question["question"], "limit": TOP, **given})
                ways[way].add("seconds", time.perf_counter() - begin)
                judge(ways[way], set(question["gold"]), [places[one["id"]] for one in answer["results"]])
            begin = time.perf_counter()
            hits = find(engine, Query(owner, question["question"], TOP)).hits["episode"]
            ways[HTTP].add("seconds", time.perf_counter() - begin)
            judge(ways[HTTP], set(question["gold"]), [places[hit.stored.key.global_id] for hit in hits])
            progress.advance(bar)
    return MultiHop(name, len(questions), len(passages), ways)


@contextmanager
def _opened(root: Path) -> Iterator[Engine]:
    root.mkdir(parents=True, exist_ok=True)
    empty(root)
    engine = open_engine(load(memory=MemorySection(root=root)))
    engine.embedder.encode(["warm"])
    try:
        yield engine
    finally:
        engine.close()

"""The folder with SQLite against PostgreSQL: the same memories, the same questions, by turns, in one run.

Vectors are made up as in `bench.synthetic`, and questions are embedded beforehand, so that only the stores are timed.
PostgreSQL runs beside us, with its own defaults for durability, so a journey to it costs no network.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.progress import Progress

from bench.peers import percentile, spent
from bench.servers import postgres
from bench.speed import SAVED, TOP_K, FixedEmbedder
from bench.synthetic import BIG, SCOPE, START, Corpus, Filled, fill, make_centres, make_corpus
from everlore.backends.postgres import PostgresBackend
from everlore.config import MemorySection, StoreSection, load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.models.choose import make_embedder
from everlore.postgres.server import Server
from everlore.search import Query, recall
from everlore.search.recipes import HYBRID
from everlore.stores import base
from everlore.stores.tokens import query_terms
from everlore.types import Owner, Where

CANDIDATES = 100
SERVER = ("shared_buffers=512MB", "maintenance_work_mem=256MB", "max_wal_size=4GB", "jit=off")
FUTURE = (10_000_000, 100_000_000, 1_000_000_000)


@dataclass(frozen=True, slots=True)
class Plan:
    size: int
    """Memories of the large owner; as many again are spread over 1,000 others."""
    queries: int
    saves: int


FULL = Plan(size=100_000, queries=100, saves=40)
QUICK = Plan(size=2_000, queries=20, saves=8)


@dataclass(frozen=True, slots=True)
class Line:
    """Milliseconds unless `unit` says otherwise; the first of each pair is SQLite's."""

    name: str
    p50: tuple[float, float]
    p95: tuple[float, float] = (math.nan, math.nan)
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        return self.p50[1] / self.p50[0]


@dataclass(frozen=True, slots=True)
class Stores:
    memories: int
    lines: list[Line]
    bytes_each: tuple[float, float]
    """On disk, for each memory with its piece, its words and, for every second one, its vector."""


def measure(plan: Plan, progress: Progress) -> Stores:
    asked = ask(plan)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="everlore-bench-")))
        server = stack.enter_context(postgres(*SERVER))
        stores = {"files": StoreSection(), "server": StoreSection.model_validate({"url": server.url()})}
        engines = [open_on(stack, root / name, store, asked) for name, store in stores.items()]
        empty = (_folder_bytes(root / "files"), _database_bytes(engines[1]))
        filled, lines = compare(engines, asked, plan, progress)
        sizes = (_folder_bytes(root / "files"), _database_bytes(engines[1]))
    each = [(size - before) / filled.rows for size, before in zip(sizes, empty, strict=True)]
    return Stores(filled.rows, lines, (each[0], each[1]))


@dataclass(frozen=True, slots=True)
class Asked:
    """What is stored and asked, the same of both."""

    corpus: Corpus
    centres: np.ndarray
    queries: list[str]
    known: dict[str, np.ndarray]
    embedder: FixedEmbedder


def ask(plan: Plan) -> Asked:
    settings = load()
    corpus = make_corpus(settings.embedding.cache_dir)
    plain = make_embedder(settings.embedding)
    centres = make_centres(corpus, plain)
    random = np.random.default_rng(7)
    queries = list(dict.fromkeys(corpus.query(random) for _ in range(plan.queries)))
    known = dict(zip(queries, plain.encode(queries), strict=True))
    fixed = FixedEmbedder(plain.name, plain.dimension, known)
    plain.close()
    return Asked(corpus, centres, queries, known, fixed)


def open_on(stack: ExitStack, root: Path, store: StoreSection, asked: Asked) -> Engine:
    opened = open_engine(load(memory=MemorySection(root=root), store=store))
    stack.callback(opened.close)
    return replace(opened, embedder=asked.embedder)


def compare(engines: Sequence[Engine], asked: Asked, plan: Plan, progress: Progress) -> tuple[Filled, list[Line]]:
    filled, rates = _fill(engines, asked.corpus, asked.centres, plan, progress)
    return filled, [
        Line("bulk, with words and vectors", rates, unit="memories/s"),
        *_searches(engines, filled, asked.queries, asked.known, progress),
        *_saves(engines, plan, progress),
    ]


def _fill(
    engines: Sequence[Engine], corpus: Corpus, centres: np.ndarray, plan: Plan, progress: Progress
) -> tuple[Filled, tuple[float, float]]:
    rates: list[float] = []
    for engine in engines:
        bar = progress.add_task(f"stores: filling {engine.vault.where}", total=2 * plan.size)
        engine.index.upkeep.use_model(engine.embedder.name, engine.embedder.dimension)
        began = time.perf_counter()
        filled = fill(engine.index, corpus, centres, plan.size, lambda turns, bar=bar: progress.advance(bar, turns))  # type: ignore[misc]
        rates.append(filled.rows / (time.perf_counter() - began))
    _server(engines[1]).read(lambda c: c.execute("ANALYZE"))
    return filled, (rates[0], rates[1])


def _searches(
    engines: Sequence[Engine], filled: Filled, queries: Sequence[str], known: dict[str, np.ndarray], progress: Progress
) -> list[Line]:
    sizes = Counter(filled.owners[filled.big :])
    ordinary = Owner(SCOPE, "user", sorted(sizes, key=lambda owner: (sizes[owner], owner))[len(sizes) // 2])

    def search(engine: Engine, query: str, owner: Owner) -> None:
        recall(engine, Query(owner, query, TOP_K), HYBRID)

    def everyone(engine: Engine, query: str) -> None:
        where = Where(None, ("episode", "fact"))
        engine.index.search.candidates(base.Asked(where, query_terms(query), known[query], CANDIDATES))

    bar = progress.add_task("stores: searching", total=3)
    found = []
    for name, step in (
        ("hybrid search, an owner of all", lambda e, q: search(e, q, BIG)),
        ("hybrid search, an ordinary owner", lambda e, q: search(e, q, ordinary)),
        ("words and vectors, all owners", everyone),
    ):
        for engine in engines:
            step(engine, queries[0])
        found.append(_by_turns(name, engines, queries, step))
        progress.advance(bar)
    return found


def _saves(engines: Sequence[Engine], plan: Plan, progress: Progress) -> list[Line]:
    silent = [replace(one, embedder=FixedEmbedder(one.embedder.name, one.embedder.dimension)) for one in engines]

    def accept(engine: Engine, session: str) -> None:
        remember(engine, SCOPE, session, [NewMessage(BIG.id, "user", START, f"{SAVED} {session}")])

    def write(engine: Engine, session: str) -> None:
        accept(engine, session)
        flush(engine, SCOPE, session)

    bar = progress.add_task("stores: saving", total=2)
    found = []
    for name, step in (("message accepted", accept), ("memory written and indexed", write)):
        sessions = [f"{name} {number}" for number in range(plan.saves)]
        found.append(_by_turns(name, silent, sessions, step))
        progress.advance(bar)
    return found


def _by_turns(name: str, engines: Sequence[Engine], inputs: Sequence[str], step: Callable[[Engine, str], None]) -> Line:
    times: tuple[list[float], list[float]] = ([], [])
    for one in inputs:
        for engine, taken in zip(engines, times, strict=True):
            taken.append(spent(lambda engine=engine, one=one: step(engine, one)).wall)  # type: ignore[misc]
    return Line(name, *(tuple(percentile(taken, share) for taken in times) for share in (0.5, 0.95)))  # type: ignore[arg-type]


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _server(engine: Engine) -> Server:
    assert isinstance(engine.backend, PostgresBackend)
    return engine.backend.server


def _database_bytes(engine: Engine) -> int:
    return int(_server(engine).read(lambda c: c.value("SELECT pg_database_size(current_database())")))


def rows(first: str, second: str, found: Sequence[Line]) -> list[str]:
    lines = [f"| what | {first} p50 | p95 | {second} p50 | p95 | {second} / {first} |", "|---|--:|--:|--:|--:|--:|"]
    for one in found:
        cells = [
            f"{value:,.1f} {one.unit}" if value == value else ""
            for pair in zip(one.p50, one.p95, strict=True)
            for value in pair
        ]
        lines.append(f"| {one.name} | {' | '.join(cells)} | {one.ratio:.2f} |")
    return lines


def table(found: Stores, heading: str) -> str:
    lines = [
        "## Stores",
        "",
        heading,
        "",
        f"Measured with {found.memories:,} memories, half of them with one owner:",
        "",
        *rows("SQLite", "PostgreSQL", found.lines),
    ]
    small, large = found.bytes_each
    lines += [
        f"| on disk for each memory | {small:,.0f} bytes | | {large:,.0f} bytes | | {large / small:.2f} |",
        "",
        "Computed from the last line, not measured: what more memories take in PostgreSQL, indexes included.",
        "",
        "| memories | on disk |",
        "|--:|--:|",
        *(f"| {count:,} | {count * large / 1e9:,.0f} GB |" for count in FUTURE),
    ]
    return "\n".join(lines) + "\n"

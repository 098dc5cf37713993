"""A folder with up to a million memories: what the vector search misses, and how times grow with the size.

Vectors are real (`bench.sentences`). Half of the memories belong to one owner, the others to owners of 1,000. Searches
run in a process of its own, so that its first search and its memory are those of a fresh start.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from bench import sentences
from bench.peers import percentile, spent
from bench.speed import TOP_K, FixedEmbedder
from bench.synthetic import START
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.kinds import episode as episodes
from everlore.models.choose import make_embedder
from everlore.search import Query, recall
from everlore.search.recipes import HYBRID, RECALL
from everlore.stores.base import Asked, Index, Stamp
from everlore.stores.vector_math import unit_rows
from everlore.types import IndexRow, Owner, Scope, Where

SCOPE = Scope("bench", "scale")
BIG = Owner(SCOPE, "user", "big")
ORDINARY = 1_000
"""Memories of every other owner."""
WHO = {"owner of 1,000": Owner(SCOPE, "user", "owner0"), "owner of half": BIG, "all owners": None}
FILE = 200
"""Memories of a file."""
GOAL, FIRST_MS, P95_MS, RSS_MB, BYTES = 0.98, 500, 50, 1024, 2560
"""The design's budgets: recall at least, the others at most."""


@dataclass(frozen=True, slots=True)
class Plan:
    sizes: tuple[int, ...]
    questions: int
    embedded: int
    """Texts that are embedded to see how quick that is."""
    seconds: float
    """For which many clients ask."""
    owners: tuple[int, ...]
    """Of vaults that are read from the first file to the last."""


FULL = Plan(sizes=(10_000, 100_000, 1_000_000), questions=200, embedded=2_000, seconds=30, owners=(1_000, 10_000))
QUICK = Plan(sizes=(2_000, 10_000), questions=50, embedded=400, seconds=5, owners=(50, 200))


@dataclass(frozen=True, slots=True)
class Searched:
    """By one process: milliseconds of processor time of each search for each of `WHO`, and what vectors found."""

    first: float
    first_wall: float
    mebibytes: float
    times: dict[str, list[float]]
    found: dict[str, list[list[int]]]


@dataclass(frozen=True, slots=True)
class Size:
    n: int
    rate: float
    bytes_each: float
    log: float
    """Of the write-ahead log against the database, when all was stored."""
    recall: dict[str, float]
    searched: Searched


def measure(plan: Plan, data: Path, work: Path, progress: Progress) -> list[Size]:
    embedder = make_embedder(load().embedding)
    bar = progress.add_task("scale: embedding sentences (kept for the next run)", total=plan.sizes[-1])
    made = sentences.make(
        data, work / "scale" / embedder.name, embedder, plan.sizes[-1], lambda n: progress.advance(bar, n)
    )
    asked = sentences.questions(data, plan.questions)
    queries = embedder.encode(asked)
    model = (embedder.name, embedder.dimension)
    embedder.close()
    found = []
    for n in plan.sizes:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-", dir=work) as folder:
            found.append(_at_size(Path(folder), made, n, model, (asked, queries), progress))
    return found


def _at_size(
    root: Path,
    made: tuple[list[str], sentences.Vectors],
    n: int,
    model: tuple[str, int],
    questions: tuple[list[str], NDArray[np.float32]],
    progress: Progress,
) -> Size:
    texts, vectors = made[0][:n], made[1][:n]
    bar = progress.add_task(f"scale: storing {n:,} memories", total=n)
    engine = open_engine(load(memory=MemorySection(root=root)))
    try:
        engine.index.upkeep.use_model(*model)
        units: list[int] = []
        took = spent(lambda: units.extend(fill(engine.index, texts, vectors, lambda done: progress.advance(bar, done))))
        while engine.index.upkeep.tidy():
            pass
        sizes = {path.name: path.stat().st_size for path in (root / ".everlore").glob("index.db*")}
    finally:
        engine.close()
    stored = sum(path.stat().st_size for path in (root / ".everlore").glob("index.db*"))
    progress.add_task(f"scale: searching {n:,} memories", total=1)
    searched = _in_a_process(root, model, questions)
    exact = {name: _misses(searched.found[name], units, vectors, who, questions[1]) for name, who in WHO.items()}
    log = sizes.get("index.db-wal", 0) / sizes["index.db"]
    return Size(n, n / took.cpu * 1000, stored / n, log, exact, searched)


def fill(
    index: Index, texts: Sequence[str], vectors: sentences.Vectors, advance: Callable[[int], None]
) -> Iterator[int]:
    """Through the store's own calls; gives the unit of each vector."""
    for start in range(0, len(texts), FILE):
        rows = [_row(at, texts[at], len(texts)) for at in range(start, min(start + FILE, len(texts)))]
        index.files.replace(f"bench/{start}.md", Stamp(start, 1), rows)
        waiting = [piece.unit for piece in index.upkeep.unembedded(2 * FILE)]
        if len(waiting) != len(rows):
            raise RuntimeError(f"{len(rows)} memories were stored, but {len(waiting)} pieces want a vector")
        index.upkeep.put_vectors(waiting, vectors[start : start + FILE].astype(np.float32))
        yield from waiting
        advance(len(rows))


def owner_of(at: int, n: int) -> Owner:
    return BIG if at < n // 2 else Owner(SCOPE, "user", f"owner{(at - n // 2) // ORDINARY}")


def _row(at: int, text: str, n: int) -> IndexRow:
    moment = START + 60_000 * at
    content = episodes.render_turns("", [episodes.Turn("Ada", "12:00", text)])
    told = (f"ep_{at}", f"session-{at}", moment, f"mc_{at:012x}", ("ada",), text, text, content)
    return episodes.to_row(episodes.Episode(owner_of(at, n), *told), moment)


def _misses(
    found: Sequence[Sequence[int]],
    units: Sequence[int],
    vectors: sentences.Vectors,
    who: Owner | None,
    queries: NDArray[np.float32],
) -> float:
    """The share of the exact first ten that was found; whatever is as near as the tenth counts."""
    n, place = len(units), {unit: at for at, unit in enumerate(units)}
    span = slice(0, n) if who is None else slice(0, n // 2) if who is BIG else slice(n // 2, n // 2 + ORDINARY)
    nearest = np.full((len(queries), TOP_K), -np.inf, np.float32)
    for start in range(span.start, span.stop, 50_000):
        rows = unit_rows(vectors[start : min(start + 50_000, span.stop)].tobytes(), vectors.shape[1])
        nearest = -np.partition(-np.hstack([nearest, queries @ rows.T]), TOP_K - 1, axis=1)[:, :TOP_K]
    hits = 0
    for query, best, some in zip(queries, nearest, found, strict=True):
        rows = unit_rows(vectors[[place[unit] for unit in some]].tobytes(), vectors.shape[1])
        hits += min(TOP_K, int((rows @ query >= best.min() - 1e-5).sum()))
    return hits / (TOP_K * len(queries))


def _in_a_process(root: Path, model: tuple[str, int], questions: tuple[list[str], NDArray[np.float32]]) -> Searched:
    np.save(root / "questions.npy", questions[1])
    told = json.dumps([str(root), *model, questions[0]])
    command = [sys.executable, "-c", "from bench import scale; scale.search()"]
    done = subprocess.run(command, input=told, stdout=subprocess.PIPE, text=True, check=True)
    return Searched(**json.loads(done.stdout.splitlines()[-1]))


def search() -> None:
    """What the process of its own does: questions from its input, figures to its output."""
    root, name, dimension, asked = json.loads(sys.stdin.read())
    known = dict(zip(asked, np.load(Path(root) / "questions.npy"), strict=True))
    opened = open_engine(load(memory=MemorySection(root=Path(root))))
    engine = replace(opened, embedder=FixedEmbedder(name, dimension, known))
    engine.index.upkeep.use_model(name, dimension)
    first = spent(lambda: _ask(engine, asked[0], None))
    times, found = {}, {}
    for who, owner in WHO.items():
        times[who] = [spent(partial(_ask, engine, one, owner)).cpu for one in asked]
        where = Where(owner, ("episode",))
        questions = [Asked(where, vector=known[one], limit=TOP_K) for one in asked]
        found[who] = [[hit.unit for hit in engine.index.search.candidates(one).by_meaning] for one in questions]
    opened.close()
    print(json.dumps(asdict(Searched(first.cpu, first.wall, _peak(), times, found))))


def _peak() -> float:
    """The most memory this process has held, in MB; not what the one that started it held, as `getrusage` says."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), math.nan)


def _ask(engine: Engine, question: str, owner: Owner | None) -> None:
    if owner is None:
        recall(engine, Query(None, question, TOP_K, scope=SCOPE), RECALL)
    else:
        recall(engine, Query(owner, question, TOP_K), HYBRID)


def table(found: Sequence[Size], heading: str) -> str:
    columns = " | ".join(f"{one.n:,}" for one in found)
    made = (
        f"Sentences as `bench/README.md` tells; {sentences.EMBEDDED:,} of them embedded, the vectors of others moved."
    )
    lines = [
        "## Scale",
        "",
        heading,
        "",
        made,
        "",
        f"| memories | {columns} | budget |",
        f"|---|{'--:|' * (len(found) + 1)}",
    ]

    def add(name: str, cells: Sequence[str], budget: str = "") -> None:
        lines.append(f"| {name} | {' | '.join(cells)} | {budget} |")

    for who in WHO:
        add(f"vector recall@10 of exact, {who}", [f"{one.recall[who]:.3f}" for one in found], f">= {GOAL}")
    for who in WHO:
        for share, budget in ((0.5, ""), (0.95, f"< {P95_MS} ms")):
            values = [percentile(one.searched.times[who], share) for one in found]
            name = f"hybrid search, {who}, p{share * 100:.0f} of processor time"
            add(name, [f"{value:,.1f} ms" for value in values], budget)
            ratios = [later / before for before, later in pairwise(values)]
            add(f"{name}: times the size before", ["", *(f"{ratio:.2f}" for ratio in ratios)], "< 10")
    add("first search after a start, processor", [f"{one.searched.first:,.0f} ms" for one in found], f"< {FIRST_MS} ms")
    add("first search after a start, on the clock", [f"{one.searched.first_wall:,.0f} ms" for one in found])
    add("memory of the process", [f"{one.searched.mebibytes:,.0f} MB" for one in found], f"< {RSS_MB} MB")
    add("index for each memory", [f"{one.bytes_each:,.0f} bytes" for one in found], f"< {BYTES} bytes")
    add("write-ahead log against the database", [f"{one.log:.2f}" for one in found], "< 1")
    add("stored in a second of processor time", [f"{one.rate:,.0f}" for one in found])
    return "\n".join(lines) + "\n"

"""How long things take at 1,000, 10,000 and 100,000 memories, in ms and against a peer in the same run.

Everything but the bulk of the vectors is real: files, locks, SQLite, the embedder. Peer and subject take turns, so
that a busy machine slows both alike.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.progress import Progress

from bench.peers import BruteForce, PlainText, Spent, append, percentile, spent
from bench.synthetic import BIG, SCOPE, START, Corpus, Filled, Vectors, fill, make_centres, make_corpus
from bench.timing import NONE, Budget, Timing
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.errors import Unavailable
from everlore.kinds.episode import turn_units
from everlore.memory import NewMessage, flush, remember, save_note
from everlore.models.base import OFFLINE, Embedder, State
from everlore.models.choose import make_embedder
from everlore.search import METHODS, Query, recall
from everlore.search.recipes import RECALL, Method
from everlore.sync.embedding import embed_pending
from everlore.sync.upkeep import index_changes
from everlore.types import Owner, Where

TOP_K = 10
SAVED = "I moved the weekly planning call with Ada to Thursday because the office in Lisbon closes early."
SESSION_TURNS = 20
DAY = 24 * 60 * 60 * 1000
CLIENTS = 2
AGAIN = "the same, query embedded before"
MANY = 50
SEARCH = Budget(p50=10, spread=2)
PASSES = 3
"""Searches are measured so often, with other questions each time, and the quickest pass counts: on a shared machine
the others' work comes and goes."""
BLOCK = 10
"""Calls of the subject, then as many of the peer: apart enough that the one does not empty the processor's caches for
the other, near enough that a busy machine slows both."""


class FixedEmbedder(Embedder):
    """Knows some vectors by heart, so that a search can be timed without the model; without any it is not ready."""

    name = ""
    dimension = 0
    unrelated = OFFLINE

    def __init__(self, name: str, dimension: int, known: dict[str, Vectors] | None = None) -> None:
        super().__init__()
        self.name = name
        self.dimension = dimension
        self._known = known or {}

    def state(self) -> State:
        return "ready" if self._known else "loading"

    def warm(self) -> None:
        """There is nothing to load."""

    def _encode(self, texts: Sequence[str], *, patient: bool) -> Vectors:  # noqa: ARG002
        try:
            return np.stack([self._known[text] for text in texts])
        except KeyError as error:
            raise Unavailable("this text was not embedded beforehand") from error


@dataclass(frozen=True, slots=True)
class Plan:
    sizes: tuple[int, ...]
    queries: int
    saves: int
    ingested: int


FULL = Plan(sizes=(1_000, 10_000, 100_000), queries=100, saves=40, ingested=1_200)
QUICK = Plan(sizes=(1_000, 10_000), queries=30, saves=10, ingested=100)


def measure(plan: Plan, progress: Progress) -> list[Timing]:
    settings = load()
    embedder = make_embedder(settings.embedding)
    corpus = make_corpus(settings.embedding.cache_dir)
    centres = make_centres(corpus, embedder)
    found: list[Timing] = []
    for n in plan.sizes:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            root = Path(folder)
            engine = open_engine(load(memory=MemorySection(root=root / "vault")))
            try:
                found += _at_size(engine, corpus, centres, n, plan, root, progress)
            finally:
                engine.close()
    found += _throughput(corpus, plan, progress)
    embedder.close()
    return found


def _at_size(
    engine: Engine, corpus: Corpus, centres: Vectors, n: int, plan: Plan, root: Path, progress: Progress
) -> list[Timing]:
    bar = progress.add_task(f"speed: storing 2 x {n:,} memories", total=2 * n)
    engine.index.upkeep.use_model(engine.embedder.name, engine.embedder.dimension)
    filled = fill(engine.index, corpus, centres, n, lambda turns: progress.advance(bar, turns))
    while engine.index.upkeep.tidy():  # as the worker does when a server is idle; the peer's table is merged, too
        pass
    ordinary = _ordinary(filled)
    text, vectors = PlainText(root / "plain.db", filled), BruteForce(filled.vectors, filled.big)
    random = np.random.default_rng(7)
    queries = list(dict.fromkeys(corpus.query(random) for _ in range(PASSES * plan.queries)))
    plain = make_embedder(engine.settings.embedding)
    known = dict(zip(queries, plain.encode(queries), strict=True))
    still = replace(engine, embedder=FixedEmbedder(engine.embedder.name, engine.embedder.dimension, known))
    bar = progress.add_task(f"speed: searching {n:,} memories", total=9)
    found: list[Timing] = []

    def compare(
        name: str,
        subject: Callable[[str], object],
        peer_name: str,
        peer: Callable[[str], object],
        budget: Budget = NONE,
    ) -> None:
        found.append(compare_with(name, n, queries, subject, peer_name, peer, budget, passes=PASSES))
        progress.advance(bar)

    def both(query: str) -> None:
        text.one_owner(query)
        vectors.one_owner(known[query])

    def all_of_it(query: str) -> None:
        plain.encode([query])
        both(query)

    first = spent(lambda: _search(still, queries[0], "hybrid"))
    found.append(Timing("first search after a start", n, first.wall, first.wall, first.cpu, "later ones", math.nan))
    everything = "an owner of all"
    compare(
        f"hybrid, {everything}", lambda q: _search(engine, q, "hybrid"), "embedder + FTS5 + numpy", all_of_it, SEARCH
    )
    compare(AGAIN, lambda q: _search(still, q, "hybrid"), "FTS5 + numpy", both)
    compare(f"keyword, {everything}", lambda q: _search(still, q, "keyword"), "FTS5 bm25()", text.one_owner)
    compare(
        f"vector, {everything}",
        lambda q: _search(still, q, "vector"),
        "numpy dot",
        lambda q: vectors.one_owner(known[q]),
    )
    compare(f"agentic, {everything}, embedded before", lambda q: _search(still, q, "agentic"), "FTS5 + numpy", both)
    compare(
        "hybrid, one owner of 1,000",
        lambda q: _search(engine, q, "hybrid", ordinary),
        "embedder + FTS5 + numpy",
        all_of_it,
        SEARCH,
    )
    compare(AGAIN, lambda q: _search(still, q, "hybrid", ordinary), "FTS5 + numpy", both, Budget(p50=5))

    def dated(query: str) -> None:  # every second one, more or less
        asked = query if len(query) % 2 else f"{query} in {datetime.fromtimestamp(START / 1000, UTC):%B %Y}"
        recall(still, Query(BIG, asked, TOP_K, vector=known[query]))

    compare("hybrid, with and without a time", dated, "FTS5 + numpy", both, Budget(spread=2))

    def everyone(query: str) -> None:
        recall(still, Query(None, query, TOP_K, scope=SCOPE), RECALL)

    def plain_everyone(query: str) -> None:
        text.everyone(query)
        vectors.everyone(known[query])

    everyone(queries[0])
    compare("recall, all owners (2n), embedded before", everyone, "FTS5 + numpy", plain_everyone, Budget(p95=40))
    text.close()
    found[0] = replace(found[0], peer_p50=found[2].p50, peer_cpu=found[2].cpu)
    return found + _saves(engine, plan, n, root, progress)


def compare_with(
    name: str,
    n: int,
    inputs: Sequence[str],
    subject: Callable[[str], object],
    peer_name: str,
    peer: Callable[[str], object],
    budget: Budget = NONE,
    *,
    passes: int = 1,
) -> Timing:
    """The quickest of the passes, each with its own part of the inputs, so that none profits from the one before."""
    size = -(-len(inputs) // passes)
    tried = [_pass(inputs[start : start + size], subject, peer) for start in range(0, len(inputs), size)]
    mine, theirs = min(tried, key=lambda one: percentile([call.wall for call in one[0]], 0.5))
    middle, high = (percentile([one.wall for one in mine], share) for share in (0.5, 0.95))
    cpu, cpu_high = (percentile([one.cpu for one in mine], share) for share in (0.5, 0.95))
    return Timing(
        name=name,
        n=n,
        p50=middle,
        p95=high,
        cpu=cpu,
        peer=peer_name,
        peer_p50=percentile([one.wall for one in theirs], 0.5),
        peer_cpu=percentile([one.cpu for one in theirs], 0.5),
        budget=str(budget),
        holds=budget.kept(middle, high) if budget else None,
        cpu_p95=cpu_high,
        holds_by_cpu=budget.kept(cpu, cpu_high) if budget else None,
    )


def _pass(
    inputs: Sequence[str], subject: Callable[[str], object], peer: Callable[[str], object]
) -> tuple[list[Spent], list[Spent]]:
    mine: list[Spent] = []
    theirs: list[Spent] = []
    for start in range(0, len(inputs), BLOCK):
        block = inputs[start : start + BLOCK]
        mine += [spent(lambda one=one: subject(one)) for one in block]  # type: ignore[misc]
        theirs += [spent(lambda one=one: peer(one)) for one in block]  # type: ignore[misc]
    return mine, theirs


def _search(engine: Engine, query: str, method: Method, owner: Owner = BIG) -> None:
    # a search that finds nothing is quick and says nothing about speed
    if not recall(engine, Query(owner, query, TOP_K), METHODS[method]).hits["episode"] and method != "keyword":
        raise RuntimeError(f"a {method} search of {owner.id} found nothing, so its time would mean nothing")


def _ordinary(filled: Filled) -> Owner:
    """Half of the thousand owners' memories belong to owners that are as large as this one or larger."""
    sizes = Counter(filled.owners[filled.big :])
    by_size = sorted(sizes, key=lambda owner: (-sizes[owner], owner))
    reached = np.cumsum([sizes[owner] for owner in by_size])
    return Owner(SCOPE, "user", by_size[int(np.searchsorted(reached, reached[-1] / 2))])


def _saves(engine: Engine, plan: Plan, n: int, root: Path, progress: Progress) -> list[Timing]:
    bar = progress.add_task(f"speed: saving into {n:,} memories", total=5)
    floor = append(root / "append.log")
    body = json.dumps({"sender_id": BIG.id, "role": "user", "timestamp": START, "content": SAVED}) + "\n"
    silent = replace(engine, embedder=FixedEmbedder(engine.embedder.name, engine.embedder.dimension))
    engine.embedder.encode(["warm"])

    def accept(session: str) -> None:
        remember(silent, SCOPE, session, [_message(SAVED, 0)])

    def accept_many(session: str) -> None:
        remember(silent, SCOPE, session, [_message(f"{SAVED} {number}", number) for number in range(MANY)])

    def save(session: str) -> None:
        save_note(silent, BIG, f"{SAVED} {session}")

    def write(parts: Engine, session: str) -> None:
        remember(parts, SCOPE, session, [_message(f"{SAVED} It is note {session}.", 0)])
        flush(parts, SCOPE, session)

    steps: list[tuple[str, Callable[[str], object], Budget]] = [
        ("message accepted", accept, Budget(p50=10)),
        (f"{MANY} messages accepted at once", accept_many, Budget(p50=10)),
        ("note saved, in its file and indexed", save, Budget(p50=5)),
        ("session told, flushed and indexed", lambda session: write(silent, session), NONE),
        ("the same and embedded", lambda session: write(engine, session), NONE),
    ]
    found = []
    for at, (name, step, budget) in enumerate(steps):
        sessions = [f"save-{at}-{number}" for number in range(plan.saves)]
        found.append(
            compare_with(name, n, sessions, step, "append and fsync of the same bytes", lambda _: floor(body), budget)
        )
        progress.advance(bar)
    return found


def _message(text: str, number: int, at: int = START) -> NewMessage:
    return NewMessage(BIG.id, "user", at + 20_000 * number, text, "Ada")


def _throughput(corpus: Corpus, plan: Plan, progress: Progress) -> list[Timing]:
    """Sessions told by several clients until all is indexed and embedded; the files that come of it, put into another
    vault and indexed there; and the bare embedder on the same texts.

    They take turns with the same block of sessions, which is a day's. The first block is not counted: it fills the
    caches of all.
    """
    random = np.random.default_rng(3)
    blocks = max(2, plan.ingested // (SESSION_TURNS * BLOCK))
    bar = progress.add_task("speed: ingest", total=blocks)
    told: list[Spent] = []
    indexed: list[Spent] = []
    embedded: list[Spent] = []
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder, ThreadPoolExecutor(CLIENTS) as clients:
        teller, reader = (open_engine(load(memory=MemorySection(root=Path(folder) / name))) for name in ("a", "b"))
        plain = make_embedder(teller.settings.embedding)
        for block in range(blocks):
            at = START + block * DAY
            sessions = {
                f"session-{block}-{number}": [corpus.turn(random, number) for _ in range(SESSION_TURNS)]
                for number in range(BLOCK)
            }
            texts = [turn_units(0, "Ada", at, text)[0].dense for session in sessions.values() for text in session]
            told.append(spent(lambda: _ingest(teller, clients, sessions, at)))  # noqa: B023
            for path in {path for path, _, _ in teller.vault.walk()} - {path for path, _, _ in reader.vault.walk()}:
                if (raw := teller.vault.raw(path)) is not None:
                    reader.vault.put(path, raw)
            indexed.append(spent(lambda: _index(reader)))
            embedded.append(spent(lambda: plain.encode(texts)))  # noqa: B023
            progress.advance(bar)
        for engine in (teller, reader):
            if engine.index.upkeep.status().unembedded:
                raise RuntimeError("something was left without a vector, so the times would mean nothing")
        found = (
            teller.index.rows.count(Where(BIG, ("episode", "fact"))),
            reader.index.rows.count(Where(BIG, ("episode", "fact"))),
        )
        if found[0] != found[1]:
            raise RuntimeError(f"{found[0]} memories were told and {found[1]} indexed, so the times would mean nothing")
        plain.close()
        teller.close()
        reader.close()
    return [
        _share("told, extracted and indexed", told[1:], embedded[1:], 0.85),
        _share("indexed", indexed[1:], embedded[1:], 0.9),
    ]


def _share(what: str, mine: Sequence[Spent], theirs: Sequence[Spent], least: float | None = None) -> Timing:
    by_clock = sum(one.wall for one in theirs) / sum(one.wall for one in mine)
    by_cpu = sum(one.cpu for one in theirs) / sum(one.cpu for one in mine)
    turns = SESSION_TURNS * BLOCK
    return Timing(
        name=f"{turns} turns {what}: {by_clock:.0%} of the embedder's speed ({by_cpu:.0%} by cpu)",
        n=turns * len(mine),
        p50=percentile([one.wall for one in mine], 0.5),
        p95=percentile([one.wall for one in mine], 0.95),
        cpu=percentile([one.cpu for one in mine], 0.5),
        peer="embedder alone",
        peer_p50=percentile([one.wall for one in theirs], 0.5),
        peer_cpu=percentile([one.cpu for one in theirs], 0.5),
        budget="" if least is None else f"> {least:.0%}",
        # the embedder is part of the work, so a share above 1 means that the machine was too busy to tell
        holds=None if least is None or by_clock > 1 else by_clock > least,
    )


def _ingest(engine: Engine, clients: ThreadPoolExecutor, sessions: dict[str, list[str]], at: int) -> None:
    def tell(session: str) -> None:
        said = [_message(text, number, at) for number, text in enumerate(sessions[session])]
        remember(engine, SCOPE, session, said)
        flush(engine, SCOPE, session)

    list(clients.map(tell, sessions))
    _embed(engine)


def _index(engine: Engine) -> None:
    index_changes(engine)
    _embed(engine)


def _embed(engine: Engine) -> None:
    while embed_pending(engine, 1000):
        pass

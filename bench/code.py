"""Code search: how well questions find functions (CoSQA), and how quick a source tree is read.

The floor is Okapi BM25 with its usual constants over identifiers and their parts, computed in the same run. Embeddings
are kept between runs, since they depend on the text alone.
"""

from __future__ import annotations

import json
import lzma
import math
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from everlore.code import code_hits, open_code, status_of
from everlore.code.chunks import cut
from everlore.code.indexing import Counts, bring_up_to_date
from everlore.code.rows import dense_text
from everlore.code.walk import LARGEST, find, read
from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.models.choose import make_embedder
from everlore.stores.sqlite.index import open_index
from everlore.stores.tokens import query_terms, tokens

DEPTH = 50
"""Results that are looked at: as many as the tool gives at most."""
EMBEDDED = 64
"""Chunks of the source tree whose embedding is timed."""


@dataclass(frozen=True, slots=True)
class Finding:
    method: str
    mrr: float
    recall: float
    """Share of the questions whose function is among the first ten."""
    p50: float = 0.0
    p95: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    files: int
    chunks: int
    megabytes: float
    seconds: float
    again: float
    """Seconds of a second pass in which nothing has changed."""
    growth: float
    """Megabytes by which the peak of the process grew."""
    embedded: float
    """Chunks embedded in a second."""


@dataclass(frozen=True, slots=True)
class CodeFigures:
    functions: int
    questions: int
    findings: list[Finding]
    reading: Reading


def measure(folder: Path, work: Path, progress: Progress, *, quick: bool) -> CodeFigures:
    reading = _reading(progress, quick=quick)
    codes, questions = _cosqa(folder, quick=quick)
    findings = [_floor(codes, questions), _everlore(codes, questions, work / "cosqa", progress)]
    return CodeFigures(len(codes), len(questions), findings, reading)


def _cosqa(folder: Path, *, quick: bool) -> tuple[dict[int, str], list[tuple[str, int]]]:
    with lzma.open(folder / "cosqa" / "functions.json.xz", "rt", encoding="utf-8") as file:
        functions = {number: text for text, number in json.load(file).items()}
    asked = json.loads((folder / "cosqa" / "queries-dev.json").read_text(encoding="utf-8"))
    questions = [(one["query"], int(one["gold"])) for one in asked]
    if quick:
        questions = questions[:40]
        wanted = {gold for _, gold in questions}
        functions = {n: text for n, text in functions.items() if n in wanted or n % 20 == 0}
    return functions, questions


def _everlore(codes: dict[int, str], questions: Sequence[tuple[str, int]], root: Path, progress: Progress) -> Finding:
    sources = root / "functions"
    sources.mkdir(parents=True, exist_ok=True)
    wanted = {f"f{number}.py": text for number, text in codes.items()}
    for path in sources.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (sources / name).write_text(text, encoding="utf-8")
    engine = open_engine(load(memory={"root": root / "vault"}))
    try:
        _index(engine, sources, progress)
        ranks: list[int | None] = []
        seconds: list[float] = []
        task = progress.add_task("cosqa: questions", total=len(questions))
        for query, gold in questions:
            begin = time.perf_counter()
            hits = code_hits(engine, query, "functions", limit=DEPTH)
            seconds.append(time.perf_counter() - begin)
            files = list(dict.fromkeys(hit.file_path for hit in hits))
            ranks.append(files.index(f"f{gold}.py") + 1 if f"f{gold}.py" in files else None)
            progress.advance(task)
    finally:
        engine.close()
    ordered = sorted(seconds)
    return _finding("search_code", ranks, statistics.median(seconds), ordered[int(0.95 * len(ordered))])


def _index(engine: Engine, sources: Path, progress: Progress) -> None:
    code = engine.part(open_code)
    project, _ = code.add(str(sources), watch=False)
    task = progress.add_task("cosqa: indexing", total=100)
    while True:
        status = status_of(code, project.id, engine.clock.now())
        progress.update(task, completed=status.percent)
        if status.state == "failed":
            sys.exit(f"code: indexing failed: {status.project.error}")
        if status.state == "completed":
            return
        time.sleep(0.2)


def _floor(codes: dict[int, str], questions: Sequence[tuple[str, int]], k1: float = 1.2, b: float = 0.75) -> Finding:
    numbers = list(codes)
    counts = [Counter(tokens(codes[number])) for number in numbers]
    lengths = [sum(count.values()) for count in counts]
    mean = statistics.fmean(lengths)
    holding = Counter(term for count in counts for term in count)
    ranks: list[int | None] = []
    for query, gold in questions:
        scores = [0.0] * len(numbers)
        for term in query_terms(query):
            idf = math.log1p((len(numbers) - holding[term] + 0.5) / (holding[term] + 0.5))
            for at, count in enumerate(counts):
                if found := count[term]:
                    scores[at] += idf * (k1 + 1) * found / (found + k1 * (1 - b + b * lengths[at] / mean))
        own = scores[numbers.index(gold)]
        ranks.append(sum(score > own for score in scores) + 1 if own else None)
    return _finding("BM25, identifiers split", ranks)


def _finding(method: str, ranks: Sequence[int | None], p50: float = 0.0, p95: float = 0.0) -> Finding:
    mrr = statistics.fmean(1 / rank if rank else 0.0 for rank in ranks)
    return Finding(method, mrr, statistics.fmean(rank is not None and rank <= 10 for rank in ranks), p50, p95)


def _reading(progress: Progress, *, quick: bool) -> Reading:
    """The standard library of this Python: real code of many authors, on every machine."""
    root = Path(os.__file__).parent / ("asyncio" if quick else "")
    task = progress.add_task("code: reading a source tree", total=None)
    before = _peak()
    with tempfile.TemporaryDirectory() as folder:
        index = open_index(Path(folder) / "code.db")
        counts = Counts()
        begin = time.perf_counter()
        bring_up_to_date(index, "stdlib", root, counts, lambda: True)
        seconds = time.perf_counter() - begin
        growth = _peak() - before
        begin = time.perf_counter()
        bring_up_to_date(index, "stdlib", root, Counts(), lambda: True)
        again = time.perf_counter() - begin
        index.close()
    progress.update(task, total=1, completed=1)
    size = sum(found.stamp.size for found in find(root) if found.stamp.size <= LARGEST) / 1e6
    return Reading(counts.changed, counts.created, size, seconds, again, growth, _embedding(root))


def _embedding(root: Path) -> float:
    texts: list[str] = []
    for found in find(root):
        source = read(root, found)
        if source is not None:
            texts += [dense_text(found.path, chunk) for chunk in cut(source.text, source.language, found.path)]
        if len(texts) >= 8 * EMBEDDED:
            break
    embedder = make_embedder(load().embedding)
    try:
        embedder.encode(texts[:1])
        begin = time.perf_counter()
        embedder.encode(texts[:: len(texts) // EMBEDDED])
        return len(texts[:: len(texts) // EMBEDDED]) / (time.perf_counter() - begin)
    finally:
        embedder.close()


def _peak() -> float:
    """Megabytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3

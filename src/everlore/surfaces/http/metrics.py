"""Numbers for Prometheus, in its text format. Sizes are read when they are asked for."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from everlore.engine import Engine

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

Sample = tuple[dict[str, str], float]


class Metrics:
    """What one application counts. Any thread may add to it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[tuple[str, tuple[str, ...]], list[float]] = {}
        """By name and labels: how many fell into each bucket, and last the sum."""

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        method = method if method in METHODS else "other"
        with self._lock:
            self._requests[route, method, str(status)] += 1
        self._observe(("everlore_http_request_seconds", (route, method)), seconds)

    @contextmanager
    def search_seconds(self, method: str) -> Iterator[None]:
        """Measures a search while the block runs."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._observe(("everlore_search_seconds", (method,)), time.perf_counter() - started)

    def _observe(self, series: tuple[str, tuple[str, ...]], seconds: float) -> None:
        with self._lock:
            counts = self._seconds.setdefault(series, [0.0] * (len(BUCKETS) + 2))
            counts[bisect_left(BUCKETS, seconds)] += 1
            counts[-1] += seconds

    def text(self) -> str:
        lines = [*self._sizes(), *self._spent()]
        with self._lock:
            requests = [(_labels("route method status", key), float(n)) for key, n in self._requests.items()]
            lines += _family("everlore_http_requests_total", "counter", "Requests answered.", requests)
            lines += self._histogram("everlore_http_request_seconds", "Time to answer a request.", "route method")
            lines += self._histogram("everlore_search_seconds", "Time a search takes in the engine.", "method")
        return "\n".join(lines) + "\n"

    def _histogram(self, name: str, text: str, names: str) -> Iterator[str]:
        yield from _family(name, "histogram", text, ())
        for (known, values), counts in self._seconds.items():
            if known == name:
                labels, total = _labels(names, values), 0.0
                for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts[:-1], strict=True):
                    total += count
                    yield _line(f"{name}_bucket", labels | {"le": bound}, total)
                yield _line(f"{name}_count", labels, total)
                yield _line(f"{name}_sum", labels, counts[-1])

    def _sizes(self) -> Iterator[str]:
        status = self._engine.index.status()
        rows = [({"kind": kind}, float(count)) for kind, count in status.rows.items()]
        yield from _family("everlore_index_rows", "gauge", "Memories in the index.", rows)
        for name, text, value in (
            ("everlore_index_units", "Searchable pieces of memories.", status.units),
            ("everlore_index_unembedded", "Pieces that have no vector yet.", status.unembedded),
            ("everlore_index_queued", "Files waiting to be indexed.", status.queued),
            ("everlore_index_failed", "Files that could not be indexed.", status.failed),
            ("everlore_index_problems", "Places in files that could not be read.", status.problems),
            ("everlore_messages_buffered", "Messages waiting for extraction.", self._engine.buffer.count()),
            ("everlore_model_ready", "1 when the embedding model is loaded.", self._engine.embedder.ready()),
        ):
            yield from _family(name, "gauge", text, [({}, float(value))])

    def _spent(self) -> Iterator[str]:
        """The ledger of the language models: what was asked, what came of it, what it cost."""
        questions: list[Sample] = []
        tokens: list[Sample] = []
        cost: list[Sample] = []
        for name, model in (("llm", self._engine.llm), ("multimodal", self._engine.media.model)):
            if model is not None:
                totals = model.totals()
                for (task, outcome), count in totals.outcomes.items():
                    questions.append(({"model": name, "task": task, "outcome": outcome}, count))
                for task, usage in totals.usage.items():
                    of = {"model": name, "task": task}
                    tokens.append((of | {"direction": "prompt"}, usage.prompt_tokens))
                    tokens.append((of | {"direction": "completion"}, usage.completion_tokens))
                    cost.append((of, usage.cost))
        yield from _family("everlore_llm_requests_total", "counter", "Questions asked.", questions)
        yield from _family("everlore_llm_tokens_total", "counter", "Tokens spent.", tokens)
        yield from _family("everlore_llm_cost_total", "counter", "Cost, in the currency of the prices.", cost)


def _labels(names: str, values: Iterable[str]) -> dict[str, str]:
    return dict(zip(names.split(), values, strict=True))


def _family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *(_line(name, *sample) for sample in samples)]


def _line(name: str, labels: dict[str, str], value: float) -> str:
    """With the labels in the order of their names."""
    escaped = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    inner = ",".join(f'{label}="{labels[label].translate(escaped)}"' for label in sorted(labels))
    return f"{name}{{{inner}}} {float(value)}" if inner else f"{name} {float(value)}"

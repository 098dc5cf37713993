"""Numbers for Prometheus, in its text format. Sizes are read when they are asked for."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from everlore.engine import Engine

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

Values = tuple[str, ...]
Samples = Iterable[tuple[Values, float]]
"""Of each series, the values of its labels and its number."""


class Metrics:
    """What one application counts. Any thread may add to it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[tuple[str, Values], list[float]] = {}
        """By name and labels: how many fell into each bucket, and last the sum."""

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        method = method if method in METHODS else "other"
        with self._lock:
            self._requests[route, method, str(status)] += 1
        self._observe(("everlore_http_request_seconds", (route, method)), seconds)

    def searched(self, method: str, seconds: float) -> None:
        self._observe(("everlore_search_seconds", (method,)), seconds)

    def _observe(self, series: tuple[str, Values], seconds: float) -> None:
        with self._lock:
            counts = self._seconds.setdefault(series, [0.0] * (len(BUCKETS) + 2))
            counts[bisect_left(BUCKETS, seconds)] += 1
            counts[-1] += seconds

    def text(self) -> str:
        lines = [*self._sizes(), *self._spent()]
        with self._lock:
            labels, requests = "route method status", self._requests.items()
            lines += _family("everlore_http_requests_total", "counter", "Requests answered.", labels, requests)
            lines += self._histogram("everlore_http_request_seconds", "Time to answer a request.", "route method")
            lines += self._histogram("everlore_search_seconds", "Time a search takes in the engine.", "method")
        return "\n".join(lines) + "\n"

    def _histogram(self, name: str, text: str, labels: str) -> Iterator[str]:
        yield from _family(name, "histogram", text, labels, ())
        for (known, values), counts in self._seconds.items():
            if known == name:
                for bound, count in zip((*map(str, BUCKETS), "+Inf"), accumulate(counts[:-1]), strict=True):
                    yield _line(f"{name}_bucket", f"{labels} le", (*values, bound), count)
                yield _line(f"{name}_count", labels, values, sum(counts[:-1]))
                yield _line(f"{name}_sum", labels, values, counts[-1])

    def _sizes(self) -> Iterator[str]:
        status = self._engine.index.upkeep.status()
        rows = [((kind,), count) for kind, count in status.rows.items()]
        yield from _family("everlore_index_rows", "gauge", "Memories in the index.", "kind", rows)
        for name, text, value in (
            ("everlore_index_units", "Searchable pieces of memories.", status.units),
            ("everlore_index_unembedded", "Pieces that have no vector yet.", status.unembedded),
            ("everlore_index_queued", "Files waiting to be indexed.", status.queued),
            ("everlore_index_failed", "Files that could not be indexed.", status.failed),
            ("everlore_index_problems", "Places in files that could not be read.", status.problems),
            ("everlore_messages_buffered", "Messages waiting for extraction.", self._engine.buffer.count()),
            ("everlore_model_ready", "1 when the embedding model is loaded.", self._engine.embedder.ready()),
        ):
            yield from _family(name, "gauge", text, "", [((), value)])

    def _spent(self) -> Iterator[str]:
        """The ledger of the language models: what was asked, what came of it, what it cost."""
        models = (("llm", self._engine.llm), ("multimodal", self._engine.media.model))
        totals = [(name, model.totals()) for name, model in models if model is not None]
        asked = [((name, *key), count) for name, total in totals for key, count in total.outcomes.items()]
        yield from _family("everlore_llm_requests_total", "counter", "Questions asked.", "model task outcome", asked)
        used = [((name, task), usage) for name, total in totals for task, usage in total.usage.items()]
        tokens = [((*key, "prompt"), usage.prompt_tokens) for key, usage in used]
        tokens += [((*key, "completion"), usage.completion_tokens) for key, usage in used]
        yield from _family("everlore_llm_tokens_total", "counter", "Tokens spent.", "model task direction", tokens)
        cost, text = [(key, usage.cost) for key, usage in used], "Cost, in the currency of the prices."
        yield from _family("everlore_llm_cost_total", "counter", text, "model task", cost)


def _family(name: str, kind: str, text: str, labels: str, samples: Samples) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *(_line(name, labels, *sample) for sample in samples)]


def _line(name: str, labels: str, values: Values, number: float) -> str:
    """With the labels in the order of their names."""
    escaped = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    pairs = sorted(zip(labels.split(), values, strict=True))
    inner = ",".join(f'{label}="{value.translate(escaped)}"' for label, value in pairs)
    return f"{name}{{{inner}}} {float(number)}" if inner else f"{name} {float(number)}"

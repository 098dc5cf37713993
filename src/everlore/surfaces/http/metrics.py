"""Numbers for Prometheus. Each application has a registry of its own; sizes are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from everlore.engine import Engine

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Sizes(Collector):
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def describe(self) -> list[Metric]:
        # without this, registering would collect once, on a vault that may be busy
        return []

    def collect(self) -> Iterator[Metric]:
        status = self._engine.index.status()
        rows = GaugeMetricFamily("everlore_index_rows", "Memories in the index.", labels=["kind"])
        for kind, count in status.rows.items():
            rows.add_metric([kind], count)
        yield rows
        for name, text, value in (
            ("everlore_index_units", "Searchable pieces of memories.", status.units),
            ("everlore_index_unembedded", "Pieces that have no vector yet.", status.unembedded),
            ("everlore_index_queued", "Files waiting to be indexed.", status.queued),
            ("everlore_index_failed", "Files that could not be indexed.", status.failed),
            ("everlore_index_problems", "Places in files that could not be read.", status.problems),
            ("everlore_messages_buffered", "Messages waiting for extraction.", self._engine.buffer.count()),
            ("everlore_model_ready", "1 when the embedding model is loaded.", int(self._engine.embedder.ready())),
        ):
            yield GaugeMetricFamily(name, text, value=value)


class Spent(Collector):
    """The ledger of the language models: what was asked, what came of it, what it cost."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        questions = CounterMetricFamily(
            "everlore_llm_requests", "Questions asked.", labels=["model", "task", "outcome"]
        )
        tokens = CounterMetricFamily("everlore_llm_tokens", "Tokens spent.", labels=["model", "task", "direction"])
        cost = CounterMetricFamily(
            "everlore_llm_cost", "Cost, in the currency of the prices.", labels=["model", "task"]
        )
        for name, model in (("llm", self._engine.llm), ("multimodal", self._engine.media.model)):
            if model is None:
                continue
            totals = model.totals()
            for (task, outcome), count in totals.outcomes.items():
                questions.add_metric([name, task, outcome], count)
            for task, usage in totals.usage.items():
                tokens.add_metric([name, task, "prompt"], usage.prompt_tokens)
                tokens.add_metric([name, task, "completion"], usage.completion_tokens)
                cost.add_metric([name, task], usage.cost)
        yield from (questions, tokens, cost)


class Metrics:
    def __init__(self, engine: Engine) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(Sizes(engine))
        self.registry.register(Spent(engine))
        self._requests = Counter(
            "everlore_http_requests", "Requests answered.", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "everlore_http_request_seconds",
            "Time to answer a request.",
            ["route", "method"],
            registry=self.registry,
            buckets=BUCKETS,
        )
        self.search_seconds = Histogram(
            "everlore_search_seconds",
            "Time a search takes in the engine.",
            ["method"],
            registry=self.registry,
            buckets=BUCKETS,
        )

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        method = method if method in METHODS else "other"
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route, method).observe(seconds)

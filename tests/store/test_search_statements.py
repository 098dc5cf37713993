"""How many statements a search sends to PostgreSQL, counted by the server itself, and that each names its tenant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest
from databases import Postgres
from embeddings import Endpoint
from logged import logging_database, statements
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says

from everlore.backends.postgres import PostgresBackend
from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.search import Query, recall
from everlore.search.recipes import METHODS, Method
from everlore.sync.upkeep import embed_all

MOST: dict[Method, int] = {"keyword": 6, "hybrid": 6, "vector": 7}
"""By vectors alone, what its words tell is asked for afterwards. An agentic search looks again and again."""


@dataclass(frozen=True)
class Asked:
    server: Postgres
    url: str
    engine: Engine

    def sent(self, question: str, method: Method) -> list[str]:
        def search() -> None:
            assert recall(self.engine, Query(ALICE, question, 5), METHODS[method]).hits["episode"]

        return statements(self.server, self.url, search)


@pytest.fixture(scope="module")
def asked(vectors: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with logging_database() as server:
        url = server.database()
        with closing(open_vault(tmp_path_factory.mktemp("searched"), vectors.url, store={"url": url})) as engine:
            for day in range(12):
                moment = MAY_28 + day * DAY
                talk = [says("My sister Maria moved to Porto and keeps a red bicycle.", at=moment)]
                talk += [says("Tom works on a paper about bees.", "tom", at=moment + 1000)]
                remember(engine, SCOPE, f"s{day}", talk)
                flush(engine, SCOPE, f"s{day}")
            embed_all(engine, lambda *_: None)
            recall(engine, Query(ALICE, "bees", 5), METHODS["hybrid"])  # the pool has a connection from here on
            yield Asked(server, url, engine)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "question", ["Where does Maria live?", "Who keeps a bicycle?", "What is Tom busy with?", "Who moved in May 2026?"]
)
def test_a_search_is_few_statements_and_each_names_its_tenant(asked: Asked, method: Method, question: str) -> None:
    sent = asked.sent(question, method)
    assert 0 < len(sent) <= MOST.get(method, 100), "\n".join(sent)
    assert [one for one in sent if not re.search(r"tenant = (?:\$|%s|ANY|')", one)] == []


def test_what_a_search_asks_again_and_again_is_planned_once(asked: Asked) -> None:
    """Also where the planner knows an owner to be small, or a list to be short."""
    for _ in range(12):
        asked.sent("Where does Maria live?", "hybrid")
    select = "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements"
    assert isinstance(asked.engine.backend, PostgresBackend)
    kept = asked.engine.backend.server.read(lambda c: c.rows(select))
    assert len(kept) >= 5
    tried = 5
    assert [one for one, _, custom in kept if "WITH" in one and custom > tried] == []
    assert sum(generic > 0 for _, generic, _ in kept) >= 5

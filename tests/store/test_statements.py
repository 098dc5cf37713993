"""How often a search goes to the database: few, whole questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from databases import Postgres, new_schema
from embeddings import Endpoint
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.postgres.statements import Connection, Cursor
from everlore.search import Query, recall
from everlore.search.recipes import METHODS, Method
from everlore.sync.upkeep import embed_all

MOST = 6


@pytest.fixture(scope="module")
def engine(database: Postgres, vectors: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    store = {"url": database.url(), "schema": new_schema()}
    with closing(open_vault(tmp_path_factory.mktemp("statements"), vectors.url, store=store)) as opened:
        for day in range(12):
            moment = MAY_28 + day * DAY
            talk = [says(f"My sister Maria moved to Porto {day} and keeps a red bicycle.", at=moment)]
            talk += [says(f"Tom works on a paper about bees {day}.", "tom", at=moment + 1000)]
            remember(opened, SCOPE, f"s{day}", talk)
            flush(opened, SCOPE, f"s{day}")
        embed_all(opened, lambda *_: None)
        yield opened


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that goes to the database, from here on."""
    found: list[str] = []
    execute, transaction = Connection.execute, Connection.transaction

    def noted(connection: Connection, query: Any, *args: Any, **named: Any) -> Cursor:
        found.append(query if isinstance(query, str) else query.decode())
        return execute(connection, query, *args, **named)

    def begun(connection: Connection, *args: Any, **named: Any) -> Any:
        found.extend(["BEGIN", "COMMIT"])
        return transaction(connection, *args, **named)

    monkeypatch.setattr(Connection, "execute", noted)
    monkeypatch.setattr(Connection, "transaction", begun)
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("question", ["Where does Maria live?", "Who keeps a bicycle?", "What is Tom busy with?"])
def test_a_search_is_few_statements_and_each_names_its_tenant(
    engine: Engine, sent: list[str], method: Method, question: str
) -> None:
    found = recall(engine, Query(ALICE, question, 5), METHODS[method])
    assert found.hits["episode"]
    if method != "agentic":  # which looks again and again
        assert 0 < len(sent) <= MOST, sent
    assert all(re.search(r"tenant = (?:%s|ANY)", statement) for statement in sent), sent


def test_a_question_about_a_time_is_no_more(engine: Engine, sent: list[str]) -> None:
    assert recall(engine, Query(ALICE, "What did Maria keep in May 2026?", 5), METHODS["hybrid"]).hits["episode"]
    assert len(sent) <= MOST + 1, sent

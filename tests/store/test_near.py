"""Search by the HNSW index, which ordinary tests are too small for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import Postgres, new_schema, opened
from stored import ALICE, BOB, alike, direction, embed, fill, row, where

from everlore.postgres.server import Server
from everlore.stores.base import Index
from everlore.stores.postgres import vectors
from everlore.stores.postgres.index import open_index
from everlore.types import Predicate, Where

COUNT = 400


@pytest.fixture(scope="module")
def server(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as made:
        yield made


@pytest.fixture(scope="module")
def index(server: Server) -> Index:
    made = open_index(server)
    made.upkeep.use_model("m", 16)
    rows = [row(f"af_{n}", f"text {n}", session="few" if n % 40 == 0 else "many") for n in range(COUNT)]
    fill(made, *rows)
    fill(made, *[row(f"b_{n}", f"text {n}", owner=BOB) for n in range(20)], path="b.md")
    embed(made, {f"text {n}": n for n in range(COUNT)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "EXACT_UP_TO", COUNT - 1)
        assert vectors.build(server)
        assert not vectors.build(server)  # it is there
    return made


@pytest.mark.parametrize(
    "within", [where(), where(None), where(filter=Predicate("session_id", "eq", "few")), where(BOB)]
)
@pytest.mark.parametrize("inside", [False, True])
def test_the_index_finds_what_an_exact_search_finds(
    index: Index, monkeypatch: pytest.MonkeyPatch, within: Where, inside: bool
) -> None:
    seen: list[int] = []
    real = vectors._near

    def counted(*args: object) -> object:
        found = real(*args)  # type: ignore[arg-type]
        seen.append(len(found))
        return found

    limit, queries = 8, range(0, 200, 20)
    exact = [alike(index, seed, within, limit) for seed in queries]
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 10)
    monkeypatch.setattr(vectors, "SHARE", 1000)
    monkeypatch.setattr(vectors, "_near", counted)
    if inside:
        with index.search.snapshot():
            near = [alike(index, seed, within, limit) for seed in queries]
    else:
        near = [alike(index, seed, within, limit) for seed in queries]
    assert seen == [limit] * len(queries)
    shared = sum(len(set(one) & set(other)) for one, other in zip(exact, near, strict=True))
    assert shared >= 0.95 * sum(map(len, exact))


def test_the_planner_takes_the_index(index: Index, server: Server) -> None:
    text = vectors.written(direction(3))
    plan = server.write(
        lambda c: [
            c.execute(
                "SET LOCAL citus.propagate_set_commands = 'local';"
                " SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off"
            ),
            c.execute(
                "EXPLAIN SELECT unit FROM vectors WHERE model = 1 ORDER BY vector::halfvec(16) <=> %s::halfvec(16)"
                " LIMIT 5",
                (text,),
            ).fetchall(),
        ][1]
    )
    assert "vectors_near_1" in str(plan)
    assert index.rows.page(where(ALICE)).total == COUNT


def test_few_vectors_have_no_index_and_many_get_one(database: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(database.url(), new_schema()) as server:
        index = open_index(server)
        index.upkeep.use_model("m", 16)
        fill(index, *[row(f"af_{n}", f"text {n}") for n in range(40)])
        embed(index, {f"text {n}": n for n in range(40)})
        assert not index.upkeep.tidy()
        monkeypatch.setattr(vectors, "EXACT_UP_TO", 30)
        monkeypatch.setattr(vectors, "_near", None)  # not called: there is no index yet
        exact = alike(index, 3, where(), 8)
        assert len(exact) == 8
        monkeypatch.setattr("everlore.stores.postgres.upkeep.TIDY_SECONDS", 0.0)
        again = open_index(server)
        assert again.upkeep.tidy()
        assert not again.upkeep.tidy()
        monkeypatch.undo()
        assert alike(again, 3, where(), 8) == exact


def test_who_comes_too_late_with_a_vector_takes_none_away(database: Postgres) -> None:
    with opened(database.url(), new_schema()) as server:
        index = open_index(server)
        index.upkeep.use_model("m", 16)
        fill(index, row("af_1", "text 1"))
        units = [one.unit for one in index.upkeep.unembedded(10)]
        for _ in range(2):  # two processes that both saw it wait
            index.upkeep.put_vectors(units, direction(1).reshape(1, -1))
        assert index.upkeep.check() == []
        assert len(alike(index, 1, where(), 5)) == 1

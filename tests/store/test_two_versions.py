"""Servers of two versions on one database: neither takes from the other what it has, in whatever order they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import Postgres
from embeddings import Endpoint
from older import FIRST, SHARED, path_of
from serving import Api, everlore, running

Started = Callable[[str | None], Api]


@pytest.fixture
def url(database: Postgres) -> str:
    return database.database()


@pytest.fixture
def settings(url: str, vectors: Endpoint) -> dict[str, str]:
    model = {"BASE_URL": vectors.url, "MODEL": "test", "DIMENSION": "64"}
    return {"EVEROS_STORE__URL": url, "DATABASE_URL": url} | {f"EVEROS_EMBEDDING__{k}": v for k, v in model.items()}


@pytest.fixture
def started(tmp_path: Path, settings: dict[str, str]) -> Iterator[Started]:
    """Starts a server of a commit, or of this state; all speak for one app."""
    with ExitStack() as servers:

        def start(commit: str | None) -> Api:
            env = settings | (path_of(commit, tmp_path / commit) if commit else {})
            server = servers.enter_context(running(tmp_path / f"root-{commit}", env))
            return Api(server.client, server.root, app_id="app")

        yield start


def found(api: Api, text: str, times: int = 1) -> None:
    """This many episodes hold the text, as soon as the index has followed."""

    def enough(data: dict[str, Any]) -> bool:
        return sum(text in one["episode"] for one in data["episodes"]) == times

    api.until("get", enough, user_id="alice", memory_type="episode", page_size=100)


def kept(url: str) -> dict[str, int]:
    """How many rows each table has, but for those that come and go."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname LIKE 'everlore%'"
            " AND tablename NOT IN ('versions', 'queue', 'waiting')"
        ).fetchall()
        read = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone() for (name,) in tables}
    return {name: row[0] for name, row in read.items() if row}


def less(url: str, before: dict[str, int]) -> dict[str, int]:
    """The tables that lost something, or are gone."""
    now = kept(url)
    return {name: count for name, count in before.items() if now.get(name, -1) < count}


@pytest.mark.parametrize("older", [FIRST, SHARED])
def test_an_older_server_goes_on_beside_a_newer_one(started: Started, url: str, older: str) -> None:
    old = started(older)
    old.tell("s1", "My sister Maria moved to Porto.")
    found(old, "Porto")
    before = kept(url)
    new = started(None)
    found(new, "Porto")
    assert less(url, before) == {}
    new.tell("s2", "My brother Paulo lives in Lisbon.")
    found(new, "Lisbon")
    found(old, "Lisbon")
    old.tell("s3", "My aunt Rosa works in Braga.")
    found(old, "Braga")
    found(new, "Braga")
    for api in (old, new):
        for place in ("Porto", "Lisbon", "Braga"):
            found(api, place)


@pytest.mark.parametrize("older", [FIRST, SHARED])
def test_an_older_server_is_refused_by_what_is_canonical_and_changes_nothing(
    started: Started, url: str, settings: dict[str, str], tmp_path: Path, older: str
) -> None:
    new = started(None)
    new.tell("s1", "My sister Maria moved to Porto.")
    found(new, "Porto")
    before = kept(url)
    said = everlore("doctor", root=tmp_path / "old", env=settings | path_of(older, tmp_path / older))
    assert said.returncode != 0
    assert "newer Everlore" in said.stderr + said.stdout
    assert less(url, before) == {}
    found(new, "Porto")

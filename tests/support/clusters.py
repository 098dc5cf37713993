"""A real Citus cluster for tests, where one is named; else they run on one PostgreSQL, or say what they did not test.

`EVERLORE_TEST_CITUS_URL` is the URL of a coordinator for an administrator; the database it names knows the workers.
Nothing is done in that database: a run makes databases of its own on all nodes, and drops them when it ends. Schemas
made through here are distributed before anything is in them, as an operator does once.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from bench.servers import Postgres

CITUS = os.environ.get("EVERLORE_TEST_CITUS_URL", "")
SHARDS = 4
"""Of each table: enough that owners lie apart, and few, since each is a table that a test has to wait for."""

needs_citus = pytest.mark.skipif(
    not CITUS, reason="NOT TESTED: no Citus cluster; set EVERLORE_TEST_CITUS_URL to the URL of its coordinator"
)

one_database = pytest.mark.skipif(bool(CITUS), reason="about a PostgreSQL that is no cluster, or asks for a password")


@dataclass(frozen=True)
class Cluster(Postgres):
    host: str
    own: str
    """The database that all tests of this run share, each in a schema of its own."""
    workers: tuple[tuple[str, int], ...]
    made: set[str] = field(default_factory=set)

    def url(self, database: str = "", user: str = "everlore") -> str:
        return self.at(self.host, self.port, database or self.own, user)

    def at(self, host: str, port: int, database: str, user: str = "everlore") -> str:
        return f"postgresql://{user}:{self.password}@{host}:{port}/{database}"

    def database(self, *, distributed: bool = True) -> str:
        name = f"d_{uuid.uuid4().hex[:12]}"
        self.make(name)
        if distributed:
            spread(self.url(name), "everlore")
        return self.url(name)

    def make(self, name: str) -> None:
        self.made.add(name)
        for host, port in ((self.host, self.port), *self.workers):
            with psycopg.connect(self.at(host, port, "postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            with psycopg.connect(self.at(host, port, name), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION citus; CREATE EXTENSION vector SCHEMA public")
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} SET citus.shard_count = {SHARDS}".encode())
            connection.execute("SELECT citus_set_coordinator_host(%s, %s)", (self.host, self.port))
            for worker in self.workers:
                connection.execute("SELECT citus_add_node(%s, %s)", worker)

    def drop(self, name: str) -> None:
        self.made.discard(name)
        for host, port in ((self.host, self.port), *self.workers):
            with psycopg.connect(self.at(host, port, "postgres"), autocommit=True) as connection:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


_running: list[Cluster] = []


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    known = conninfo_to_dict(CITUS)
    with psycopg.connect(CITUS) as connection:
        nodes = connection.execute(
            "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 AND noderole = 'primary' ORDER BY 2"
        ).fetchall()
    process = cast("subprocess.Popen[bytes]", None)  # it is not ours to stop
    at = (int(known.get("port") or 5432), str(known.get("password") or "none"), process, str(known["host"]))
    made = Cluster(*at, f"t_{uuid.uuid4().hex[:12]}", tuple((str(host), int(port)) for host, port in nodes))
    made.make(made.own)
    _running.append(made)
    try:
        yield made
    finally:
        _running.remove(made)
        for name in sorted(made.made):
            made.drop(name)


def distributed(schema: str) -> str:
    """The schema, made and distributed in the database that tests share, if that is on a cluster."""
    for one in _running:
        spread(one.url(), schema)
    return schema


def spread(url: str, schema: str) -> None:
    """As if `everlore store distribute` had been called before there was anything."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f'CREATE SCHEMA "{schema}"; CREATE TABLE "{schema}".versions(part text COLLATE "C" PRIMARY KEY,'
            f" version int NOT NULL); INSERT INTO \"{schema}\".versions VALUES('distributed', 1)".encode()
        )

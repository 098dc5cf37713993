"""A Citus cluster against the same PostgreSQL without it: the same memories, the same questions, by turns, in one run.

Both lie in one database, which `EVERLORE_TEST_CITUS_URL` names: in one schema the tables are as on any PostgreSQL, in
the other they are distributed. So the version, the settings and the disk are the same, and what differs is Citus.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import psycopg
from rich.progress import Progress

from bench.stores import Line, Plan, ask, compare, open_on, rows
from everlore.config import StoreSection

FULL = Plan(size=10_000, queries=100, saves=60)
QUICK = Plan(size=1_000, queries=40, saves=20)
SCHEMAS = ("bench_plain", "bench_spread")


def measure(url: str, plan: Plan, progress: Progress) -> tuple[int, list[Line]]:
    asked = ask(plan)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="everlore-bench-")))
        _drop(url)
        stack.callback(_drop, url)
        stores = [StoreSection.model_validate({"url": url, "schema": schema}) for schema in SCHEMAS]
        engines = [open_on(stack, root / store.namespace, store, asked) for store in stores]
        engines[1].backend.distribute()
        filled, lines = compare(engines, asked, plan, progress)
    return filled.rows, lines


def _drop(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        select = "SELECT nspname FROM pg_namespace WHERE nspname ~ %s"
        for (name,) in connection.execute(select, (f"^({'|'.join(SCHEMAS)})(_|$)",)).fetchall():
            connection.execute(f'DROP SCHEMA "{name}" CASCADE'.encode())


def table(found: tuple[int, list[Line]], heading: str) -> str:
    memories, lines = found
    measured = f"Measured with {memories:,} memories, half of them with one owner, all nodes on one machine:"
    return "\n".join(["## Cluster", "", heading, "", measured, "", *rows("PostgreSQL", "Citus", lines)]) + "\n"

"""A database that writes down every statement that reaches it, and every error."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from databases import QUICK, Postgres, postgres

_SENT = re.compile(r" LOG:  (?:statement|execute [^:]*): (.*)")
_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK")


@contextmanager
def logging_database() -> Iterator[Postgres]:
    with postgres(*QUICK, "logging_collector=on", "log_statement=all", "log_line_prefix=%d ") as server:
        yield server


def logged(database: Postgres, name: str) -> list[str]:
    """Everything that was written down of this database, in lines."""
    mark = f"SELECT '{uuid.uuid4()}'"
    database.run(mark)  # the collector writes in a moment, and in order
    text, deadline = "", time.monotonic() + 30
    while mark not in text and time.monotonic() < deadline:
        text = str(database.run("SELECT pg_read_file(pg_current_logfile())")[0][0])
    return [line for line in text.splitlines() if line.startswith(f"{name} ")]


def statements(database: Postgres, url: str, step: Callable[[], object]) -> list[str]:
    """What reaches the database during a step, but for the beginning and the end of transactions."""
    name = url.rpartition("/")[2]
    before = len(logged(database, name))
    step()
    sent = [found[1] for line in logged(database, name)[before:] if (found := _SENT.search(line))]
    return [statement for statement in sent if not statement.startswith(_CONTROL)]

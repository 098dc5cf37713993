"""A PostgreSQL that syncs and is killed loses nothing that was acknowledged, and holds nothing twice."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import psycopg
from databases import postgres
from embeddings import Endpoint
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, open_vault, says, within

from everlore.errors import EverloreError
from everlore.memory import flush, recover, remember, unprocessed
from everlore.sync.upkeep import index_changes

KILLS = 3


def test_a_database_that_is_killed_keeps_what_was_acknowledged(tmp_path: Path, vectors: Endpoint) -> None:
    with postgres("shared_buffers=64MB", "max_connections=60", "jit=off") as server:
        assert server.run("SHOW fsync") == [("on",)]
        engine = open_vault(tmp_path / "vault", vectors.url, store={"url": server.database()})
        stop = threading.Event()
        acknowledged: list[int] = []

        def work() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                with suppress(EverloreError):
                    remember(engine, SCOPE, f"s{number % 7}", [says(f"A lamp named word{number}.", at=MAY_28 + number)])
                    acknowledged.append(number)
                    if number % 3 == 0:
                        flush(engine, SCOPE, f"s{number % 7}")

        worker = threading.Thread(target=work)
        worker.start()
        for _ in range(KILLS):
            before = len(acknowledged)
            within(5, lambda before=before: len(acknowledged) > before + 3)  # type: ignore[misc]
            for (pid,) in server.run("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")[:1]:
                os.kill(pid, signal.SIGKILL)  # the postmaster ends all others, and starts again from its log
            within(10, lambda: _answers(server.url()))
        stop.set()
        worker.join()
        recover(engine)
        index_changes(engine)
        for number in range(7):
            flush(engine, SCOPE, f"s{number}")
        index_changes(engine)
        said = " ".join(contents(engine, ALICE).values())
        waiting = " ".join(one.text for at in range(7) for one in unprocessed(engine, SCOPE, f"s{at}"))
        found = {number: f"{said} {waiting}".count(f"word{number}.") for number in acknowledged}
        assert {number: count for number, count in found.items() if count != 1} == {}
        assert engine.backend.troubles() == []
        assert_index_equals_files(engine)
        engine.close()


def _answers(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=2):
            return True
    except psycopg.Error:
        time.sleep(0.2)
        return False


def test_a_table_that_is_missing_is_named(tmp_path: Path, vectors: Endpoint) -> None:
    with postgres("shared_buffers=64MB", "max_connections=60", "jit=off") as server:
        url = server.database()
        engine = open_vault(tmp_path / "vault", vectors.url, store={"url": url})
        assert engine.backend.troubles() == []
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP TABLE everlore.messages")
        (trouble,) = engine.backend.troubles()
        assert "messages" in trouble
        engine.close()
        again = open_vault(tmp_path / "vault", vectors.url, store={"url": url})
        assert any("messages" in one for one in again.backend.troubles()), "it is not made anew in silence"
        again.close()

"""Two servers on one PostgreSQL, one of them killed under load: nothing answered for is lost, the other goes on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from crash_client import Client
from databases import Postgres, new_schema
from embeddings import endpoint
from ledger import Ledger, for_lines, lines_of
from serving import running
from vaults import open_vault

from everlore.memory import recover
from everlore.sync import worker
from everlore.sync.upkeep import index_changes

ROUNDS = 2
CLIENTS = 2


def test_of_two_servers_one_is_killed(tmp_path: Path, database: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SETTLE_SECONDS", 0.01)
    schema, ledger = new_schema(), Ledger()
    added = 0
    with endpoint() as vectors:
        env = {
            "EVEROS_STORE__URL": database.url(),
            "EVEROS_STORE__SCHEMA": schema,
            "EVEROS_EMBEDDING__BASE_URL": vectors.url,
            "EVEROS_EMBEDDING__MODEL": "test",
            "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
            "EVEROS_BOUNDARY_DETECTION__TOPIC_SHIFT": "false",
        }
        with running(tmp_path / "stays", env) as stays:
            for number in range(ROUNDS):
                rng = random.Random(number)
                journals = [tmp_path / f"{number}-{at}.journal" for at in range(2 * CLIENTS)]
                with running(tmp_path / "dies", env) as dies:
                    clients = [
                        Client(dies if at % 2 else stays, journal, f"r{number}c{at}", 100 * number + at)
                        for at, journal in enumerate(journals)
                    ]
                    for journal in journals:
                        for_lines(journal, rng.randint(2, 10))
                    dies.process.kill()
                    for journal in journals[::2]:
                        for_lines(journal, lines_of(journal) + 3)
                alive = clients[::2]
                assert all(client.thread.is_alive() for client in alive)
                for client in alive:
                    client.stop = True
                for client in clients:
                    client.thread.join()
                added += sum(ledger.read(journal)["add"] for journal in journals)
            assert stays.client.get("/health").status_code == 200
        engine = open_vault(tmp_path, vectors.url, store={"url": database.url(), "schema": schema})
        try:
            recover(engine)
            index_changes(engine)
            ledger.check(engine)
        except AssertionError as error:
            error.add_note(stays.log_path.read_text(encoding="utf-8")[-3000:])
            raise
        finally:
            engine.close()
    assert added >= ROUNDS

"""The real server, killed while clients add, flush and delete: what it answered with 200 is kept."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from crash_driver import Journal
from embeddings import endpoint
from ledger import Ledger
from serving import Server, running
from vaults import MAY_28, open_vault

from everlore.memory import recover
from everlore.sync import index_changes, worker

ROUNDS = 6
CLIENTS = 3


class Client:
    """Talks to the server as fast as it answers, until it is gone. Journals what was answered."""

    def __init__(self, server: Server, journal: Path, tag: str, seed: int) -> None:
        self._http = httpx.Client(base_url=f"{server.url}/api/v1/memory/", timeout=30)
        self._journal = Journal(journal)
        self._tag = tag
        self._rng = random.Random(seed)
        self.stop = False
        self.thread = threading.Thread(target=self._talk, daemon=True)
        self.thread.start()

    def _talk(self) -> None:
        count = 0
        try:
            while not self.stop:
                count += 1
                session = self._rng.choice(("talk", "work"))
                if self._rng.random() < 0.7:
                    self._add(session, count)
                elif self._rng.random() < 0.7:
                    self._post("flush", session_id=session)
                    self._journal.write("flush", session)
                else:
                    self._delete()
        except httpx.TransportError:
            pass  # the server was killed
        finally:
            self._http.close()

    def _post(self, route: str, **body: Any) -> dict[str, Any]:
        answer = self._http.post(route, json=body)
        if answer.status_code != 200:
            self._journal.write("error", str(answer.status_code), answer.text)
        data: dict[str, Any] = answer.json()["data"]
        return data

    def _add(self, session: str, count: int) -> None:
        sender = self._rng.choice(("alice", "bob"))
        words = [f"{sender}x{self._tag}x{count}x{number}" for number in range(self._rng.randint(1, 3))]
        messages = [
            {
                "sender_id": sender,
                "role": "user",
                "timestamp": MAY_28 + count,
                "content": f"I bought a lamp named {word} in Rome for my sister.",
            }
            for word in words
        ]
        self._post("add", session_id=session, messages=messages)
        self._journal.write("add", session, *words)

    def _delete(self) -> None:
        """Forget an episode of one's own, so that no two clients forget the same."""
        found = self._post("get", user_id="alice", memory_type="episode", page_size=100)["episodes"]
        mine = [one for one in found if f"alicex{self._tag}x" in one["episode"]]
        if mine:
            chosen = self._rng.choice(mine)
            entry = chosen["id"].removeprefix("alice_")
            path = "default_app/default_project/users/alice/episodes/episode-2026-05-28.md"
            words = [word.rstrip(".") for word in chosen["episode"].split() if "x" in word]
            self._journal.write("taking", path, entry, *words)
            answer = self._http.post("delete", json={"user_id": "alice", "id": chosen["id"]})
            if answer.status_code == 200:  # 404: another client's words were in it too, and it was quicker
                self._journal.write("took", path, entry)


def test_a_killed_server_loses_nothing_it_answered_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SETTLE_SECONDS", 0.01)
    root, ledger = tmp_path / "vault", Ledger()
    added = 0
    with endpoint() as vectors:
        env = {
            "EVEROS_EMBEDDING__BASE_URL": vectors.url,
            "EVEROS_EMBEDDING__MODEL": "test",
            "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
            "EVEROS_BOUNDARY_DETECTION__TOPIC_SHIFT": "false",
        }
        for number in range(ROUNDS):
            rng = random.Random(1000 + number)
            with running(root, env) as server:
                journals = [tmp_path / f"{number}-{client}.journal" for client in range(CLIENTS)]
                clients = [
                    Client(server, journal, f"r{number}c{at}", 100 * number + at) for at, journal in enumerate(journals)
                ]
                time.sleep(rng.choice((0.2, 1.0)) * rng.random() + 0.05)
                server.process.kill()
                for client in clients:
                    client.thread.join()
            added += sum(ledger.read(journal)["add"] for journal in journals)
            engine = open_vault(root, vectors.url)
            try:
                recover(engine)
                index_changes(engine)
                ledger.check(engine)
            except AssertionError as error:
                error.add_note(
                    f"round {number}; the server said:\n{server.log_path.read_text(encoding='utf-8')[-3000:]}"
                )
                raise
            finally:
                engine.close()
    assert added >= ROUNDS

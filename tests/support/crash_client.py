"""A client that adds, flushes and deletes until its server is killed, and keeps a journal of what was answered."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import httpx
from crash_driver import Journal
from serving import Server
from vaults import MAY_28


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

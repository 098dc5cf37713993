"""Processes that use every surface of one vault at once, kill each other, and keep a journal of what was acknowledged.

A line of a journal: `add OWNER WORD ...` was acknowledged, `maybe WORD ...` was sent and is not answered for,
`edit OWNER WORD` was saved by hand, `taking WORD ...` is about to be deleted, `took WORD ...` was;
`asked SURFACE STATUS` is a request and what came back, `busy ...` says why it was to be tried again, `error ...` is
what no client should ever see. What a worker does is decided by its seed alone.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from crash_driver import Journal
from vaults import DAY, MAY_28, SCOPE, says

from everlore.background.client import ensure
from everlore.background.place import Server, place_of
from everlore.config import load
from everlore.engine import open_engine
from everlore.errors import Unavailable
from everlore.memory import flush, listing, remember, remove
from everlore.types import Owner
from everlore.vault.folder import FolderVault
from everlore.vault.markdown import parse_log, remove_entry

WORD = re.compile(r"\b(?:alice|bob|carol\w*?|default|edited)x\w+x\d+\b")
"""The word of its own that each message and each edit has, with its owner's name before it."""
PLACES = ("Rome", "Oslo", "Lisbon", "Vienna", "Prague", "Dublin")
THINGS = ("lamp", "violin", "carpet", "kettle", "bicycle", "camera")
SESSIONS = ("talk", "work")
TRIES = 200
A_WHILE = 0.1


@dataclass(frozen=True)
class Job:
    surface: str
    env: Mapping[str, str]
    key: str
    seed: str
    tag: str
    """Makes the words of this process unlike all others."""
    steps: int
    journal: Path
    folder: Path
    """For what the programs that it starts leave behind."""

    @property
    def root(self) -> Path:
        return Path(self.env["EVEROS_MEMORY__ROOT"])


class Worker:
    """One process. Its subclasses say what a step is."""

    name = ""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.rng = random.Random(job.seed)
        self.journal = Journal(job.journal)
        self.count = 0

    def step(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass

    def told(self, owner: str) -> tuple[str, str]:
        """A word that was never said, and a text that says it."""
        self.count += 1
        word = f"{owner}x{self.job.tag}x{self.count}"
        return word, f"I bought a {self.rng.choice(THINGS)} named {word} in {self.rng.choice(PLACES)} for my sister."

    def at(self) -> int:
        """A day for every ten messages: what is written into one file is written again with all of it."""
        return MAY_28 + self.count // 10 * DAY + self.count * 10

    def wrong(self, *what: str) -> None:
        self.journal.write("error", self.job.surface, *(part.replace("\n", " | ") for part in what))

    def busy(self, *why: str) -> None:
        self.journal.write("busy", self.job.surface, *(part.replace("\n", " | ") for part in why))

    def asked(self, status: object) -> None:
        self.journal.write("asked", self.job.surface, str(status))

    def chance(self, share: float) -> bool:
        return self.rng.random() < share


class Requests(Worker):
    """Over HTTP, to whichever server the vault has; one that was killed is replaced, and asked again."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._client = httpx.Client(timeout=120)
        self._server: Server | None = None
        self.headers = {"Authorization": f"Bearer {job.key}"}

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        for _ in range(TRIES):
            if self._server is None:
                self._server = ensure(place_of(self.job.env), self.job.env)
            if self._server is None:
                time.sleep(A_WHILE)
                continue
            try:
                answer = self._client.post(self._server.url + path, json=body, headers=self.headers)
            except httpx.TransportError:
                self.asked("cut")
                self._server = ensure(place_of(self.job.env), self.job.env, self._server)
                continue
            self.asked(answer.status_code)
            if answer.status_code == 503:
                self.busy(answer.text)
                time.sleep(A_WHILE)
                continue
            if answer.status_code not in (200, 404):
                self.wrong(path, str(answer.status_code), answer.text)
            found: dict[str, Any] = answer.json()
            return found
        raise AssertionError(f"{path} was not answered, however often it was asked")

    def close(self) -> None:
        self._client.close()


class Http(Requests):
    """The memory API: two people in sessions that all processes share."""

    def step(self) -> None:
        session, owner = self.rng.choice(SESSIONS), self.rng.choice(("alice", "bob"))
        chance = self.rng.random()
        if chance < 0.4:
            self.say(session, owner, self.rng.randint(1, 3))
        elif chance < 0.5:
            self.memory("flush", session_id=session)
        elif chance < 0.75:
            self.memory(
                "search", user_id=owner, query=f"which {self.rng.choice(THINGS)} from {self.rng.choice(PLACES)}"
            )
        elif chance < 0.85:
            self.memory("get", user_id=owner, memory_type="profile")
        elif chance < 0.93:
            self.memory("history", user_id=owner, page_size=5)
        else:
            self._forget(owner)

    def memory(self, route: str, **body: Any) -> dict[str, Any]:
        return self.post(f"/api/v1/memory/{route}", **body)

    def say(self, session: str, owner: str, number: int) -> None:
        said = [self.told(owner) for _ in range(number)]
        self.memory(
            "add",
            session_id=session,
            messages=[
                {"sender_id": owner, "role": "user", "timestamp": self.at() + at, "content": text}
                for at, (_, text) in enumerate(said)
            ],
        )
        self.journal.write("add", owner, *(word for word, _ in said))

    def _forget(self, owner: str) -> None:
        """A talk, whoever else has spoken in it."""
        found = self.memory("get", user_id=owner, memory_type="episode", page_size=5)["data"]["episodes"]
        if found:
            chosen = self.rng.choice(found)
            words = [word for word in WORD.findall(chosen["episode"]) if word.startswith(owner)]
            self.journal.write("taking", *words)
            if "data" in self.memory("delete", user_id=owner, id=chosen["id"]):  # else somebody was quicker
                self.journal.write("took", *words)


class Gateway(Requests):
    """What evercli and the plugins speak, with the token of an agent."""

    def step(self) -> None:
        if self.job.key in self.headers["Authorization"]:
            body = {"platform": "cursor", "name": "cursor", "machineFingerprint": self.job.tag}
            token = self.post("/api/v1/agents", **body)["result"]["agentToken"]
            self.headers = {"Authorization": f"Bearer {token}"}
        chance = self.rng.random()
        if chance < 0.5:
            word, text = self.told("default")
            messages = [{"role": "user", "timestamp": self.at(), "content": text}]
            route = self.rng.choice(("personal", "agent-memory"))
            self.post(f"/api/v1/mem/{route}", conversationId=self.job.tag, flush=self.chance(0.5), messages=messages)
            self.journal.write("add", "default", word)
        elif chance < 0.8:
            self.post("/api/v1/mem/search", query=self.rng.choice(THINGS))
        else:
            self.post("/api/v1/mem/context")


class Hands(Http):
    """A person who talks, and then corrects and deletes in the files what was made of it."""

    def step(self) -> None:
        owner = f"carol{self.job.tag}"
        chance = self.rng.random()
        if chance < 0.5:
            self.say(owner, owner, 1)
            self.memory("flush", session_id=owner)
            return
        vault = FolderVault(self.job.root)
        paths = [path for path, _, _ in vault.walk() if f"/{owner}/episodes/" in path]
        for path in self.rng.sample(paths, len(paths)):
            # as an editor that looks once more before it saves: what comes between would be lost by hand, not by us
            with vault.lock(path):
                file = self.job.root / path
                text = file.read_text(encoding="utf-8")
                entries = list(parse_log(text, path).entries)
                if not entries:
                    continue
                entry = self.rng.choice(entries)
                if chance < 0.8:
                    word, _ = self.told("edited")
                    closing = f"<!-- /entry:{entry.id} -->"
                    _save(file, text.replace(closing, f"A person remarked {word}.\n{closing}"))
                    self.journal.write("edit", owner, word)
                else:
                    words = WORD.findall(entry.sections["Content"])
                    self.journal.write("taking", *words)
                    _save(file, remove_entry(text, entry.id))
                    self.journal.write("took", *words)
            return


class Direct(Worker):
    """A program that has opened the vault for itself, beside the server."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        os.environ.update(job.env)
        self._engine = open_engine(load())

    def step(self) -> None:
        try:
            self._do()
        except Unavailable as error:
            self.asked("busy")
            self.busy(str(error))

    def _do(self) -> None:
        chance = self.rng.random()
        if chance < 0.6:
            word, text = self.told("alice")
            remember(self._engine, SCOPE, self.job.tag, [says(text, at=self.at())])
            self.journal.write("add", "alice", word)
        elif chance < 0.9:
            flush(self._engine, SCOPE, self.job.tag)
        else:
            for row in listing(self._engine, Owner(SCOPE, "user", "alice"), "episode", page_size=1).rows:
                words = [word for word in WORD.findall(str(row.data["episode"])) if word.startswith("alice")]
                self.journal.write("taking", *words)
                remove(self._engine, row)
                self.journal.write("took", *words)
        self.asked("done")

    def close(self) -> None:
        self._engine.close()


def _save(file: Path, text: str) -> None:
    """As careful editors do: a new file in the place of the old."""
    fresh = file.with_suffix(".md~")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)

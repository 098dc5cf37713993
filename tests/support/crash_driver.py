"""What the processes do that the crash tests kill: everything that changes a vault, as fast as it goes.

Each line of the journal is one operation that was acknowledged (`add`, `flush`, ...), or that is about to be tried and
takes something away (`taking`). A line is written in one call, so that a kill leaves whole lines.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from vaults import DAY, MAY_28, SCOPE, open_vault, says

from everlore.engine import Engine
from everlore.errors import EverloreError, NotFound
from everlore.kinds.paths import locate
from everlore.memory import NewMessage, flush, forget, recover, remember, reset, restore
from everlore.sync import worker
from everlore.sync.upkeep import index_changes
from everlore.sync.worker import Worker
from everlore.types import LogEntry, Owner
from everlore.vault.markdown import parse_log, remove_entry

USERS = ("alice", "bob")
SESSIONS = ("talk", "work", "notes")
DAYS = 3
PLACES = ("Rome", "Oslo", "Lisbon", "Vienna", "Prague", "Dublin")
THINGS = ("lamp", "violin", "carpet", "kettle", "bicycle", "camera")

WORD = re.compile(r"\b(?:alice|bob|helper|edited)x\w+")
"""The word of its own that each message and each edit has."""


@dataclass(frozen=True)
class Job:
    root: Path
    url: str
    seed: int
    journal: Path
    log: Path
    tag: str
    """Makes the words of this process's messages unlike all others."""
    messages: int = 10**9
    hands: bool = True
    """Whether a person edits and deletes in between."""
    shared: bool = True
    """Whether the sessions have the same names in every process."""


class Journal:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, *words: str) -> None:
        os.write(self._file, (" ".join(words) + "\n").encode())


def drive(job: Job) -> None:
    """The body of the process. It ends only by being killed, or when all its messages are sent."""
    with job.log.open("ab") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    journal = Journal(job.journal)
    try:
        engine = open_vault(job.root, job.url)
        recover(engine)
        index_changes(engine)
        worker = Worker(engine)
        worker.start()
        journal.write("ready")
        _work(engine, job, journal, random.Random(job.seed))
        worker.stop()
        engine.close()
        journal.write("finished")
    except BaseException:
        traceback.print_exc()
        journal.write("error", repr(sys.exc_info()[1]))


def _work(engine: Engine, job: Job, journal: Journal, rng: random.Random) -> None:
    sent = 0
    while sent < job.messages:
        session = rng.choice(SESSIONS) + ("" if job.shared else job.tag)
        chance = rng.random()
        if chance < 0.55:
            batch = list(_batch(job, rng, sent))
            remember(engine, SCOPE, session, [message for _, message in batch])
            journal.write("add", session, *(word for word, _ in batch))
            sent += len(batch)
        elif chance < 0.8 or not job.hands:
            flush(engine, SCOPE, session)
            journal.write("flush", session)
        elif chance < 0.88:
            _edit(engine, job, journal, rng)
        else:
            _take(engine, journal, rng)
    for session in SESSIONS:
        flush(engine, SCOPE, session + ("" if job.shared else job.tag))


def _batch(job: Job, rng: random.Random, sent: int) -> Iterator[tuple[str, NewMessage]]:
    """Up to four messages, some of an agent at work. Every message has a word of its own."""
    sender = rng.choice(USERS)
    at = MAY_28 + rng.randrange(DAYS) * DAY + rng.randrange(3_000_000)
    for number in range(rng.randint(1, 3)):
        word = f"{sender}x{job.tag}x{sent + number}"
        text = f"I bought a {rng.choice(THINGS)} named {word} in {rng.choice(PLACES)} for my sister."
        yield word, says(text, sender, at + number)
    if rng.random() < 0.2:
        word = f"helperx{job.tag}x{sent + 9}"
        call: dict[str, Any] = {"id": word, "type": "function", "function": {"name": "search", "arguments": "{}"}}
        yield word, says(f"Looking up {word} in the catalogue.", "helper", at + 8, role="assistant", tool_calls=[call])
        yield f"{word}y", says(f"Found {word}y on the shelf.", "tools", at + 9, role="tool", tool_call_id=word)


def _episode(engine: Engine, rng: random.Random) -> tuple[str, str, list[LogEntry]]:
    """The path and text of a file of episodes, and what is in it; nothing where there is no episode."""
    paths = [path for path, _, _ in engine.vault.walk() if "/episodes/" in path]
    path = rng.choice(paths) if paths else ""
    text = (engine.settings.memory.root / path).read_text(encoding="utf-8") if path else ""
    return path, text, list(parse_log(text, path).entries)


def _edit(engine: Engine, job: Job, journal: Journal, rng: random.Random) -> None:
    """A person adds a line to an episode and saves, as careful editors do: a new file in the place of the old."""
    path, text, entries = _episode(engine, rng)
    if not entries:
        return
    entry = rng.choice(entries).id
    word = f"editedx{job.tag}x{time.monotonic_ns()}"
    closing = f"<!-- /entry:{entry} -->"
    _save(engine.settings.memory.root / path, text.replace(closing, f"A person remarked {word}.\n{closing}"))
    journal.write("edit", path, entry, word)


def _take(engine: Engine, journal: Journal, rng: random.Random) -> None:
    """Forget an episode, or delete it or its whole file by hand."""
    path, text, entries = _episode(engine, rng)
    if not entries:
        return
    how = rng.choice(("forget", "hand", "hand", "file"))
    taken = entries if how == "file" else [rng.choice(entries)]
    ids = ",".join(entry.id for entry in taken)
    words = {word for entry in taken for word in WORD.findall(entry.sections["Content"])}
    journal.write("taking", path, ids, *words)
    if how == "file":
        (engine.settings.memory.root / path).unlink()
    elif how == "hand":
        _save(engine.settings.memory.root / path, remove_entry(text, ids))
    else:
        owner = owner_of(path)
        with suppress(NotFound):
            forget(engine, owner, f"{owner.id}_{ids}")
    journal.write("took", path, ids)


def owner_of(path: str) -> Owner:
    located = locate(path)
    assert located is not None
    return located.owner


def _save(file: Path, text: str) -> None:
    fresh = file.with_suffix(".md~")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


Step = Literal["flush", "forget", "deletion", "reset", "restore"]
CALLS = frozenset({"execute", "executemany", "fsync", "replace", "rename", "unlink", "mkdir", "open"})
"""What reaches the disk. The process is killed just before one of these."""


def die_at(operation: Step, step: int, root: Path, url: str, log: Path) -> None:
    """Do one thing and be killed before its step number so and so; with 0, count the steps instead."""
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    engine = open_vault(root, url)
    path = next(path for path, _, _ in engine.vault.walk() if "users/alice/episodes" in path)
    [entry] = engine.index.files.parents(path)
    taken = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal taken
        if event == "c_call" and getattr(argument, "__name__", "") in CALLS:
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)

    if operation == "deletion":
        worker.SETTLE_SECONDS = 0.01
        file = engine.settings.memory.root / path
        _save(file, remove_entry(file.read_text(encoding="utf-8"), entry))
    if operation == "restore":
        gone = reset(engine, SCOPE).bin
    sys.setprofile(count)
    if operation == "flush":
        flush(engine, SCOPE, "two")
    elif operation == "forget":
        forget(engine, owner_of(path), f"alice_{entry}")
    elif operation == "reset":
        reset(engine, SCOPE)
    elif operation == "restore":
        restore(engine, SCOPE, gone)
    else:
        index_changes(engine)
    sys.setprofile(None)
    engine.close()
    (root / "steps").write_text(str(taken), encoding="utf-8")


def flush_at_once(root: Path, url: str, sessions: Sequence[str], report: Path) -> None:
    engine = open_vault(root, url)
    report.write_text(" ".join(str(bool(flush(engine, SCOPE, session))) for session in sessions), encoding="utf-8")
    engine.close()


def try_to_remember(root: Path, url: str, report: Path, limit: int | None) -> None:
    """Add and flush where no file may grow beyond `limit` bytes; -1: as a user who may not write at all."""
    import resource  # Windows has no such module

    said: list[str] = []
    os.environ["EVEROS_MEMORY__ROOT"] = str(root)
    with report.open("a", encoding="utf-8") as output:
        if limit == -1:
            os.setuid(65534)
        elif limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        try:
            engine = open_vault(root, url)
            said.append("opened")
            remember(engine, SCOPE, "after", [says("I play the violin in Oslo every morning.", at=MAY_28 + 1000)])
            said.append("accepted")
            flush(engine, SCOPE, "after")
            said.append("flushed")
        except EverloreError as error:
            said.append(f"{type(error).__name__}: {error}")
        except BaseException as error:
            said.append(f"broken {error!r} {traceback.format_exc()!r}")
        if limit is not None and limit >= 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        output.write("\n".join(said))

"""Many processes over every surface of one vault, with kills, edits, deletes and rebuilds: what was acknowledged is
there exactly once afterwards, nobody was told of a defect of ours, and the server has not grown.

`EVERLORE_SOAK` is for how many seconds more rounds are begun; `make soak` begins them for minutes, on more processes.
A round that fails names its seed, and `EVERLORE_SOAK_SEED` begins with it.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from embeddings import Endpoint
from gates import new_key, quick
from serving import clean_env, everlore
from soaking import WORD, Job
from soaking_hosts import SURFACES, work
from vaults import assert_index_comes_to_equal_files, open_vault
from warm_start import processes

from everlore.background import client
from everlore.background.place import place_of
from everlore.engine import Engine
from everlore.memory import recover, unprocessed
from everlore.types import IndexRow

SECONDS = float(os.environ.get("EVERLORE_SOAK", "0"))
SEED = int(os.environ.get("EVERLORE_SOAK_SEED", "21"))
LARGE = SECONDS > 0
EACH, STEPS, KILLS = (4, 120, 3) if LARGE else (1, 30, 3)
"""Processes of every surface, what each does in a round, and how often its server is killed meanwhile."""
PACE = {"HTTP": 4.0, "gateway": 2.0, "files by hand": 0.5, "commands and hooks": 0.2 if LARGE else 0.4}
"""What takes longer is done less often."""
KILLED_SHARE = 1 / 3
"""Of the time: after it the server lives, and may not grow."""
BUDGETS: Mapping[str, float] = {
    "memory, MB": 600,
    "file descriptors": 500,
    "threads": 64,
    "WAL, MB": 64,
    "temporary files": 40,
}
GROWTH: Mapping[str, float] = {"memory, MB": 150, "file descriptors": 60, "threads": 10}
"""How much more of it a server may have at the end than after a quarter of its rounds without kills."""
PRIMARY = ("episode", "note", "record")
"""Kinds that hold what was said as it was said; others are made of them."""
DEFECTS = ("unhandled error", "unexpected error", "Traceback", "database is locked")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what a process uses is read from /proc")


class Promises:
    """Over all rounds."""

    def __init__(self) -> None:
        self.added: dict[str, str] = {}
        self.maybe: set[str] = set()
        self.taking: set[str] = set()
        self.took: set[str] = set()
        self.asked: Counter[tuple[str, str]] = Counter()
        self.busy: Counter[str] = Counter()
        self.wrong: list[str] = []

    def read(self, journal: Path) -> None:
        for line in journal.read_text(encoding="utf-8").splitlines():
            what, *rest = line.split(" ")
            if what in ("add", "edit"):
                self.added.update(dict.fromkeys(rest[1:], rest[0]))
            elif what in ("maybe", "taking", "took"):
                getattr(self, what).update(rest)
            elif what == "asked":
                self.asked[" ".join(rest[:-1]), rest[-1]] += 1
            elif what == "busy":
                self.busy[re.sub(r"\w*\d\w*", "…", " ".join(rest))[:160]] += 1
            if what == "error" or (what == "busy" and "locked" in line):
                self.wrong.append(line)

    def check(self, engine: Engine) -> None:
        assert self.wrong == [], "\n".join(self.wrong)
        recover(engine)
        there = _there(engine, assert_index_comes_to_equal_files(engine, 10.0))
        twice = {word: owners for word, owners in there.items() if max(owners.values()) > 1}
        assert twice == {}, "there more than once"
        lost = [word for word, owner in self.added.items() if not there.get(word, Counter())[owner]]
        assert [word for word in lost if word not in self.taking] == [], "acknowledged, and lost"
        assert sorted(self.took.intersection(self.added).difference(lost)) == [], "deleted, and back"
        known = self.maybe.union(self.added)
        assert [word for word in there if word not in known] == [], "nobody said it"


def _there(engine: Engine, rows: list[IndexRow]) -> dict[str, Counter[str]]:
    """How often each word is there, by owner, waiting or written."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        if row.key.kind in PRIMARY and row.key.owner.track == "user":
            for word in set(WORD.findall(str(dict(row.data)))):
                found.setdefault(word, Counter())[row.key.owner.id] += 1
    open_ = {*engine.buffer.open_sessions(), *((cell.scope, cell.session_id) for cell in engine.buffer.pending_cells())}
    for scope, session in open_:
        for message in unprocessed(engine, scope, session):
            for word in WORD.findall(message.text):
                found.setdefault(word, Counter())[message.sender_id] += 1
    return found


class Watch:
    """The largest of everything that was seen."""

    def __init__(self, root: Path, temporary: Path) -> None:
        self._root, self._temporary = root, temporary
        self.most: dict[str, float] = dict.fromkeys(BUDGETS, 0)

    def look(self, pid: int | None) -> dict[str, float]:
        seen: dict[str, float] = {
            "WAL, MB": sum(_size(file) for file in self._root.glob(".everlore/*-wal")) / 1e6,
            "temporary files": len([*self._temporary.iterdir(), *self._root.glob(".everlore/tmp/*")]),
        }
        with suppress(OSError, KeyError):  # it may just have been killed
            process = Path(f"/proc/{pid}")
            status = (process / "status").read_text(encoding="utf-8").splitlines()
            told = {
                name: value.split()[0] for name, _, value in (line.partition(":") for line in status) if value.split()
            }
            seen["memory, MB"] = int(told["VmRSS"]) / 1024
            seen["threads"] = int(told["Threads"])
            seen["file descriptors"] = len(list((process / "fd").iterdir()))
        for name, value in seen.items():
            self.most[name] = max(self.most[name], value)
        return seen


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0


def test_what_was_acknowledged_is_there_once_after_all_of_it(tmp_path: Path, vectors: Endpoint) -> None:
    root, temporary = tmp_path / "vault", tmp_path / "temporary"
    temporary.mkdir()
    more = {"EVEROS_BOUNDARY_DETECTION__TOPIC_SHIFT": "false", "EVEROS_AUTH__REQUESTS_PER_MINUTE": "1000000"}
    more |= {"EVEROS_MCP__USER": "default", "TMPDIR": str(temporary), "EVEROS_BACKGROUND__IDLE_MINUTES": "5"}
    env = clean_env(root, quick(vectors) | more)
    key = new_key(root, "soak")[1]
    promises, watch = Promises(), Watch(root, temporary)
    began, seed, grown = time.monotonic(), SEED, []
    try:
        while True:
            killing = not LARGE or time.monotonic() - began <= KILLED_SHARE * SECONDS
            try:
                _round(tmp_path / str(seed), env, key, seed, promises, watch, KILLS if killing else 0)
                engine = open_vault(root, vectors.url)
                try:
                    promises.check(engine)
                finally:
                    engine.close()
                _no_defects(root)
            except BaseException as error:
                error.add_note(f"EVERLORE_SOAK_SEED={seed}, {tmp_path}")
                raise
            server = client.find(place_of(env))
            now = watch.look(server.pid if server else None)
            grown.append(now | {"requests": promises.asked.total(), "killed": killing})
            print({name: round(value) for name, value in grown[-1].items()}, flush=True)
            seed += 1
            if time.monotonic() - began >= SECONDS:
                break
        done = everlore("doctor", root=root, env={name: env[name] for name in env if name.startswith("EVEROS_")})
        assert done.returncode == 0, done.stdout
    finally:
        for place, running in client.running(root):
            client.stop(place, running)
        print(_table(promises, watch, time.monotonic() - began))
    assert promises.took
    assert {surface for surface, _ in promises.asked} == {"server", *SURFACES}
    assert [name for name, most in BUDGETS.items() if watch.most[name] > most] == []
    calm = [one for one in grown if not one["killed"]]
    for name, most in GROWTH.items() if calm else ():
        assert calm[-1].get(name, 0) - calm[len(calm) // 4].get(name, 0) <= most, (name, calm)
    killed = sum(count for (_, status), count in promises.asked.items() if status in ("killed", "-9"))
    left = [*temporary.iterdir(), *root.glob(".everlore/tmp/*")]
    assert len(left) <= killed, "only who was killed leaves something behind, for an hour"


def _round(
    folder: Path, env: Mapping[str, str], key: str, seed: int, promises: Promises, watch: Watch, kills: int
) -> None:
    jobs = list(_jobs(folder, env, key, seed))
    folder.mkdir()
    start, rng = processes(), random.Random(seed)
    running = [start(target=work, args=(job,)) for job in jobs]
    for process in running:
        process.start()
    total = sum(job.steps for job in jobs)
    at = sorted(rng.uniform(0.1, 0.9) * total for _ in range(kills))
    while any(process.is_alive() for process in running):
        server = client.find(place_of(env))
        watch.look(server.pid if server else None)
        done = sum(job.journal.read_bytes().count(b"\nasked ") for job in jobs if job.journal.exists())
        if server and at and done > at[0]:
            os.kill(server.pid, signal.SIGKILL)
            promises.asked["server", "killed"] += 1
            del at[0]
        time.sleep(0.05)
    for process, job in zip(running, jobs, strict=True):
        process.join()
        assert process.exitcode == 0
        process.close()
        promises.read(job.journal)


def _jobs(folder: Path, env: Mapping[str, str], key: str, seed: int) -> Iterator[Job]:
    for surface in SURFACES:
        for number in range(EACH):
            tag = f"{surface.replace(' ', '')[:6].lower().replace('x', '')}{seed}n{number}"
            own = folder / tag
            steps = int(STEPS * PACE.get(surface, 1))
            yield Job(surface, env, key, f"{seed} {tag}", tag, steps, folder / f"{tag}.journal", own)


def _no_defects(root: Path) -> None:
    for log in root.glob(".everlore/*.log*"):
        wrong = [line for line in log.read_text(encoding="utf-8").splitlines() if any(word in line for word in DEFECTS)]
        assert wrong == [], log


def _table(promises: Promises, watch: Watch, seconds: float) -> str:
    lines = [f"{promises.asked.total()} requests in {seconds:.0f} s, {len(promises.added)} words kept"]
    for surface in ("server", *SURFACES):
        answers = {status: count for (name, status), count in sorted(promises.asked.items()) if name == surface}
        lines.append(f"  {surface:20} {sum(answers.values()):7}  {answers}")
    lines += [f"  {name:20} {watch.most[name]:7.0f}  of {most:.0f}" for name, most in BUDGETS.items()]
    lines += [f"  told to try again: {count:4}  {why}" for why, count in promises.busy.most_common(5)]
    return "\n".join(lines)

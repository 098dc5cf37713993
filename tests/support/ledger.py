"""What the killed processes promised, and whether the vault keeps it."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from crash_driver import WORD, owner_of
from vaults import SCOPE, assert_index_equals_files

from everlore.engine import Engine
from everlore.memory import unprocessed
from everlore.types import IndexRow, Key, Owner

LOGS = ("episode", "fact", "case")


@dataclass
class Ledger:
    """Over all lives of one vault."""

    sessions: set[str] = field(default_factory=set)
    added: set[str] = field(default_factory=set)
    edited: dict[str, Owner] = field(default_factory=dict)
    excused: set[tuple[str, str]] = field(default_factory=set)
    """(owner, word) of episodes that somebody began to delete: they may be gone."""
    gone: set[tuple[str, str]] = field(default_factory=set)
    """(path, entry) whose deletion was acknowledged."""
    cells: dict[Key, str] = field(default_factory=dict)
    """Every id that was ever seen, with its cell."""
    highest: dict[tuple[Owner, str], int] = field(default_factory=dict)
    """The highest number that was seen for an owner and a kind and day."""

    def read(self, journal: Path) -> Counter[str]:
        """Take in the journal of one life; returns what was done how often."""
        done: Counter[str] = Counter()
        for line in journal.read_text(encoding="utf-8").splitlines() if journal.exists() else ():
            what, *rest = line.split(" ")
            done[what] += 1
            assert what != "error", line
            if what == "add":
                self.sessions.add(rest[0])
                self.added.update(rest[1:])
            elif what == "edit":
                self.edited[rest[2]] = owner_of(rest[0])
            elif what == "taking":
                self.excused.update((owner_of(rest[0]).id, word) for word in rest[2:])
            elif what == "took":
                self.gone.update((rest[0], entry) for entry in rest[1].split(","))
        return done

    def check(self, engine: Engine) -> None:
        rows = assert_index_equals_files(engine)
        self._nothing_lost(engine, rows)
        self._nothing_doubled(rows)
        self._ids(rows)
        strays = [
            file
            for file in engine.settings.memory.root.glob("default_app/**/*")
            if file.is_file() and file.suffix != ".md"
        ]
        assert [file for file in strays if file.suffix != ".md~"] == []

    def _nothing_lost(self, engine: Engine, rows: list[IndexRow]) -> None:
        waiting = Counter(
            word
            for session in self.sessions
            for message in unprocessed(engine, SCOPE, session)
            for word in WORD.findall(message.text)
        )
        told: dict[str, Counter[str]] = defaultdict(Counter)
        stated: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            if row.key.kind == "episode":
                told[row.key.owner.id].update(set(WORD.findall(row.data["episode"])))
            elif row.key.kind == "fact":
                stated[row.key.owner.id].update(WORD.findall(row.data["content"]))
        anywhere = set(waiting).union(*told.values())
        for word in self.added:
            owner = word.split("x")[0]
            if owner == "helper":
                assert word in anywhere or any(word == excused for _, excused in self.excused), f"{word} is lost"
                continue
            found = waiting[word] + told[owner][word]
            assert found == 1 or (found == 0 and (owner, word) in self.excused), f"{word} is there {found} times"
        for word, who in self.edited.items():
            assert told[who.id][word] == 1 or (who.id, word) in self.excused, f"the edit {word} is lost"
        for owner, words in told.items():
            assert set(words.values()) <= {1}, f"a message is in two episodes of {owner}"
            said = {word for word in words if word.split("x")[0] in ("alice", "bob")}
            assert said == {word for word in stated[owner] if word.split("x")[0] in ("alice", "bob")}

    def _nothing_doubled(self, rows: list[IndexRow]) -> None:
        logs = [row for row in rows if row.key.kind in LOGS]
        once = Counter((row.key.owner, row.key.kind, row.parent_id, row.data.get("content")) for row in logs)
        assert [key for key, count in once.items() if count > 1] == []
        told = {(row.key.owner, row.parent_id) for row in logs if row.key.kind == "episode"}
        stated = {(row.key.owner, row.parent_id) for row in logs if row.key.kind == "fact"}
        assert stated - told == set(), "facts without their episode"

    def _ids(self, rows: list[IndexRow]) -> None:
        """No id has ever meant another cell, and every new one is above all that were seen before."""
        fresh = [row for row in rows if row.key.kind in LOGS and row.key not in self.cells]
        assert [row.key for row in rows if self.cells.get(row.key, row.parent_id) != row.parent_id] == []
        for row in fresh:
            assert number(row.key) > self.highest.get(series(row.key), 0), f"{row.key} was given before"
        for row in fresh:
            self.cells[row.key] = row.parent_id
            self.highest[series(row.key)] = max(self.highest.get(series(row.key), 0), number(row.key))
        there = {(row.key.owner, row.key.local_id) for row in rows}
        assert [entry for path, entry in self.gone if (owner_of(path), entry) in there] == [], "deleted, and back"


def lines_of(journal: Path) -> int:
    """How many things were acknowledged in it so far."""
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def for_lines(journal: Path, count: int, alive: Callable[[], bool] = lambda: True) -> None:
    """Wait until so many things are acknowledged; whoever writes the journal must not end before."""
    deadline = time.monotonic() + 120
    while lines_of(journal) < count:
        assert alive(), f"it ended after {lines_of(journal)} of {count} lines"
        assert time.monotonic() < deadline, f"{lines_of(journal)} of {count} lines are there"
        time.sleep(0.002)


def series(key: Key) -> tuple[Owner, str]:
    return key.owner, key.local_id[:-8]


def number(key: Key) -> int:
    return int(key.local_id[-8:])

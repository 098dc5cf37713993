"""Adding, flushing, editing, deleting, undoing, curating and rebuilding in any order, on both stores: what was said is
there exactly once, in the files and in the index, until somebody took it away.

`EVERLORE_FUZZ` is how many sequences are tried; `make fuzz` tries many, other ones every time. Hypothesis prints the
shortest sequence that fails.
"""

from __future__ import annotations

import itertools
import os
import re
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

import pytest
from databases import Postgres
from embeddings import Endpoint
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from vaults import DAY, MAY_28, assert_index_equals_files, in_files, open_vault, says

from everlore.engine import Engine
from everlore.errors import Conflict, NotFound
from everlore.memory import (
    binned,
    curate,
    edit,
    empty,
    flush,
    forget,
    listing,
    remember,
    reset,
    restore,
    review,
    save_note,
    source,
    undo_curation,
    unprocessed,
)
from everlore.sync import worker
from everlore.sync.indexing import index_file
from everlore.sync.upkeep import rebuild
from everlore.types import IndexedMemory, Owner, Scope
from everlore.vault.markdown import remove_entry

EXAMPLES = int(os.environ.get("EVERLORE_FUZZ", "4"))
STEPS = 14
USERS = ("alice", "bob")
SESSIONS = ("one", "two")
HELD = ("episode", "note")
WORD = re.compile(r"\b(?:alice|bob)x\d+\b")

users, sessions = st.sampled_from(USERS), st.sampled_from(SESSIONS)


@pytest.fixture(scope="module", params=["folder", "postgres"])
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint
) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("fuzz") / "vault"
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "SETTLE_SECONDS", 0.01)
        if request.param == "postgres":
            database: Postgres = request.getfixturevalue("database")
            patch.setenv("DATABASE_URL", database.database())
        engine = open_vault(root, vectors.url)
        stack.callback(engine.close)
        yield engine


def test_any_order_of_what_changes_memories_keeps_each_once(opened: Engine) -> None:
    class Machine(Memories):
        engine = opened

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize="EVERLORE_FUZZ" not in os.environ,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert_index_equals_files(opened)


class Memories(RuleBasedStateMachine):
    """A model of what must be there. Each sequence has a scope of its own."""

    engine: ClassVar[Engine]

    @initialize()
    def begin(self) -> None:
        self.scope = Scope(f"a{uuid.uuid4().hex[:12]}", "p")
        self.said: dict[str, tuple[str, str]] = {}
        """Word, and its owner and session."""
        self.gone: set[str] = set()
        self.bins: dict[str, set[str]] = {}
        self.remarks: dict[str, set[str]] = {}
        """Of an episode, what was written into it by hand."""
        self.numbers = itertools.count(1)

    def owner(self, user: str) -> Owner:
        return Owner(self.scope, "user", user)

    def rows(self, user: str) -> list[IndexedMemory]:
        return list(listing(self.engine, self.owner(user), HELD, page_size=100).rows)

    def pick(self, user: str, number: int, kinds: tuple[str, ...] = HELD) -> IndexedMemory | None:
        rows = sorted((row for row in self.rows(user) if row.key.kind in kinds), key=lambda row: row.key.local_id)
        return rows[number % len(rows)] if rows else None

    @rule(user=users, session=sessions, count=st.integers(1, 3), days=st.integers(0, 2), again=st.booleans())
    def add(self, user: str, session: str, count: int, days: int, again: bool) -> None:
        numbers = [next(self.numbers) for _ in range(count)]
        words = [f"{user}x{number}" for number in numbers]
        batch = [
            says(f"I bought a lamp named {word} in Rome for my sister.", user, MAY_28 + days * DAY + number)
            for word, number in zip(words, numbers, strict=True)
        ]
        for _ in range(1 + again):  # a client that had no answer sends it again
            remember(self.engine, self.scope, session, batch)
        self.said.update(dict.fromkeys(words, (user, session)))

    @rule(session=sessions)
    def flush(self, session: str) -> None:
        flush(self.engine, self.scope, session)
        assert unprocessed(self.engine, self.scope, session) == []

    @rule(user=users)
    def note(self, user: str) -> None:
        word = f"{user}x{next(self.numbers)}"
        save_note(self.engine, self.owner(user), f"The door code of {word} is on the fridge.", "semantic", None)
        self.said[word] = (user, "")

    @rule(user=users, number=st.integers(0, 9), stale=st.booleans())
    def correct(self, user: str, number: int, stale: bool) -> None:
        """On a surface, which names the version that was seen."""
        if (row := self.pick(user, number, ("episode",))) is None:
            return
        word = f"{user}x{next(self.numbers)}"
        seen = source(self.engine, row.key.owner, row.key.public_id)
        text = seen.text.replace("<!-- /entry", f"A person remarked {word}.\n<!-- /entry")
        text = text if text != seen.text else f"{text.rstrip()}\nA person remarked {word}.\n"
        if stale:
            with pytest.raises(Conflict):
                edit(self.engine, row.key.owner, row.key.public_id, "0" * 16, text)
            return
        edit(self.engine, row.key.owner, row.key.public_id, seen.version, text)
        self.said[word] = (user, "")

    @rule(user=users, number=st.integers(0, 9))
    def delete_by_hand(self, user: str, number: int) -> None:
        if (row := self.pick(user, number)) is None:
            return
        self.gone |= words_of(row, user)
        file = self.engine.vault.read(row.path)
        assert file is not None
        self.engine.vault.change(row.path, lambda text: remove_entry(text or "", row.key.local_id))
        index_file(self.engine, row.path)

    @rule(user=users, number=st.integers(0, 9))
    def forget(self, user: str, number: int) -> None:
        if (row := self.pick(user, number)) is None:
            return
        before = {item.id for item in binned(self.engine, self.scope)}
        forget(self.engine, row.key.owner, row.key.public_id)
        (item,) = {item.id for item in binned(self.engine, self.scope)} - before
        self.bins[item] = words_of(row, user)
        self.gone |= self.bins[item]

    @precondition(lambda self: self.bins)
    @rule(number=st.integers(0, 9))
    def undo(self, number: int) -> None:
        item = sorted(self.bins)[number % len(self.bins)]
        restore(self.engine, self.scope, item)
        self.gone -= self.bins.pop(item)
        with pytest.raises(NotFound):
            restore(self.engine, self.scope, item)

    @rule(user=users, number=st.integers(0, 9), back=st.booleans())
    def curate(self, user: str, number: int, back: bool) -> None:
        owner = self.owner(user)
        for item in review(self.engine, owner, limit=1, seconds=60):
            reply = {"title": "A purchase", "facts": [{"text": item.stretch.turns[0].text, "turns": [1]}]}
            done = curate(self.engine, owner, item.id, item.lease, reply, "tests")
            again = curate(self.engine, owner, item.id, item.lease, reply, "tests")
            assert (again.state, again.taken) == (done.state, done.taken), "the same reply twice changes nothing"
            if back and done.state == "curated":
                undo_curation(self.engine, owner, item.id)

    @rule()
    def rebuild(self) -> None:
        rebuild(self.engine, lambda *_: None)

    def teardown(self) -> None:
        """The next sequence finds a small vault: to rebuild is to read all of it."""
        if hasattr(self, "scope"):
            reset(self.engine, self.scope)
            empty(self.engine, self.scope)

    @invariant()
    def each_is_there_once(self) -> None:
        waiting = Counter(
            word
            for session in SESSIONS
            for message in unprocessed(self.engine, self.scope, session)
            for word in WORD.findall(message.text)
        )
        files = in_files(self.engine, self.scope.app)[1]
        for user in USERS:
            written = Counter(
                word
                for row in files
                if row.key.owner == self.owner(user) and row.key.kind in HELD
                for word in words_of(row, user)
            )
            indexed = Counter(word for row in self.rows(user) for word in words_of(row, user))
            assert indexed == written, "the index is not what the files say"
            mine = {word for word, (owner, _) in self.said.items() if owner == user}
            there = written + Counter({word: count for word, count in waiting.items() if word in mine})
            assert there == Counter(mine - self.gone)


def words_of(row: object, user: str) -> set[str]:
    """Of this user: a talk of two is an episode of either."""
    data = getattr(row, "data", {})
    text = str(data.get("episode", "")) + str(data.get("content", ""))
    return {word for word in WORD.findall(text) if word.startswith(f"{user}x")}

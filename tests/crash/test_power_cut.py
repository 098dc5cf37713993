"""After a power cut everything acknowledged is there once, nothing is half there, and the index equals the files.

The states are built from a record of what was written and synced (`support/power.py`). A state that fails names its
cut, which `left` builds again. `make test-crash-states` looks at more of them, from another seed if one is given.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from embeddings import Endpoint
from power import Recorder, cuts, left, recorded
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, open_vault, says

from everlore.errors import EverloreError
from everlore.memory import binned, flush, forget, listing, recover, remember, restore, save_note, unprocessed
from everlore.stores.sqlite.buffer import SqliteBuffer
from everlore.sync.upkeep import index_changes
from everlore.types import Cell, Message
from everlore.vault.folder import FolderVault

MANY = int(os.environ.get("EVERLORE_CRASH_STATES", "1"))
SEED = int(os.environ.get("EVERLORE_CRASH_SEED", "21"))
DATABASE_STATES, FILE_STATES, WHOLE_STATES = 900 * MANY, 1200 * MANY, 12 * MANY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the record reads /proc")


def message(number: int) -> Message:
    text = f"word{number}."
    return Message(f"m{number}", SCOPE, f"s{number % 3}", "alice", None, "user", MAY_28 + number, text, text)


def states_of(recorder: Recorder, number: int, target: Path) -> Iterator[list[str]]:
    """Each state in turn, in this folder, with what had been acknowledged."""
    for cut in cuts(recorder, number, SEED):
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        acknowledged = left(recorder, cut, target)
        print(cut)  # shown if it fails
        yield acknowledged


def test_the_buffer_keeps_every_message_that_was_acknowledged(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    rng = random.Random(SEED)
    with recorded(root) as recorder:
        buffer = SqliteBuffer(root / ".everlore" / "state.db")
        number = 0
        for batch in range(25):
            size = rng.randint(1, 4)
            buffer.append([message(number + at) for at in range(size)])
            recorder.done(f"add {number} {number + size}")
            number += size
            if batch % 5 == 4:
                waiting = buffer.session(SCOPE, "s0")[1]
                cell = Cell(f"c{batch}", SCOPE, "s0", tuple(waiting))
                buffer.close_cells([cell])
                recorder.done("close " + " ".join(one.text for one in waiting))
                buffer.finish(cell)
                recorder.done("finish " + " ".join(one.text for one in waiting))
        buffer.close()
    seen = 0
    for acknowledged in states_of(recorder, DATABASE_STATES, tmp_path / "state"):
        found = SqliteBuffer(tmp_path / "state/.everlore/state.db")
        assert found.check() == []
        there = Counter(one.text for session in ("s0", "s1", "s2") for one in found.unprocessed(SCOPE, session))
        assert set(there.values()) <= {1}
        added = {
            f"word{at}." for line in acknowledged if line.startswith("add") for at in range(*map(int, line.split()[1:]))
        }
        finished = {word for line in acknowledged if line.startswith("finish") for word in line.split()[1:]}
        closed = {word for line in acknowledged if line.startswith("close") for word in line.split()[1:]}
        assert added - closed <= set(there), "acknowledged and gone"
        assert not finished & set(there), "finished and back"
        late = sorted(int(word[4:-1]) for word in set(there) - added)
        assert len(late) <= 4, "part of one batch that was on its way, at most"
        seen += bool(acknowledged)
        found.append([message(9_999)])
        found.close()
    assert seen > DATABASE_STATES / 3


def test_files_are_whole_or_not_there_at_all(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    rng = random.Random(SEED)
    paths = [f"default_app/default_project/users/{name}/user.md" for name in ("alice", "bob", "carol")]
    with recorded(root) as recorder:
        vault = FolderVault(root)
        for number in range(60):
            path = rng.choice(paths)
            if rng.random() < 0.2:
                vault.remove(path)
                recorder.done(f"{path} ")
            else:
                content = f"<{number}{'x' * rng.randrange(3000)}>"
                vault.change(path, lambda _, content=content: content)  # type: ignore[misc]
                recorder.done(f"{path} {content}")
    for acknowledged in states_of(recorder, FILE_STATES, tmp_path / "state"):
        told = dict(line.split(" ", 1) for line in acknowledged)
        known = {step.path.split(" ", 1)[1] for step in recorder.steps if step.what == "done"}
        changed = 0
        for path in paths:
            file = tmp_path / "state" / path
            content = file.read_text(encoding="utf-8") if file.exists() else ""
            assert content == "" or content in known, "half a file"
            assert not file.exists() or content, "an empty file"
            changed += content != told.get(path, "")
        assert changed <= 1, "only what was under way differs from what was acknowledged"


def test_a_vault_is_whole_after_a_power_cut(tmp_path: Path, vectors: Endpoint) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    with recorded(root) as recorder:
        engine = open_vault(root, vectors.url)
        for number in range(6):
            remember(engine, SCOPE, f"s{number}", [says(f"I bought a lamp named word{number}.", at=MAY_28 + number)])
            recorder.done(f"add word{number}.")
            if number % 2:
                flush(engine, SCOPE, f"s{number}")
                recorder.done(f"flush word{number}.")
        save_note(engine, ALICE, "The key is below the mat.")
        recorder.done("note")
        first = listing(engine, ALICE, "episode", descending=False).rows[0]
        recorder.done("forgetting word1.")
        forget(engine, ALICE, first.key.public_id)
        engine.close()
    for acknowledged in states_of(recorder, WHOLE_STATES, tmp_path / "state"):
        opened = open_vault(tmp_path / "state", vectors.url)
        try:
            recover(opened)
            index_changes(opened)
            for item in binned(opened, SCOPE):
                restore(opened, SCOPE, item.id)
            texts = " ".join(contents(opened, ALICE).values())
            waiting = " ".join(one.text for at in range(6) for one in unprocessed(opened, SCOPE, f"s{at}"))
            for line in acknowledged:
                if line.startswith("add"):
                    assert (texts + " " + waiting).count(line.split()[1]) == 1
                if line == "note":
                    assert listing(opened, ALICE, "note").total == 1
            index_changes(opened)
            assert opened.backend.troubles() == []
            assert_index_equals_files(opened)
        except EverloreError as error:
            raise AssertionError(str(error)) from error
        finally:
            opened.close()


def test_a_missing_sync_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file layer that does not sync its folders: the checker must not be blind."""
    monkeypatch.setattr("everlore.vault.folder.sync_folder", lambda _: None)
    with pytest.raises(AssertionError, match=r"differs from what was acknowledged|half a file|an empty file"):
        test_files_are_whole_or_not_there_at_all(tmp_path)

"""A backup holds everything at one moment, and gives it back."""

from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path

import pytest
from embeddings import Endpoint
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, open_vault, says

from everlore.code.projects import Projects
from everlore.engine import Engine
from everlore.errors import Damaged, InvalidInput, NotFound
from everlore.memory import binned, flush, forget, listing, recover, remember, unprocessed
from everlore.memory.backup import back_up, check_backup, restore_backup
from everlore.sync.upkeep import index_changes


def tell(engine: Engine, number: int) -> None:
    remember(engine, SCOPE, f"s{number}", [says(f"I bought lamp number {number}.", at=MAY_28 + number)])


def everything(engine: Engine) -> dict[str, bytes]:
    return {path: raw.content for path, raw in engine.vault.raws([one for one, _, _ in engine.vault.walk()]).items()}


def test_what_was_backed_up_is_what_is_restored(engine: Engine, tmp_path: Path, vectors: Endpoint) -> None:
    for number in range(3):
        tell(engine, number)
        assert flush(engine, SCOPE, f"s{number}")
    tell(engine, 3)
    forget(engine, ALICE, listing(engine, ALICE, "episode").rows[0].key.public_id)
    _, secret = engine.backend.accounts(print).create_key("me")
    system = engine.settings.memory.root / ".everlore"
    projects = Projects(system / "projects.db")
    projects.register(tmp_path, watch=False)
    (engine.settings.memory.root / "ideas.txt").write_text("a file of a person", encoding="utf-8")
    made = back_up(engine, tmp_path / "backup")
    assert made.refused == ()
    assert set(made.databases) >= {"state.db", "accounts.db", "projects.db"}
    restore_backup(tmp_path / "backup", tmp_path / "other")
    other = open_vault(tmp_path / "other", vectors.url)
    index_changes(other)
    assert everything(other) == everything(engine)
    assert (tmp_path / "other/ideas.txt").read_text(encoding="utf-8") == "a file of a person"
    assert [one.text for one in unprocessed(other, SCOPE, "s3")] == ["I bought lamp number 3."]
    assert [one.id for one in binned(other, SCOPE)] == [one.id for one in binned(engine, SCOPE)]
    accounts = other.backend.accounts(print)
    assert accounts.authenticate(secret)
    assert [one.root for one in Projects(tmp_path / "other/.everlore/projects.db").all()] == [str(tmp_path)]
    assert other.backend.troubles() == []
    remember(other, SCOPE, "s0", [says("I bought lamp number 0.", at=MAY_28)])
    assert not flush(other, SCOPE, "s0"), "it knows what it was told"
    assert_index_equals_files(other)
    other.close()
    projects.close()


def test_only_what_is_new_is_copied(engine: Engine, tmp_path: Path) -> None:
    for number in range(5):
        tell(engine, number)
        flush(engine, SCOPE, f"s{number}")
    (engine.settings.memory.root / "large.bin").write_bytes(os.urandom(2**20))
    first = back_up(engine, tmp_path / "backup")
    second = back_up(engine, tmp_path / "backup")
    assert first.new > second.new <= len(second.databases)


def test_a_damaged_backup_is_refused_before_anything_is_written(engine: Engine, tmp_path: Path) -> None:
    tell(engine, 1)
    flush(engine, SCOPE, "s1")
    back_up(engine, tmp_path / "backup")
    one = max((tmp_path / "backup/objects").rglob("*"), key=lambda file: file.stat().st_size if file.is_file() else 0)
    content = bytearray(one.read_bytes())
    content[len(content) // 2] ^= 1
    one.write_bytes(content)
    with pytest.raises(Damaged, match="nothing was restored"):
        restore_backup(tmp_path / "backup", tmp_path / "other")
    assert not (tmp_path / "other").exists()
    manifest = next((tmp_path / "backup/snapshots").iterdir())
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("s1", "s2").replace("0", "1", 1), encoding="utf-8")
    with pytest.raises(Damaged):
        check_backup(tmp_path / "backup")


def test_where_it_may_go_and_where_not(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="inside the vault"):
        back_up(engine, engine.settings.memory.root / "backup")
    with pytest.raises(NotFound):
        restore_backup(tmp_path / "nothing", tmp_path / "other")
    back_up(engine, tmp_path / "backup")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    with pytest.raises(InvalidInput, match="not empty"):
        restore_backup(tmp_path / "backup", tmp_path / "full")


def test_backups_beside_work_hold_each_message_once(engine: Engine, tmp_path: Path, vectors: Endpoint) -> None:
    stop = threading.Event()
    acknowledged: list[int] = []

    def work() -> None:
        for number in range(400):
            if stop.is_set():
                break
            tell(engine, number)
            acknowledged.append(number)
            if number % 3:
                flush(engine, SCOPE, f"s{number}")

    worker = threading.Thread(target=work)
    worker.start()
    rounds: list[tuple[int, Path]] = []
    for number in range(4):
        told = len(acknowledged)
        back_up(engine, tmp_path / "backup")
        rounds.append((told, tmp_path / f"restored{number}"))
        restore_backup(tmp_path / "backup", rounds[-1][1])
    stop.set()
    worker.join()
    for told, folder in rounds:
        other = open_vault(folder, vectors.url)
        recover(other)
        for number in range(400):
            flush(other, SCOPE, f"s{number}")
        index_changes(other)
        texts = " ".join(contents(other, ALICE).values())
        found = Counter(number for number in range(400) if f"lamp number {number}." in texts)
        assert all(found[number] == 1 for number in acknowledged[:told])
        assert all(texts.count(f"lamp number {number}.") <= 1 for number in range(400))
        assert_index_equals_files(other)
        other.close()

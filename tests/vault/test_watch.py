from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from everlore.errors import Misconfigured
from everlore.vault.folder import FolderVault
from everlore.vault.watch import expand, watch

USER = "default_app/default_project/users/alice"
PROFILE = f"{USER}/user.md"


class Seen:
    """Collects reports and lets a test wait for one."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.changed = threading.Condition()

    def __call__(self, paths: set[str]) -> None:
        with self.changed:
            self.paths |= paths
            self.changed.notify_all()

    def wait_for(self, path: str) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: path in self.paths, timeout=60)


@pytest.fixture
def vault(tmp_path: Path) -> FolderVault:
    made = FolderVault(tmp_path / "vault")
    made.change(PROFILE, lambda _: "one")
    return made


@contextmanager
def watching(vault: FolderVault) -> Iterator[Seen]:
    found, stop, ready = Seen(), threading.Event(), threading.Event()
    thread = threading.Thread(target=watch, args=(vault, found, stop, ready))
    thread.start()
    try:
        assert ready.wait(60)
        yield found
    finally:
        stop.set()
        thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def seen(vault: FolderVault) -> Iterator[Seen]:
    with watching(vault) as found:
        yield found


def test_every_way_of_saving_is_a_change_of_the_file(vault: FolderVault, seen: Seen) -> None:
    file = vault.root / PROFILE
    file.write_text("in place", encoding="utf-8")
    assert seen.wait_for(PROFILE)
    seen.paths.clear()

    vault.change(PROFILE, lambda _: "atomic")
    assert seen.wait_for(PROFILE)
    seen.paths.clear()

    # vim: probe, keep the old file as a backup, write a new one
    (file.parent / "4913").touch()
    (file.parent / "4913").unlink()
    (file.parent / ".user.md.swp").write_text("swap", encoding="utf-8")
    file.rename(file.with_name("user.md~"))
    file.write_text("vim", encoding="utf-8")
    file.with_name("user.md~").unlink()
    assert seen.wait_for(PROFILE)
    assert seen.paths == {PROFILE}
    seen.paths.clear()

    file.unlink()
    assert seen.wait_for(PROFILE)


def test_folders_that_go_and_come_are_reported(vault: FolderVault, seen: Seen, tmp_path: Path) -> None:
    shutil.move(vault.root / USER, tmp_path / "away")
    assert seen.wait_for(f"{USER}/")
    assert expand(vault, seen.paths, [PROFILE, "a/b/users/c/user.md"]) == {PROFILE}
    seen.paths.clear()

    shutil.move(tmp_path / "away", vault.root / "default_app/default_project/users/bob")
    bob = "default_app/default_project/users/bob"
    assert seen.wait_for(f"{bob}/")
    assert f"{bob}/user.md" in expand(vault, {f"{bob}/"}, [])


def test_a_file_in_a_new_folder_is_found(vault: FolderVault, seen: Seen) -> None:
    path = "shop/eu/agents/bot/skills/fix/SKILL.md"
    vault.change(path, lambda _: "skill")
    with seen.changed:
        assert seen.changed.wait_for(lambda: path in expand(vault, seen.paths, []), timeout=60)


def test_our_own_and_other_files_are_not_reported(vault: FolderVault, seen: Seen) -> None:
    with vault.lock("anything"):
        (vault.root / ".everlore" / "index.db").write_bytes(b"x")
    (vault.root / "README.md").write_text("mine", encoding="utf-8")
    (vault.root / ".obsidian").mkdir()
    os.utime(vault.root / USER)
    vault.change(PROFILE, lambda _: "last")
    assert seen.wait_for(PROFILE)
    assert seen.paths == {PROFILE}


def test_a_vault_that_is_not_there_yet_is_watched(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path / "new")
    with watching(vault) as seen:
        vault.change(PROFILE, lambda _: "one")
        with seen.changed:
            assert seen.changed.wait_for(lambda: PROFILE in expand(vault, seen.paths, []), timeout=60)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    stop = threading.Event()
    stop.set()
    with pytest.raises(Misconfigured, match="file"):
        watch(FolderVault(tmp_path / "file" / "vault"), lambda _: None, stop)

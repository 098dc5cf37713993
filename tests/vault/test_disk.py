"""One owner's odd file holds up nobody: it is refused by its name, and the rest goes on."""

from __future__ import annotations

import os
import resource
import socket
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from vaults import ALICE, SCOPE, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.errors import Unavailable, Unreadable
from everlore.memory import export_owner, flush, listing, remember
from everlore.sync.upkeep import index_changes, troubles
from everlore.types import Owner
from everlore.vault import disk
from everlore.vault.disk import being_written, load
from everlore.vault.folder import FolderVault

BOB = Owner(SCOPE, "user", "bob")
OF_BOB = "default_app/default_project/users/bob/episodes/episode-2026-05-29.md"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these files exist on POSIX alone")


def sparse(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(2**30)


def fifo(file: Path) -> None:
    os.mkfifo(file)


def unix_socket(file: Path) -> None:
    here = Path.cwd()
    os.chdir(file.parent)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(file.name)
    os.chdir(here)


def device(file: Path) -> None:
    try:
        os.mknod(file, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero, which never ends
    except PermissionError:
        pytest.skip("only root makes devices")


@pytest.mark.parametrize("odd", [sparse, fifo, unix_socket, device])
def test_an_odd_file_of_one_owner_is_told_and_holds_up_nobody(engine: Engine, odd: Callable[[Path], None]) -> None:
    for sender in ("alice", "bob"):
        remember(engine, SCOPE, sender, [says("I keep bees.", sender)])
        assert flush(engine, SCOPE, sender)
    odd(engine.settings.memory.root / OF_BOB)
    engine.index.queue.enqueue([OF_BOB])
    began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    index_changes(engine)
    assert any(OF_BOB in sentence for sentence in troubles(engine.index))
    exported = export_owner(engine, BOB)
    assert len(exported.files) >= 2
    assert all("episode-2026-05-29" in sentence for sentence in exported.refused)
    assert len(export_owner(engine, ALICE).files) >= 2
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - began
    assert grown < 200 * 1024, f"{grown} KiB for a file that is not read"
    remember(engine, SCOPE, "more", [says("I play the violin.", at=1_780_000_000_000 + 5)])
    assert flush(engine, SCOPE, "more")
    assert listing(engine, ALICE, "episode").total == 2
    assert listing(engine, BOB, "episode").total == 1
    with pytest.raises(Unreadable, match="episode-2026-05-29"):
        engine.vault.change(OF_BOB, lambda text: text)
    (engine.settings.memory.root / OF_BOB).unlink()
    index_changes(engine)
    assert_index_equals_files(engine)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc")
def test_a_file_without_a_size_is_read_and_one_without_an_end_is_not(tmp_path: Path) -> None:
    assert b"cgroup" in (Path("/proc/filesystems").read_bytes())
    with pytest.raises((Unavailable, Unreadable)):
        load(Path("/proc/filesystems"), "x.md")  # its size is never what is in it
    with pytest.raises(Unreadable, match="larger than"):
        load(Path("/proc/kallsyms"), "x.md", 1000)


def test_a_file_that_would_become_too_large_is_not_written(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path / "vault", largest=1000)
    path = "default_app/default_project/users/alice/user.md"
    vault.change(path, lambda _: "x" * 1000)
    with pytest.raises(Unavailable, match="MAX_FILE_BYTES"):
        vault.change(path, lambda text: f"{text}y")
    (tmp_path / "vault" / path).write_text("x" * 1001, encoding="utf-8")
    with pytest.raises(Unreadable, match="larger than 1000"):
        vault.read(path)


def test_only_its_owner_gets_in(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir(mode=0o755)
    vault = FolderVault(root)
    path = "default_app/default_project/users/alice/user.md"
    vault.change(path, lambda _: "mine")
    assert all(folder.stat().st_mode & 0o077 == 0 for folder in (root, *root.rglob("*")))
    assert (root / path).stat().st_mode & 0o777 == 0o600


def test_a_shared_vault_keeps_the_rights_of_its_folders(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    vault = FolderVault(root, shared=True)
    path = "default_app/default_project/users/alice/user.md"
    vault.change(path, lambda _: "ours")
    assert root.stat().st_mode & 0o777 == 0o770
    assert (root / path).parent.stat().st_mode & 0o777 == 0o770
    assert (root / path).stat().st_mode & 0o777 == 0o660


def test_locks_leave_no_files(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path / "vault")
    for number in range(50):
        with vault.lock(f"session {number}"), vault.lock("another"):
            pass
    assert list((tmp_path / "vault/.everlore/locks").iterdir()) == []
    (tmp_path / "vault/.everlore/locks/old.lock").touch()
    FolderVault(tmp_path / "vault").prepare()
    assert list((tmp_path / "vault/.everlore/locks").iterdir()) == []


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """A file system of one page, where we may make one."""
    root = tmp_path / "vault"
    root.mkdir()
    if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=64k tmpfs {root} 2>/dev/null") != 0:
        pytest.skip("only root may mount a small disk")
    try:
        vault = FolderVault(root)
        vault.try_write()
        with pytest.raises(OSError, match="No space"):
            (root / "filler").write_bytes(b"x" * 2**20)
        with pytest.raises(Unavailable, match="No space"):
            vault.try_write()
        (root / "filler").unlink()
        vault.try_write()
    finally:
        os.system(f"umount {root}")


def test_waiting_is_bounded() -> None:
    began = time.monotonic()
    with pytest.raises(Unreadable):
        load(Path("/dev/zero"), "x.md")
    assert time.monotonic() - began < 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes")
@pytest.mark.parametrize(("kind", "seen"), [("ext4", True), ("nfs4", False), ("cifs", False)])
def test_a_network_disk_that_gives_no_lease_says_nothing_about_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, seen: bool
) -> None:
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 27 0:999999 / /proc rw,relatime - proc proc rw\n"
        f"61 28 {os.major(device)}:{os.minor(device)} / /memories rw shared:1 - {kind} server:/memories rw\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(disk, "MOUNTS", mounts)
    with (tmp_path / "user.md").open("w", encoding="utf-8"):
        assert being_written(tmp_path / "user.md") == seen
    assert not being_written(tmp_path / "user.md")

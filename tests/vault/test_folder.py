from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from everlore.errors import Damaged, EverloreError, InvalidInput, Misconfigured, Unavailable
from everlore.vault.disk import FolderShelf
from everlore.vault.folder import FolderVault, relevant

EPISODES = "default_app/default_project/users/alice/episodes/episode-2026-11-15.md"
PROFILE = "default_app/default_project/users/alice/user.md"


@pytest.fixture
def vault(tmp_path: Path) -> FolderVault:
    return FolderVault(tmp_path / "vault")


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def notes(vault: FolderVault) -> set[str]:
    return {path for path in files_below(vault.root) if not path.startswith(".everlore/locks/")}


def test_a_file_is_created_changed_and_deleted(vault: FolderVault) -> None:
    assert vault.read(PROFILE) is None
    created = vault.change(PROFILE, lambda text: "one" if text is None else "wrong").after
    assert created == vault.read(PROFILE)
    assert created is not None
    assert created.text == "one"
    stat = (vault.root / PROFILE).stat()
    assert (created.mtime_ns, created.size) == (stat.st_mtime_ns, stat.st_size)
    changed = vault.change(PROFILE, lambda text: f"{text}\r\ntwö").after
    assert changed == vault.read(PROFILE)
    assert (vault.root / PROFILE).read_bytes() == "one\r\ntwö".encode()
    assert vault.change(PROFILE, lambda _: None).after is None
    assert vault.change(PROFILE, lambda _: None).after is None
    assert notes(vault) == set()


def test_the_same_text_writes_nothing(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    before = (vault.root / PROFILE).stat()
    vault.change(PROFILE, lambda text: text)
    after = (vault.root / PROFILE).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.skipif(os.name == "nt", reason="modes of files are a POSIX matter")
def test_modes_are_private_at_first_and_kept_later(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    file = vault.root / PROFILE
    assert vault.root.stat().st_mode & 0o777 == 0o700
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    vault.change(PROFILE, lambda _: "two")
    assert file.stat().st_mode & 0o777 == 0o640


def test_an_edit_made_meanwhile_is_not_overwritten(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    seen: list[str | None] = []

    def edit(text: str | None) -> str:
        seen.append(text)
        if len(seen) == 1:
            (vault.root / PROFILE).write_text("two", encoding="utf-8")  # same size, perhaps the same clock tick
        return f"{text}!"

    vault.change(PROFILE, edit)
    assert seen == ["one", "two"]
    assert (vault.root / PROFILE).read_text(encoding="utf-8") == "two!"


def test_a_file_made_or_deleted_meanwhile_is_noticed(vault: FolderVault) -> None:
    seen: list[str | None] = []

    def edit(text: str | None) -> str:
        seen.append(text)
        if len(seen) == 1:
            (vault.root / PROFILE).parent.mkdir(parents=True)
            (vault.root / PROFILE).write_text("theirs", encoding="utf-8")
        elif len(seen) == 2:
            (vault.root / PROFILE).unlink()
        return "ours"

    vault.change(PROFILE, edit)
    assert seen == [None, "theirs", None]


def test_a_file_that_never_rests_is_given_up(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "0")

    def edit(text: str | None) -> str:
        (vault.root / PROFILE).write_text(f"{text}x", encoding="utf-8")
        return "ours"

    with pytest.raises(Unavailable, match="close it there"):
        vault.change(PROFILE, edit)
    assert "ours" not in (vault.root / PROFILE).read_text(encoding="utf-8")
    assert notes(vault) == {PROFILE}


def test_a_failing_edit_changes_nothing(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    with pytest.raises(ZeroDivisionError):
        vault.change(PROFILE, lambda _: str(1 // 0))
    with pytest.raises(InvalidInput, match="half a character"):
        vault.change(PROFILE, lambda _: "a\ud800")
    assert notes(vault) == {PROFILE}
    assert vault.change(PROFILE, lambda text: f"{text}!").after == vault.read(PROFILE)


def test_a_full_disk_leaves_the_old_file_and_no_litter(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, hard))
    try:
        with pytest.raises(Unavailable, match="cannot be read or written"):
            vault.change(PROFILE, lambda _: "x" * 200_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert notes(vault) == {PROFILE}
    assert (vault.root / PROFILE).read_text(encoding="utf-8") == "one"


def test_bytes_that_are_not_text_are_reported_and_left_alone(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    (vault.root / PROFILE).write_bytes(b"line\n\xff\xfe")
    with pytest.raises(Damaged, match=r"user.md, line 2: .*UTF-8"):
        vault.read(PROFILE)
    with pytest.raises(Damaged):
        vault.change(PROFILE, lambda _: "mine")
    assert (vault.root / PROFILE).read_bytes() == b"line\n\xff\xfe"


def test_nothing_is_written_through_links_or_outside(vault: FolderVault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "user.md").write_text("theirs", encoding="utf-8")
    users = vault.root / "default_app/default_project/users"
    users.mkdir(parents=True)
    (users / "alice").symlink_to(outside)
    (users / "bob").mkdir()
    (users / "bob" / "user.md").symlink_to(outside / "user.md")
    for path in (PROFILE, PROFILE.replace("alice", "bob"), "../outside/user.md", str(outside / "user.md")):
        with pytest.raises(Misconfigured):
            vault.change(path, lambda _: "ours")
        with pytest.raises(Misconfigured):
            vault.read(path)
    assert (outside / "user.md").read_text(encoding="utf-8") == "theirs"
    assert list(vault.walk()) == []


def test_a_vault_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    FolderVault(tmp_path / "link").change(PROFILE, lambda _: "one")
    assert (tmp_path / "real" / PROFILE).read_text(encoding="utf-8") == "one"


def test_things_in_the_way_are_named(vault: FolderVault) -> None:
    vault.root.mkdir()
    (vault.root / "config.toml").write_text("", encoding="utf-8")
    with pytest.raises(Misconfigured, match=r"config\.toml"):
        vault.change("config.toml/p/users/alice/user.md", lambda _: "x")
    (vault.root / PROFILE).mkdir(parents=True)
    with pytest.raises(Misconfigured, match="plain folders"):
        vault.read(PROFILE)
    with pytest.raises(InvalidInput, match="shorter id"):
        vault.change("a" * 300 + "/user.md", lambda _: "x")


def test_ids_that_a_disk_cannot_tell_apart_are_refused(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    (vault.root / ".EVERLORE").mkdir(exist_ok=True)  # what a disk without case would answer to
    with pytest.raises(InvalidInput, match="cannot tell 'Alice' from 'alice'"):
        vault.change(PROFILE.replace("alice", "Alice"), lambda _: "two")
    assert vault.change(PROFILE, lambda text: f"{text}!").after == vault.read(PROFILE)
    vault.change(PROFILE.replace("alice", "Bob"), lambda _: "two")
    with pytest.raises(InvalidInput, match="cannot tell 'bob' from 'Bob'"):
        vault.change(PROFILE.replace("alice", "bob"), lambda _: "two")


def test_threads_take_turns(vault: FolderVault) -> None:
    def add() -> None:
        for _ in range(15):
            vault.change(PROFILE, lambda text: f"{text or ''}x")

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    found = vault.read(PROFILE)
    assert found is not None
    assert found.text == "x" * 60


ADD = """
import sys
from pathlib import Path
from everlore.vault.folder import FolderVault
for _ in range(20):
    FolderVault(Path(sys.argv[1])).change(sys.argv[2], lambda text: (text or "") + "x")
"""

HOLD = """
import sys
from pathlib import Path
from everlore.vault.folder import FolderVault
with FolderVault(Path(sys.argv[1])).lock(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


def python(code: str, *args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *args]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_processes_take_turns(vault: FolderVault) -> None:
    running = [python(ADD, str(vault.root), PROFILE) for _ in range(3)]
    for process in running:
        process.communicate(timeout=60)
        assert process.returncode == 0
    found = vault.read(PROFILE)
    assert found is not None
    assert found.text == "x" * 60


@pytest.mark.skipif(os.name == "nt", reason="uses SIGKILL")
def test_a_lock_excludes_and_dies_with_its_process(vault: FolderVault) -> None:
    holder = python(HOLD, str(vault.root), PROFILE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Unavailable, match="in use"), vault.lock(PROFILE, timeout=0.05):
        pass
    with pytest.raises(Unavailable):
        vault.change(PROFILE, lambda _: "x", timeout=0.05)
    with vault.lock("another", timeout=30):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate(timeout=30)
    with vault.lock(PROFILE, timeout=60):
        pass


def test_a_thread_may_take_its_lock_again_but_no_other_may(vault: FolderVault) -> None:
    refused = threading.Event()

    def intrude() -> None:
        try:
            vault.change(PROFILE, lambda _: "theirs", timeout=0.05)
        except Unavailable:
            refused.set()

    with vault.lock(PROFILE):
        vault.change(PROFILE, lambda _: "ours")
        other = threading.Thread(target=intrude)
        other.start()
        other.join(60)
        assert refused.is_set()
    with vault.lock(PROFILE, timeout=60):
        pass
    found = vault.read(PROFILE)
    assert found is not None
    assert found.text == "ours"


def test_walk_finds_memories_only(vault: FolderVault) -> None:
    base = "default_app/default_project/users/alice"
    wanted = [
        EPISODES,
        PROFILE,
        f"{base}/.atomic_facts/atomic_fact-2026-11-15.md",
        "shop/eu/agents/bot/skills/fix/SKILL.md",
    ]
    for path in wanted:
        vault.change(path, lambda _: "text")
    for path in (
        "README.md",
        ".obsidian/p/users/alice/user.md",
        ".trash/user.md",
        f"{base}/episodes/.episode-2026-11-15.md.swp",
        f"{base}/episodes/episode-2026-11-15.md~",
        f"{base}/episodes/4913",
        f"{base}/episodes/#episode-2026-11-15.md#",
        f"{base}/user.md.tmp",
        f"{base}/.DS_Store",
        "shop/eu/agents/bot/skills/fix/references/notes.md",
    ):
        (vault.root / path).parent.mkdir(parents=True, exist_ok=True)
        (vault.root / path).write_text("other", encoding="utf-8")
        assert not relevant(path)
    (vault.root / base / "loop").symlink_to(vault.root)
    found = list(vault.walk())
    assert sorted(path for path, _, _ in found) == sorted(wanted)
    assert [path for path, _, _ in found] == [path for path, _, _ in vault.walk()]
    for path, mtime_ns, size in found:
        stat = (vault.root / path).stat()
        assert (mtime_ns, size) == (stat.st_mtime_ns, stat.st_size)
    assert [path for path, _, _ in vault.walk("shop")] == ["shop/eu/agents/bot/skills/fix/SKILL.md"]
    assert list(vault.walk("nowhere")) == []


def test_a_vault_that_is_not_there_is_empty(vault: FolderVault) -> None:
    assert list(vault.walk()) == []
    assert vault.read(PROFILE) is None
    assert not vault.root.exists()


def test_litter_of_dead_processes_is_swept(vault: FolderVault) -> None:
    vault.change(PROFILE, lambda _: "one")
    old, fresh = vault.root / ".everlore/tmp/old.tmp", vault.root / ".everlore/tmp/fresh.tmp"
    old.write_text("x", encoding="utf-8")
    fresh.write_text("x", encoding="utf-8")
    os.utime(old, (time.time() - 7200,) * 2)
    FolderVault(vault.root).change(PROFILE, lambda _: "two")
    assert not old.exists()
    assert fresh.exists()


def test_what_is_put_is_there_until_it_is_dropped(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "bin")
    shelf.put("b.json", b"first")
    shelf.put("b.json", b"second")
    shelf.put("a.json", b"")
    assert shelf.names() == ["a.json", "b.json"]
    assert (shelf.get("a.json"), shelf.get("b.json")) == (b"", b"second")
    shelf.drop(["b.json", "never"])
    assert FolderShelf(tmp_path / "bin").names() == ["a.json"]
    assert shelf.get("b.json") is None


def test_before_anything_is_put_there_is_nothing_and_no_folder(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "bin")
    assert shelf.names() == []
    assert shelf.get("a") is None
    shelf.drop(["a"])
    assert list(tmp_path.iterdir()) == []


def test_what_is_half_written_is_not_named(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "bin")
    shelf.put("a", b"whole")
    (tmp_path / "bin" / ".half").write_bytes(b"ha")
    assert shelf.names() == ["a"]


def test_a_file_where_the_folder_must_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "bin").write_text("", encoding="utf-8")
    with pytest.raises(EverloreError, match="a file where a folder must be"):
        FolderShelf(tmp_path / "bin").put("a", b"content")

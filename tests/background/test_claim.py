"""Being the server of a vault: one at a time, found by its file, and gone when the vault is."""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from everlore.background import claim
from everlore.background.claim import take
from everlore.background.client import find
from everlore.background.place import Place

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="sockets and modes of POSIX")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "vault", "server", may_start=True)


@posix_only
def test_it_is_registered_for_its_owner_alone(place: Place) -> None:
    mine = take(place, 0)
    assert mine is not None
    listener = mine.listen()
    assert listener is not None
    mine.register("http://127.0.0.1:1", background=True)
    assert {file: stat.S_IMODE(place.file(file).stat().st_mode) for file in ("json", "sock")} == {
        "json": 0o600,
        "sock": 0o600,
    }
    found = find(place)
    assert found is not None
    assert (found.pid, found.token, found.socket) == (os.getpid(), mine.token, str(place.file("sock")))
    listener.close()
    mine.release()
    assert find(place) is None
    assert sorted(file.name for file in place.file("json").parent.iterdir()) == ["server.lock"]


def test_of_two_one_is_it(place: Place) -> None:
    mine = take(place, 0)
    assert mine is not None
    assert take(place, 0.1) is None
    mine.release()
    other = take(place, 0)
    assert other is not None
    assert other.token != mine.token
    other.release()


def test_files_that_nobody_holds_mean_nothing(place: Place) -> None:
    """What `kill -9` leaves, with a number that another process has by now."""
    mine = take(place, 0)
    assert mine is not None
    mine.register("http://127.0.0.1:1", background=True)
    left = place.file("json").read_bytes()
    mine.release()
    place.file("json").write_bytes(left)
    assert find(place) is None
    again = take(place, 0)
    assert again is not None
    again.release()
    for nonsense in (b"", b"{", b"[]", b'{"pid": 1}', b"\xff"):
        place.file("json").write_bytes(nonsense)
        assert find(place) is None


@posix_only
def test_a_long_path_has_its_socket_in_a_private_folder(tmp_path: Path) -> None:
    place = Place(tmp_path / ("x" * 90) / "vault", "server", may_start=True)
    mine = take(place, 0)
    assert mine is not None
    with mine.listen() or pytest.fail("no socket"):
        mine.register("http://127.0.0.1:1", background=True)
        found = find(place)
        assert found is not None
        elsewhere = Path(found.socket)
        assert not elsewhere.is_relative_to(place.root)
        assert stat.S_IMODE(elsewhere.parent.stat().st_mode) == 0o700
    mine.release()
    assert not elsewhere.exists()


@posix_only
def test_where_no_socket_can_be_made_the_port_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    monkeypatch.setattr(claim, "LONGEST_ADDRESS", 1)
    mine = take(place, 0)
    assert mine is not None
    assert mine.listen() is None
    mine.register("http://127.0.0.1:1", background=True)
    found = find(place)
    assert found is not None
    assert found.socket == ""
    mine.release()


def test_a_vault_that_was_moved_or_deleted_is_noticed(place: Place, tmp_path: Path) -> None:
    mine = take(place, 0)
    assert mine is not None
    mine.register("http://127.0.0.1:1", background=True)
    assert mine.in_place()
    place.root.rename(tmp_path / "moved")
    assert not mine.in_place()
    moved = place._replace(root=tmp_path / "moved")
    assert find(moved) is None, "it serves another folder"
    mine.release()
    assert moved.file("json").exists(), "what lies elsewhere by now is not ours to delete"
    assert not place.root.exists()


def test_a_full_disk_registers_nothing_and_leaves_nothing(place: Place) -> None:
    mine = take(place, 0)
    assert mine is not None
    place.file("json").mkdir()
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
        mine.register("http://127.0.0.1:1", background=True)
    mine.release()
    assert sorted(file.name for file in place.file("json").parent.iterdir()) == ["server.json", "server.lock"]


@posix_only
def test_a_log_that_grew_large_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "LARGEST_LOG", 100)
    path, kept = tmp_path / "log", [os.dup(1), os.dup(2)]
    try:
        claim.log_to(path)
        os.write(2, b"x" * 101)
        claim.log_to(path)
        os.write(1, b"new")
        claim.log_to(path)
    finally:
        for standard, before in zip((1, 2), kept, strict=True):
            os.dup2(before, standard)
            os.close(before)
    assert path.read_bytes() == b"new"
    assert (tmp_path / "log.1").read_bytes() == b"x" * 101
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix_only
def test_a_socket_of_a_dead_server_is_replaced(place: Place) -> None:
    place.file("sock").parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(place.file("sock")))
    mine = take(place, 0)
    assert mine is not None
    with mine.listen() or pytest.fail("no socket"), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(place.file("sock")))
    mine.release()

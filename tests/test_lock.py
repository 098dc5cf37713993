"""Locks against other threads and other processes, with real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from everlore.lock import FileLock

HOLDER = """
import sys
from everlore.lock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until it is told a line, or killed."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def is_free(path: Path) -> bool:
    try:
        with FileLock(path, seconds=0):
            return True
    except TimeoutError:
        return False


def test_another_process_waits_until_it_is_released(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    assert not is_free(tmp_path / "lock")
    with pytest.raises(TimeoutError, match="is held by another thread or process"):
        FileLock(tmp_path / "lock", seconds=0.02).acquire()
    holder.communicate("go\n")
    assert is_free(tmp_path / "lock")


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    assert is_free(tmp_path / "lock")


def test_threads_hold_it_one_after_the_other(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    inside, most = 0, 0

    def work(_: int) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            tmp_path.stat()  # lets other threads run
            inside -= 1

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(40)))
    assert most == 1


def test_a_thread_may_take_it_again(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock", seconds=0)
    with lock:
        with lock:
            pass
        with ThreadPoolExecutor(1) as threads:
            assert not threads.submit(is_free, tmp_path / "lock").result()
    assert is_free(tmp_path / "lock")


@pytest.mark.skipif(os.name == "nt", reason="a file that is open cannot be deleted there")
def test_who_waits_for_a_deleted_file_does_not_hold_it(tmp_path: Path) -> None:
    """One waits for the file that is deleted while it is held, and another makes a new one: only one of them holds."""
    path = tmp_path / "lock"
    first, taken = FileLock(path), threading.Event()
    first.acquire()

    def wait() -> bool:
        with FileLock(path):
            taken.set()
            return is_free(path)

    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(wait)
        path.unlink()
        first.release()
        assert waiting.result() is False
    assert is_free(path)


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "absent" / "lock", seconds=1).acquire()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        FileLock(tmp_path / "lock", seconds=1).acquire()
    assert not (tmp_path / "elsewhere").exists()

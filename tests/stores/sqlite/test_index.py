"""What becomes of the SQLite files when the world is unkind."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from embeddings import Endpoint
from stored import DIMENSION, direction, embed, fill, found, message, row, text, vector, where
from vaults import open_vault, within

from everlore import database
from everlore.errors import Damaged, Misconfigured, Unavailable
from everlore.stores.base import Index
from everlore.stores.sqlite.buffer import SqliteBuffer
from everlore.stores.sqlite.index import open_index
from everlore.stores.sqlite.upkeep import SqliteUpkeep
from everlore.sync.worker import Worker
from everlore.types import Scope


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".everlore" / "index.db"


def file_of(index: Index) -> database.Database:
    assert isinstance(index.upkeep, SqliteUpkeep)
    return index.upkeep._db


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    with pytest.raises(Unavailable, match="cannot be created"):
        open_index(tmp_path / "taken" / "index.db")


def test_a_full_disk_leaves_everything_as_it_was(path: Path) -> None:
    index = open_index(path)
    fill(index, row("af_1", "tea"))
    pages = file_of(index).read(lambda db: db.value("PRAGMA page_count"))
    file_of(index)._connection().execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(Unavailable, match="full"):
        fill(index, *[row(f"af_{n}", "cake " * 50) for n in range(500)])
    assert (found(index, "tea"), found(index, "cake")) == (["af_1"], [])
    index.close()


def test_many_small_writes_are_tidied_in_the_background(tmp_path: Path, vectors: Endpoint) -> None:
    engine = open_vault(tmp_path / "vault", vectors.url)

    def segments() -> int:
        connection = database.Connection(str(tmp_path / "vault" / ".everlore" / "index.db"))
        return int(connection.value("SELECT count(DISTINCT segid) FROM words_idx"))

    for number in range(3):
        fill(engine.index, row(f"af_{number}", f"tea {number}"), path=f"{number}.md")
    assert segments() > 1
    worker = Worker(engine)
    worker.start()
    try:
        within(5, lambda: segments() == 1)
    finally:
        worker.stop()
        engine.close()


def test_what_another_process_merged_is_not_taken_for_damage(path: Path) -> None:
    index, other = open_index(path), open_index(path)
    for number in range(3):
        fill(index, row(f"af_{number}", "tea"), path=f"{number}.md")
    assert (len(found(other, "tea")), other.upkeep.check()) == (3, [])
    while index.upkeep.tidy():
        pass
    assert other.upkeep.check() == []
    index.close()
    other.close()


def test_an_index_that_cannot_be_written_is_not_tidied_again_and_again(path: Path) -> None:
    index = open_index(path)
    fill(index, row("af_1", "tea"))
    fill(index, row("af_2", "tea"), path="b.md")
    file_of(index)._connection().execute("PRAGMA query_only=1")
    with pytest.raises(Unavailable):
        index.upkeep.tidy()
    assert not index.upkeep.tidy()
    file_of(index)._connection().execute("PRAGMA query_only=0")
    fill(index, row("af_3", "tea"), path="c.md")
    assert index.upkeep.tidy()
    index.close()


def test_a_closed_index_says_so(path: Path) -> None:
    index = open_index(path)
    index.close()
    index.close()
    with pytest.raises(Unavailable, match="closed"):
        index.files.known()


def test_connections_of_finished_threads_are_closed(path: Path) -> None:
    index = open_index(path)
    threads = [threading.Thread(target=index.files.known) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(file_of(index)._connections) == 1
    index.close()


def test_a_newer_state_is_refused_and_a_damaged_one_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    buffer = SqliteBuffer(path)
    buffer.append([message(1)])
    buffer.close()
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(Misconfigured, match="newer"):
        SqliteBuffer(path)
    path.write_bytes(b"garbage " * 2000)
    harmed = SqliteBuffer(path)
    with pytest.raises(Damaged, match="backup"):
        harmed.count()
    harmed.close()
    assert path.read_bytes() == b"garbage " * 2000


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from stored import ALICE, message, fill, row
from everlore.stores.sqlite.buffer import SqliteBuffer
from everlore.stores.sqlite.index import open_index
from everlore.stores.base import Index
root, number = Path(sys.argv[1]), int(sys.argv[2])
sys.stdin.readline()
index, buffer = open_index(root / "index.db"), SqliteBuffer(root / "state.db")
for n in range(5):
    fill(index, row(f"af_{number}_{n}", f"tea from {number}"), path=f"{number}_{n}.md")
    buffer.append([message(number * 100 + n)])
    print(buffer.next_number(ALICE, "ep", "day", 0))
"""


def test_processes_that_open_a_new_vault_at_once_all_succeed(tmp_path: Path) -> None:
    support = str(Path(__file__).parents[2] / "support")
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path / "new"), str(number), support],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].split() for process in started]
    assert [process.returncode for process in started] == [0] * 4
    assert sorted(int(n) for lines in said for n in lines) == list(range(1, 21))
    index, buffer = open_index(tmp_path / "new" / "index.db"), SqliteBuffer(tmp_path / "new" / "state.db")
    assert (len(index.files.known()), len(found(index, "tea", limit=50)), index.upkeep.check()) == (20, 20, [])
    assert len(buffer.session(Scope(), "s1")[1]) == 20
    index.close()
    buffer.close()


def test_many_threads_search_while_one_writes(path: Path) -> None:
    index = open_index(path)
    index.upkeep.use_model("m", DIMENSION)
    fill(index, row("first", "tea"))
    embed(index, {"tea": 1})
    wrong: list[object] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            hits = [text(index, ["tea"], where(), 99), vector(index, direction(1), where(), 99)]
            wrong.extend(some for some in hits if not some or len({hit.unit for hit in some}) != len(some))

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(30):
        fill(index, row("first", "tea"), *[row(f"af_{k}", "tea") for k in range(n % 7)])
        embed(index, {"tea": 1})
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert index.upkeep.check() == []
    index.close()

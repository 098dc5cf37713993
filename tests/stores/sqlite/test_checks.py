"""A check of the index finds what does not agree, and says nothing of an index that is well."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from stored import embed, fill, row

from everlore.stores.sqlite import packs
from everlore.stores.sqlite.checks import damage
from everlore.stores.sqlite.index import open_index


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(packs, "SIZE", 2)
    index = open_index(tmp_path / "index.db")
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "tea in Rome"), row("af_2", "milk"))
    embed(index, {"tea in Rome": 1, "milk": 2})
    assert index.upkeep.check() == []
    index.close()
    return tmp_path / "index.db"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("DELETE FROM words WHERE rowid = (SELECT max(rowid) FROM words)", "units are missing from the text index"),
        ("DELETE FROM units WHERE id = (SELECT min(id) FROM units)", "entries of the text index belong to no unit"),
        ("DELETE FROM memories WHERE id = 1", "units belong to no memory"),
        ("DELETE FROM denses WHERE unit = (SELECT min(id) FROM units)", "units that want a vector have no text for it"),
        ("DELETE FROM vectors WHERE unit = (SELECT min(id) FROM units)", "units name a vector that is not there"),
        ("UPDATE vectors SET unit = 99 WHERE unit = (SELECT min(id) FROM units)", "vectors belong to no unit"),
        ("UPDATE packing SET last = 0", "vectors are packed and should not be"),
        ("DELETE FROM packs", "vectors are packed and should not be"),
        ("DELETE FROM files", "memories belong to no file"),
        ("DELETE FROM bodies WHERE row = 1", "memories have no body"),
        ("UPDATE tally SET rows = rows + 1", "counts of memories are wrong"),
        ("UPDATE tally SET tokens = tokens + 1", "counts of units are wrong"),
    ],
)
def test_every_fault_is_told(path: Path, fault: str, told: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(fault)
    connection.close()
    index = open_index(path)
    assert any(told in fault for fault in index.upkeep.check()), index.upkeep.check()
    index.close()


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path, path: Path) -> None:
    assert damage(path) == ""
    assert damage(tmp_path / "none.db") == ""
    (tmp_path / "x.db").write_bytes(b"garbage " * 200)
    assert "not a database" in damage(tmp_path / "x.db")

"""An id that is in two files, and one that only seems to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vaults import DAY, MAY_28, SCOPE, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.kinds.paths import log_path
from everlore.kinds.registry import kind
from everlore.memory import flush, remember
from everlore.sync import indexing
from everlore.sync.indexing import index_file
from everlore.sync.upkeep import index_changes
from everlore.sync.writing import index_appended
from everlore.types import Owner
from everlore.vault.markdown import append_entries, parse_log, remove_entry

ALICE = Owner(SCOPE, "user", "alice")


def told(engine: Engine, text: str, at: int) -> str:
    """The file of the episode in which Alice says this."""
    remember(engine, SCOPE, text, [says(text, at=at)])
    flush(engine, SCOPE, text)
    return log_path(kind("episode"), ALICE, at)


def test_what_another_thread_indexes_meanwhile_is_not_there_twice(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever appends to a log indexes what it appended while somebody else may be reading the whole file."""
    path = told(engine, "I play the violin.", MAY_28)
    file = engine.vault.read(path)
    assert file is not None
    (known,) = parse_log(file.text, path).entries
    new = type(known)("ep_20260528_00000099", {**known.fields, "parent_id": "mc_other"}, known.sections)
    change = engine.vault.change(path, lambda text: append_entries(text or "", [new], {}))

    def read(*given: Any) -> Any:
        monkeypatch.undo()
        index_appended(engine, path, change, [new])
        return indexing._read(*given)

    monkeypatch.setattr(indexing, "_read", read)
    index_file(engine, path)
    assert len(assert_index_equals_files(engine)) >= 2


def test_two_copies_that_lose_what_the_other_repeats(engine: Engine) -> None:
    paths = [told(engine, "I play the violin.", MAY_28), told(engine, "I cook ramen.", MAY_28 + DAY)]
    root = engine.settings.memory.root
    entries = {path: parse_log((root / path).read_text(encoding="utf-8"), path).entries[0] for path in paths}
    for path, other in (paths, reversed(paths)):
        _edit(root / path, append_entries((root / path).read_text(encoding="utf-8"), [entries[other]], {}))
    index_changes(engine)
    assert {problem.path for problem in engine.index.files.problems()} == set(paths)
    for path in paths:
        text = remove_entry((root / path).read_text(encoding="utf-8"), entries[path].id)
        _edit(root / path, text)
    index_changes(engine)
    index_changes(engine)
    rows = assert_index_equals_files(engine)
    assert {row.key.local_id for row in rows if row.key.kind == "episode"} == {one.id for one in entries.values()}
    assert len([row for row in rows if row.key.kind == "fact"]) == 2


def _edit(file: Path, text: str) -> None:
    assert text != file.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")

"""An id is given once: not again after its entry, its file or the counters are gone."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from embeddings import Endpoint
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, in_files, open_vault, says

from everlore.engine import Engine
from everlore.errors import Damaged, NotFound
from everlore.memory import flush, forget, remember
from everlore.sync.doctor import repair
from everlore.sync.upkeep import index_changes
from everlore.vault.markdown import remove_entry


def tell(engine: Engine, number: int) -> str:
    """The id of the episode that this leaves."""
    before = contents(engine, ALICE).keys()
    remember(engine, SCOPE, f"s{number}", [says(f"I bought the painting number {number}.", at=MAY_28 + number)])
    assert flush(engine, SCOPE, f"s{number}")
    [new] = contents(engine, ALICE).keys() - before
    return new


def day_file(engine: Engine) -> Path:
    return engine.settings.memory.root / "default_app/default_project/users/alice/episodes/episode-2026-05-28.md"


def test_numbers_grow(engine: Engine) -> None:
    assert [tell(engine, number)[-8:] for number in range(3)] == ["00000001", "00000002", "00000003"]


def test_a_forgotten_id_is_not_given_again(engine: Engine) -> None:
    for number in range(3):
        last = tell(engine, number)
    facts = {row.key.local_id for row in in_files(engine)[1] if row.key.kind == "fact"}
    assert forget(engine, ALICE, f"alice_{last}").count == 2
    assert tell(engine, 3)[-8:] == "00000004"
    new = {row.key.local_id for row in in_files(engine)[1] if row.key.kind == "fact"} - facts
    assert all(entry > max(facts) for entry in new)
    with pytest.raises(NotFound):
        forget(engine, ALICE, f"alice_{last}")


def test_neither_after_the_file_was_deleted(engine: Engine) -> None:
    tell(engine, 0)
    last = tell(engine, 1)
    day_file(engine).unlink()
    index_changes(engine)
    assert tell(engine, 2) > last
    assert_index_equals_files(engine)


def test_neither_after_the_state_was_lost(engine: Engine, vectors: Endpoint) -> None:
    tell(engine, 0)
    last = tell(engine, 1)
    day_file(engine).write_text(remove_entry(day_file(engine).read_text("utf-8"), last), encoding="utf-8")
    engine.close()
    (engine.settings.memory.root / ".everlore" / "state.db").unlink()
    with closing(open_vault(engine.settings.memory.root, vectors.url)) as again, pytest.raises(Damaged, match="doctor"):
        tell(again, 2)
    assert repair(engine.settings)
    again = open_vault(engine.settings.memory.root, vectors.url)
    index_changes(again)
    assert tell(again, 2) > last, "the file remembers its highest number"
    again.close()


def test_the_numbers_of_files_that_everos_wrote_are_taken(engine: Engine) -> None:
    folder = engine.settings.memory.root / "default_app/default_project/users/alice/.atomic_facts"
    folder.mkdir(parents=True)
    (folder / "atomic_fact-2026-05-28.md").write_text(
        "---\nentry_count: 7\n---\n\n<!-- entry:af_20260528_00000007 -->\n## af_20260528_00000007\n\n"
        "**timestamp**: 2026-05-28T10:00:00Z\n\n### Fact\nAlice owns a boat.\n<!-- /entry:af_20260528_00000007 -->\n",
        encoding="utf-8",
    )
    index_changes(engine)
    tell(engine, 0)
    entries = sorted(row.key.local_id for row in in_files(engine)[1] if row.key.kind == "fact")
    assert entries == ["af_20260528_00000007", "af_20260528_00000008"]
    assert_index_equals_files(engine)

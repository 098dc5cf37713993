"""An import and what happens around it: it writes all of its files or none, and never over something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from vaults import ALICE, SCOPE, assert_index_comes_to_equal_files, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.errors import Conflict
from everlore.memory import export_owner, flush, import_owner, listing, remember
from everlore.types import Owner
from everlore.vault.base import Raw

BOB = Owner(SCOPE, "user", "bob")


def tell(engine: Engine, text: str, sender: str) -> None:
    remember(engine, SCOPE, text, [says(text, sender)])
    assert flush(engine, SCOPE, text)


def meanwhile(engine: Engine, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """It happens after the first file of an import is written."""
    put = engine.vault.put

    def and_then(path: str, raw: Raw) -> None:
        put(path, raw)
        monkeypatch.undo()
        happens()

    monkeypatch.setattr(engine.vault, "put", and_then)


def test_what_is_told_during_an_import_is_not_overwritten(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(engine, "I keep bees.", "alice")
    files = export_owner(engine, ALICE).files
    files = {"episodes/episode-2020-01-01.md": b"---\n---\n", **files}  # the first to be written
    meanwhile(engine, monkeypatch, lambda: tell(engine, "I play the violin.", "bob"))
    with pytest.raises(Conflict, match=r"episodes/episode-2026-05-28\.md"):
        import_owner(engine, BOB, files)
    assert "episodes/episode-2020-01-01.md" not in export_owner(engine, BOB).files
    (episode,) = listing(engine, BOB, "episode").rows
    assert "violin" in episode.data["episode"]
    assert_index_equals_files(engine)


def test_an_import_that_fails_half_way_leaves_everything_as_it_was(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(engine, "I keep bees.", "alice")
    before = export_owner(engine, ALICE).files
    changed = {path: content + b"\n" for path, content in before.items()}

    def full() -> None:
        put = engine.vault.put

        def once(path: str, raw: Raw) -> None:
            monkeypatch.setattr(engine.vault, "put", put)
            raise OSError("no space left on device")

        monkeypatch.setattr(engine.vault, "put", once)

    meanwhile(engine, monkeypatch, full)
    with pytest.raises(OSError, match="no space"):
        import_owner(engine, ALICE, changed, overwrite=True)
    assert export_owner(engine, ALICE).files == before
    assert_index_comes_to_equal_files(engine)

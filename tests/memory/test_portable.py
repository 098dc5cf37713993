"""An owner's files, taken along and put in again."""

from __future__ import annotations

import pytest
from vaults import ALICE, MAY_28, SCOPE, facts, says

from everlore.engine import Engine
from everlore.errors import Conflict
from everlore.memory import export_owner, flush, import_owner, remember
from everlore.vault.base import Raw


def tell(engine: Engine, text: str) -> None:
    remember(engine, SCOPE, text, [says(text, at=MAY_28)])
    assert flush(engine, SCOPE, text)


def test_what_is_remembered_while_files_are_put_in_is_not_overwritten(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(engine, "I live in Graz.")
    exported = export_owner(engine, ALICE).files
    for path, _, _ in list(engine.vault.walk()):
        engine.vault.remove(path)
    put, quicker = engine.vault.put, list[str]()

    def interrupted(path: str, raw: Raw) -> None:
        put(path, raw)
        if not quicker:
            quicker.append(path)
            tell(engine, "I play the violin.")

    monkeypatch.setattr(engine.vault, "put", interrupted)
    with pytest.raises(Conflict, match="send the import again"):
        import_owner(engine, ALICE, exported)
    assert quicker
    assert [fact["content"] for fact in facts(engine, ALICE)] == ["Alice plays the violin."]

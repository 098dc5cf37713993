"""The chain that a statement belongs to."""

from __future__ import annotations

import pytest
from vaults import ALICE, MAY_28, SCOPE, says

from everlore.engine import Engine
from everlore.memory import flush, held, history, remember
from everlore.types import IndexedMemory, Owner

DAY = 24 * 3600 * 1000
TOWNS = ("Boston", "Seattle", "Lisbon", "Graz", "Linz", "Bern", "Oslo", "Rome")


def test_a_long_chain_is_looked_up_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, town in enumerate(TOWNS):
        remember(engine, SCOPE, town, [says(f"I live in {town} now.", at=MAY_28 + number * DAY)])
        assert flush(engine, SCOPE, town)
    newest = held(engine, ALICE).rows[0].key.public_id
    in_slot, asked = engine.index.rows.in_slot, list[str]()

    def counted(owner: Owner, kind: str, *slots: str) -> list[IndexedMemory]:
        asked.extend(slots)
        return in_slot(owner, kind, *slots)

    monkeypatch.setattr(engine.index.rows, "in_slot", counted)
    told = [str(row.data["content"]) for row in history(engine, ALICE, newest)]
    assert told == [f"Alice lives in {town} now." for town in TOWNS]
    assert len(asked) == len(set(asked))

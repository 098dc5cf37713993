"""Records read back as they were saved: the block of JSON is the record."""

from __future__ import annotations

import pytest

from everlore.errors import Damaged
from everlore.kinds import record
from everlore.types import MemoryFile, Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000


def test_it_reads_back_as_it_was_saved() -> None:
    content = {"title": "Tea", "text": "a\n```json\n{}\n```\nb", "n": [1, 2.5, None]}
    name = record.identity("recipe", "cli", content)
    saved = record.Record(ALICE, name, "recipe", content, "cli", ("hot",), 0.5, AT, AT + 1)
    assert record.from_sheet(record.to_sheet(saved), ALICE, name) == saved
    row = record.RECORD.row(record.to_sheet(saved), ALICE, name, 0)
    assert (row.updated, row.parent_type, row.sender_ids) == (AT + 1, "recipe", ("hot",))


def test_the_same_content_is_the_same_record() -> None:
    assert record.identity("t", "s", {"a": 1, "b": 2.0}) == record.identity("t", "s", {"b": 2, "a": 1.0})
    assert record.identity("t", "s", {"a": 1}) != record.identity("t", "s", {"a": "1"})


def test_a_page_without_its_block_or_id_is_reported() -> None:
    for front, reason in (({}, "must be the UUID"), ({"id": record.identity("t", "s", 1)}, "no block of JSON")):
        with pytest.raises(Damaged, match=reason):
            record.from_sheet(MemoryFile(front, "text"), ALICE, "x")

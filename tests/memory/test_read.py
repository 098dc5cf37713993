"""Memories by page, by name, and messages that wait."""

from __future__ import annotations

import pytest
from vaults import ALICE, MAY_28, SCOPE, says

from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.memory import flush, listing, profile, remember, unprocessed
from everlore.memory.read import named


def test_pages_in_order_and_memories_by_their_ids(engine: Engine) -> None:
    for number in range(3):
        remember(engine, SCOPE, f"s{number}", [says(f"I visited museum {number}.", at=MAY_28 + number)])
        assert flush(engine, SCOPE, f"s{number}")
    page = listing(engine, ALICE, "episode", descending=False, page=2, page_size=2)
    assert (page.total, len(page.rows)) == (3, 1)
    assert "museum 2" in str(page.rows[0].data)
    assert named(engine, ALICE, page.rows[0].key.public_id).key == page.rows[0].key
    for unknown in ("alice_ep_20260528_00000099", "bob_ep_20260528_00000001", "alice_xx_1", "nonsense"):
        with pytest.raises(NotFound):
            named(engine, ALICE, unknown)


def test_a_profile_goes_by_a_name_of_its_own(engine: Engine) -> None:
    assert profile(engine, ALICE) is None
    remember(engine, SCOPE, "s", [says("I live in Rome.")])
    assert [message.text for message in unprocessed(engine, SCOPE, "s")] == ["I live in Rome."]
    assert flush(engine, SCOPE, "s")
    assert unprocessed(engine, SCOPE, "s") == []
    assert named(engine, ALICE, "profile_alice") == profile(engine, ALICE)

"""A fact as an agent knows it: what it replaces ends, and what is said already is not said twice."""

from __future__ import annotations

import pytest
from vaults import ALICE, DAY, MAY_28, SCOPE, assert_index_equals_files, facts, says

from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.memory import flush, forget, listing, profile, remember
from everlore.memory.save_fact import REPLACED, save_fact


@pytest.fixture(autouse=True)
def told(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("I live in Graz. My dog is called Rex.", at=MAY_28)])
    assert flush(engine, SCOPE, "s")


def graz(engine: Engine) -> str:
    (row,) = (row for row in listing(engine, ALICE, "fact").rows if "Graz" in str(row.data["content"]))
    return row.key.public_id


def test_what_it_replaces_ends_when_it_begins(engine: Engine) -> None:
    key, new = save_fact(
        engine, ALICE, "Alice lives in Linz.", source="agent", replaces=[graz(engine)], valid_from=MAY_28 + DAY
    )
    assert new
    before, after = (
        next(row for row in listing(engine, ALICE, "fact").rows if place in str(row.data["content"]))
        for place in ("Graz", "Linz")
    )
    assert after.key == key
    assert (before.validity.end, after.validity.start) == (MAY_28 + DAY, MAY_28 + DAY)
    assert before.data["superseded_by"] == key.local_id
    known = profile(engine, ALICE)
    assert known
    told = [info["description"] for info in known.data["explicit_info"]]
    assert "Alice lives in Linz." in told
    assert "Alice lives in Graz." not in told
    assert_index_equals_files(engine)


def test_what_stands_gets_the_new_source_beside_its_own(engine: Engine) -> None:
    count = len(facts(engine, ALICE))
    key, new = save_fact(engine, ALICE, "Alice lives  in Graz.", source="agent", evidence="she said so")
    assert not new
    assert key.public_id == graz(engine)
    assert len(facts(engine, ALICE)) == count
    (row,) = (row for row in listing(engine, ALICE, "fact").rows if row.key == key)
    assert row.validity.end is None
    text = engine.vault.read(row.path)
    assert text
    assert "agent" in text.text
    assert "she said so" in text.text


def test_what_an_agent_saved_too_stays_when_the_conversation_is_forgotten(engine: Engine) -> None:
    save_fact(engine, ALICE, "Alice lives in Graz.", source="agent")
    (talk,) = listing(engine, ALICE, "episode").rows
    assert forget(engine, ALICE, talk.key.public_id).count == 2
    (row,) = listing(engine, ALICE, "fact").rows
    assert row.data["content"] == "Alice lives in Graz."
    assert (row.session_id, row.parent_id, row.data["turn"]) == ("", "", -1)
    known = profile(engine, ALICE)
    assert known
    assert [info["description"] for info in known.data["explicit_info"]] == ["Alice lives in Graz."]
    assert_index_equals_files(engine)


def test_what_cannot_be_replaced_is_refused_and_nothing_is_written(engine: Engine) -> None:
    count = len(facts(engine, ALICE))
    (talk,) = listing(engine, ALICE, "episode").rows
    with pytest.raises(InvalidInput, match="only facts"):
        save_fact(engine, ALICE, "Alice rows.", source="agent", replaces=[talk.key.public_id])
    for number in range(REPLACED + 1):
        save_fact(engine, ALICE, f"Alice has been on hill number {number}.", source="agent")
    every = [row.key.public_id for row in listing(engine, ALICE, "fact", page_size=100).rows]
    with pytest.raises(InvalidInput, match=f"at most {REPLACED}"):
        save_fact(engine, ALICE, "Alice rows.", source="agent", replaces=every)
    with pytest.raises(InvalidInput):
        save_fact(engine, ALICE, "  ", source="agent")
    assert len(facts(engine, ALICE)) == count + REPLACED + 1

"""Adding, editing, forgetting and taking it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from vaults import assert_index_equals_files

from everlore.engine import Engine
from everlore.errors import Conflict
from everlore.surfaces.contracts.person import changing, reading
from everlore.surfaces.contracts.person.asking import person
from everlore.surfaces.contracts.person.reading import Person


@pytest.fixture
def who(engine: Engine) -> Person:
    return person(engine, {"folder": "", "settings": {"EVEROS_MCP__USER_NAME": "Anna"}, "user": None})


def test_what_was_understood_is_told(who: Person) -> None:
    done = changing.add(who, "I live in Graz.")
    assert (done["learnt"], done["project"], done["waiting"]) == (["Anna lives in Graz."], None, 0)


def test_a_memory_is_edited_by_the_version_that_was_seen(who: Person) -> None:
    changing.add(who, "I live in Graz.")
    [fact] = reading.history(who)["rows"]
    seen = changing.source(who, fact["id"])
    now = changing.edit(who, fact["id"], seen["version"], seen["text"].replace("Graz", "Linz"))
    assert now["version"] != seen["version"]
    with pytest.raises(Conflict):
        changing.edit(who, fact["id"], seen["version"], seen["text"])
    assert reading.history(who)["rows"][0]["text"] == "Anna lives in Linz."


def test_forgetting_tells_what_goes_and_is_taken_back(who: Person) -> None:
    changing.add(who, "I live in Graz.")
    changing.add(who, "I moved to Linz yesterday.")
    newest, _ = reading.log(who)["rows"]
    [fact] = [row for row in reading.history(who)["rows"] if row["valid_until"] is None]
    before = {path: path.read_bytes() for path in Path(who.engine.vault.where).rglob("*.md")}
    [going] = changing.going(who, [newest["id"], newest["id"]])
    assert [row["id"] for row in going["with"]] == [fact["id"]]
    assert [row["text"] for row in going["still_ended"]] == ["Anna lives in Graz."]
    assert going["profile"]
    done = changing.forget(who, [newest["id"], fact["id"]])  # the second goes with the first
    assert [row["text"] for row in done["still_ended"]] == ["Anna lives in Graz."]
    assert len(reading.log(who)["rows"]) == 1
    for item in changing.bin_(who)["rows"]:
        changing.undo(who, item["id"])
    assert {path: path.read_bytes() for path in Path(who.engine.vault.where).rglob("*.md")} == before
    assert changing.bin_(who)["rows"] == []
    [ended] = [row for row in reading.history(who)["rows"] if row["valid_until"]]
    assert changing.undo(who, ended["id"])["reopened"] == ended["id"]
    assert all(row["valid_until"] is None for row in reading.history(who)["rows"])
    assert_index_equals_files(who.engine)


def test_nobody_sees_what_others_have_forgotten(who: Person) -> None:
    changing.add(who, "I live in Graz.")
    changing.forget(who, [reading.log(who)["rows"][0]["id"]])
    bob = person(who.engine, {"folder": "", "settings": {}, "user": "bob"})
    assert changing.bin_(bob)["rows"] == []
    assert len(changing.bin_(who)["rows"]) == 1

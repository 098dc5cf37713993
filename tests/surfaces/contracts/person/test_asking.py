"""Who asks and from where; questions by the names of their functions; errors that arrive as they were."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from vaults import assert_index_equals_files

from everlore import errors
from everlore.engine import Engine
from everlore.errors import Conflict, Denied, EverloreError, InvalidInput, Misconfigured, NotFound
from everlore.memory import save_note
from everlore.surfaces.contracts.person import asking, raised, reading, told
from everlore.surfaces.contracts.person.asking import QUESTIONS, ask, person
from everlore.surfaces.contracts.person.reading import Person, listed, others
from everlore.vault.base import Outdated


def test_a_question_is_asked_by_its_name(engine: Engine) -> None:
    who = person(engine, {"folder": "", "settings": {}, "user": None})
    assert ask("users", who, {}) == {}
    assert ask("bin", who, {})["rows"] == []
    assert {"search", "add", "edit", "forget", "undo", "known"} <= set(QUESTIONS)


@pytest.mark.parametrize("arguments", [{}, {"query": "x", "team": "a"}])
def test_unknown_and_missing_arguments_are_refused(engine: Engine, arguments: dict[str, str]) -> None:
    who = person(engine, {"folder": "", "settings": {}, "user": None})
    with pytest.raises(InvalidInput, match="argument"):
        ask("search", who, arguments)


@pytest.mark.parametrize("kind", [one for _, one in inspect.getmembers(errors, inspect.isclass)])
def test_every_error_arrives_as_what_it_was(kind: type[EverloreError]) -> None:
    error = Denied("why", "no") if kind is Denied else kind("no")
    assert (type(raised(told(error))), str(raised(told(error)))) == (kind, "no")


def test_an_error_that_a_module_keeps_to_itself_arrives_as_its_kind() -> None:
    assert type(raised(told(Outdated("again")))) is errors.Unavailable
    assert isinstance(raised({"error": "Newer", "message": "?"}), EverloreError)
    assert not isinstance(raised({"error": "Newer", "message": "?"}), InvalidInput)


def test_a_command_says_who_asks_and_from_where(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "tool" / ".git").mkdir(parents=True)
    facts = {"folder": str(tmp_path / "tool"), "settings": {"EVEROS_MCP__USER": "anna"}, "user": None}
    who = person(engine, facts)
    assert (who.owner.id, who.project.name if who.project else "") == ("anna", "tool")
    assert person(engine, facts | {"user": "bob", "folder": ""}).owner.id == "bob"
    with pytest.raises(Misconfigured, match="EVEROS_MCP__TOP_K"):
        person(engine, facts | {"settings": {"EVEROS_MCP__TOP_K": "many"}})


def test_where_nothing_is_found_others_are_named(engine: Engine) -> None:
    who = person(engine, {"folder": "", "settings": {}, "user": "ana"})
    for name in ("anna", "bob"):
        save_note(engine, person(engine, {"folder": "", "settings": {}, "user": name}).owner, "Something.")
    assert {one.id for one in others(who)} == {"anna", "bob"}
    told = listed(who, [])
    assert (told["user"], told["meant"], sorted(told["others"])) == ("ana", "anna", ["anna", "bob"])
    with pytest.raises(NotFound, match="of 'ana'"):
        who.named("anna_nt_20261118_00000001")


@pytest.fixture
def who(engine: Engine) -> Person:
    return person(engine, {"folder": "", "settings": {"EVEROS_MCP__USER_NAME": "Anna"}, "user": None})


def test_what_was_understood_is_told(who: Person) -> None:
    done = asking.add(who, "I live in Graz.")
    assert (done["learnt"], done["project"], done["waiting"]) == (["Anna lives in Graz."], None, 0)


def test_a_memory_is_edited_by_the_version_that_was_seen(who: Person) -> None:
    asking.add(who, "I live in Graz.")
    [fact] = reading.history(who)["rows"]
    seen = asking.source(who, fact["id"])
    now = asking.edit(who, fact["id"], seen["version"], seen["text"].replace("Graz", "Linz"))
    assert now["version"] != seen["version"]
    with pytest.raises(Conflict):
        asking.edit(who, fact["id"], seen["version"], seen["text"])
    assert reading.history(who)["rows"][0]["text"] == "Anna lives in Linz."


def test_forgetting_tells_what_goes_and_is_taken_back(who: Person) -> None:
    asking.add(who, "I live in Graz.")
    asking.add(who, "I moved to Linz yesterday.")
    newest, _ = reading.log(who)["rows"]
    [fact] = [row for row in reading.history(who)["rows"] if row["valid_until"] is None]
    before = {path: path.read_bytes() for path in Path(who.engine.vault.where).rglob("*.md")}
    [going] = asking.going(who, [newest["id"], newest["id"]])
    assert [row["id"] for row in going["with"]] == [fact["id"]]
    assert [row["text"] for row in going["still_ended"]] == ["Anna lives in Graz."]
    assert going["profile"]
    done = asking.forget(who, [newest["id"], fact["id"]])  # the second goes with the first
    assert [row["text"] for row in done["still_ended"]] == ["Anna lives in Graz."]
    assert len(reading.log(who)["rows"]) == 1
    for item in asking.bin_(who)["rows"]:
        asking.undo(who, item["id"])
    assert {path: path.read_bytes() for path in Path(who.engine.vault.where).rglob("*.md")} == before
    assert asking.bin_(who)["rows"] == []
    [ended] = [row for row in reading.history(who)["rows"] if row["valid_until"]]
    assert asking.undo(who, ended["id"])["reopened"] == ended["id"]
    assert all(row["valid_until"] is None for row in reading.history(who)["rows"])
    assert_index_equals_files(who.engine)


def test_nobody_sees_what_others_have_forgotten(who: Person) -> None:
    asking.add(who, "I live in Graz.")
    asking.forget(who, [reading.log(who)["rows"][0]["id"]])
    bob = person(who.engine, {"folder": "", "settings": {}, "user": "bob"})
    assert asking.bin_(bob)["rows"] == []
    assert len(asking.bin_(who)["rows"]) == 1

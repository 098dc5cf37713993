"""Who asks, and from where."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.engine import Engine
from everlore.errors import Misconfigured, NotFound
from everlore.memory import save_note
from everlore.surfaces.contracts.person.asking import listed, others, person


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

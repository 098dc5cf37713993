"""Places, and whose memories an address may name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from starlette.datastructures import State

from everlore.accounts.values import Account, Principal
from everlore.engine import Engine
from everlore.errors import Denied, InvalidInput
from everlore.surfaces.page.sessions import Session
from everlore.surfaces.page.texts import texts
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import Owner, Scope

OTHER = Account("acc_0123456789abcdef", "other", False, 0)
MAIN = Account("acc_fedcba9876543210", "main", True, 0)


@dataclass
class Door:
    sessions: Any


def _visit(engine: Engine, account: Account | None, *scopes: str) -> Visit:
    who = Principal(account, "key", scopes or ("mem:read",)) if account else None
    state = State({"engine": engine})
    return Visit(state, Session(""), who, texts("en"))


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/timeline?at=2026-06-01",
        "/memories/a%2Fb%20c?owner=user%3Aanna",
        "/people/%C3%9Cber?owner=agent%3Ax%40app%2Fp",
    ],
)
def test_an_address_is_read_and_written_alike(address: str) -> None:
    place = Place.of(address)
    assert Place.of(place.to(place.view, place.name, **place.asked)) == place


def test_an_address_that_is_no_address_of_ours_does_no_harm() -> None:
    for address in ("//evil.example/x", "/" + "a" * 100_000, "/?page=-1&page=٣", "/memories/%ff", "?%00=%00"):
        place = Place.of(address)
        assert place.to(place.view or "ask", place.name).startswith("/")
        assert not place.to("memories", "//evil").startswith("//")
        assert place.number("page", 1) in (1, 3)


def test_no_name_leads_out_of_an_accounts_space(engine: Engine) -> None:
    visit = _visit(engine, OTHER)
    prefix = f"{OTHER.id}."
    assert visit.owner_of("user:anna").scope == Scope(f"{prefix}default", "default")
    for code in ("user:anna@other/x", "user:anna@..%2F../x", f"user:anna@{MAIN.id}.default/default"):
        assert visit.owner_of(code).scope.app.startswith(prefix)
    assert visit.sees(Scope(f"{prefix}app", "p"))
    assert not visit.sees(Scope("default", "default"))
    main = _visit(engine, MAIN)
    assert not main.sees(Scope(f"{prefix}default", "default"))
    with pytest.raises(InvalidInput, match="reserved"):
        main.owner_of(f"user:anna@{prefix}default/default")
    for code in ("", "anna", "nobody:anna", "user:"):
        with pytest.raises(InvalidInput):
            visit.owner_of(code)


def test_owners_have_codes_that_lead_back(engine: Engine) -> None:
    for visit in (_visit(engine, None), _visit(engine, OTHER)):
        for code in ("user:anna", "agent:a%40b%3Ac", "user:%C3%BC@my.app/work"):
            owner = visit.owner_of(code)
            assert visit.owner_of(visit.code_of(owner)) == owner
    assert _visit(engine, None).called(Owner(Scope("a", "b"), "user", "x")) == "x (a/b)"


def test_who_may_only_read_changes_nothing(engine: Engine) -> None:
    visit = _visit(engine, OTHER, "mem:read")
    assert not visit.may_write
    assert _visit(engine, None).may_write

    class Known:
        def who(self, _: Session) -> None:
            return None

    visit.state.door = Door(Known())
    visit.check()
    with pytest.raises(Denied, match="may only read"):
        visit.check(writing=True)

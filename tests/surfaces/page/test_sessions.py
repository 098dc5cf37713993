"""Who is signed in at the page."""

from __future__ import annotations

import pytest
from starlette.datastructures import State
from starlette.requests import HTTPConnection

from everlore.engine import Engine
from everlore.surfaces.page import sessions
from everlore.surfaces.page.sessions import COOKIE, Session, Sessions


def _from(cookie: str) -> HTTPConnection:
    return HTTPConnection({"type": "http", "headers": [(b"cookie", f"{COOKIE}={cookie}".encode())]})


def test_a_session_is_known_by_its_cookie_until_it_ends_or_is_idle(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Sessions(State({"engine": engine}), None)
    session = Session("")
    cookie = known.begin(session)
    assert known.find(_from(cookie)) is session
    assert known.find(_from(cookie[:-1])) is None
    assert known.find(_from("")) is None
    monkeypatch.setattr(sessions, "IDLE_SECONDS", -1.0)
    assert known.find(_from(cookie)) is None
    monkeypatch.undo()
    known.end(_from(again := known.begin(session)))
    assert known.find(_from(again)) is None


def test_tickets_are_good_once_and_not_for_long(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Sessions(State({"engine": engine}), None)
    ticket = known.ticket()
    assert not known.redeem(ticket + "x")
    assert known.redeem(ticket)
    assert not known.redeem(ticket)
    monkeypatch.setattr(sessions, "TICKET_SECONDS", -1.0)
    assert not known.redeem(known.ticket())


def test_so_many_are_remembered_and_no_more(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST", 2)
    known = Sessions(State({"engine": engine}), None)
    cookies = [known.begin(Session("")) for _ in range(3)]
    assert [known.find(_from(one)) is not None for one in cookies] == [False, True, True]


def test_where_no_token_is_needed_everybody_is_the_owner(engine: Engine) -> None:
    known = Sessions(State({"engine": engine}), None)
    assert not known.needed
    found = known.of(_from(""))
    assert found is not None
    assert known.who(found) is None

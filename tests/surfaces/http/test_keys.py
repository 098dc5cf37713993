"""Who may manage which keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everlore.accounts.store import Accounts
from everlore.accounts.values import Principal
from everlore.engine import Engine
from everlore.errors import Denied, InvalidInput, NotFound
from everlore.surfaces.http.keys import check_may_manage, events_of, keys_of, make_key, revoke_key


@pytest.fixture
def accounts(engine: Engine) -> Iterator[Accounts]:
    opened = engine.backend.accounts(lambda _: None)
    yield opened
    opened.close()


def _who(accounts: Accounts, secret: str) -> Principal:
    return accounts.authenticate(secret)


def test_the_owner_manages_all_and_an_account_its_own(accounts: Accounts) -> None:
    one, secret = make_key(accounts, None, "one", (), 0)
    two, _ = make_key(accounts, None, "two", (), 0)
    who = _who(accounts, secret)
    mine, _ = make_key(accounts, who, "mine", ("mem:read",), 7, account=two.account.id)
    assert mine.account.id == one.account.id, "no account makes keys for another"
    assert {key.name for key in keys_of(accounts, who)} == {"one", "mine"}
    assert {key.name for key in keys_of(accounts, None)} == {"one", "two", "mine"}
    with pytest.raises(NotFound):
        revoke_key(accounts, who, two.id)
    assert revoke_key(accounts, who, mine.id).revoked is not None
    assert {event.account_id for event in events_of(accounts, who)} == {one.account.id}


def test_no_key_gives_more_or_lasts_longer_than_the_one_it_is_made_by(accounts: Accounts) -> None:
    _, secret = make_key(accounts, None, "limited", ("agents", "mem:read"), 2)
    who = _who(accounts, secret)
    with pytest.raises(Denied, match="mem:write"):
        make_key(accounts, who, "more", ("mem:write",), 1)
    made, _ = make_key(accounts, who, "longer", (), 1000)
    assert made.expires == who.expires
    assert made.scopes == who.scopes
    for days in (-1, 10**6):
        with pytest.raises(InvalidInput):
            make_key(accounts, None, "x", (), days)


def test_a_port_that_others_reach_makes_no_keys_without_one(accounts: Accounts, engine: Engine) -> None:
    settings = engine.settings
    check_may_manage(settings, None)
    open_to_all = settings.model_copy(update={"api": settings.api.model_copy(update={"host": "0.0.0.0"})})
    behind = settings.model_copy(update={"auth": settings.auth.model_copy(update={"public_url": "https://x.example"})})
    for one in (open_to_all, behind):
        with pytest.raises(Denied):
            check_may_manage(one, None)
    _, secret = make_key(accounts, None, "reader", ("mem:read",), 0)
    with pytest.raises(Denied, match="agents"):
        check_may_manage(settings, _who(accounts, secret))

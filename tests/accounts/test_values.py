"""What a client's names mean to its account."""

from __future__ import annotations

import pytest

from everlore.accounts.store import Accounts
from everlore.errors import InvalidInput


def test_no_name_leads_out_of_a_space(accounts: Accounts) -> None:
    main, secret = accounts.create_key("a")
    other, second = accounts.create_key("b")
    owner, guest = accounts.authenticate(secret), accounts.authenticate(second)
    assert owner.scope("default", "p").app == "default"
    assert guest.scope("default", "p").app == f"{other.account.id}.default"
    for name in (f"{other.account.id}.default", f"{other.account.id.upper()}.default"):
        with pytest.raises(InvalidInput):
            owner.scope(name, "default")
    nested = guest.scope(f"{main.account.id}.default", "p").app
    assert nested.startswith(f"{other.account.id}.")

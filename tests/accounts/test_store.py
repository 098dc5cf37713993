"""The store of accounts: what it gives out, what it keeps, what it refuses."""

from __future__ import annotations

import re

import pytest
from stored import Now

from everlore.accounts.store import Accounts
from everlore.accounts.tables import TABLES
from everlore.accounts.values import Event
from everlore.errors import Denied, InvalidInput, NotFound
from everlore.sql import Tables

MINUTE = 60_000


def denied(accounts: Accounts, credential: str) -> str:
    with pytest.raises(Denied) as caught:
        accounts.authenticate(credential)
    assert credential not in str(caught.value)
    return caught.value.why


def test_credentials_have_their_form_and_only_hashes_are_kept(accounts: Accounts, tables: Tables, now: Now) -> None:
    key, secret = accounts.create_key("alice")
    assert re.fullmatch(r"emk_[0-9a-f]{32}", secret)
    agent, token = accounts.register_agent(key, "cursor", "f", "Cursor", "1", None)
    assert re.fullmatch(r"evt_[0-9a-f]{32}", token)
    device, code = accounts.start_device("evercli", "EverCli", "1", "f", now.ms + MINUTE)
    assert re.fullmatch(r"[B-Z]{4}-[B-Z]{4}", code)
    kept = repr(tables.read(lambda db: [db.rows(f"SELECT * FROM {table}") for table in TABLES]))
    assert key.prefix in kept
    for hidden in (secret, token, device):
        assert hidden[8:] not in kept
    assert agent.token_prefix == token[:8]
    assert key.prefix == secret[:8]


def test_only_the_first_account_owns_the_main_space(accounts: Accounts) -> None:
    first, second = accounts.create_key("a")[0], accounts.create_key("b")[0]
    assert (first.account.main, second.account.main) == (True, False)
    assert first.account.id != second.account.id
    further = accounts.create_key("a2", account=first.account.id)[0]
    assert further.account == first.account
    with pytest.raises(NotFound):
        accounts.create_key("x", account="acc_0000000000000000")


def test_the_first_account_may_be_separate_and_then_none_is_main(accounts: Accounts) -> None:
    assert not accounts.create_key("a", separate=True)[0].account.main
    assert not accounts.create_key("b")[0].account.main, "the vault's memories are never given away by accident"


def test_what_is_revoked_or_expired_is_denied(accounts: Accounts, now: Now) -> None:
    key, secret = accounts.create_key("alice", expires=now.ms + MINUTE)
    _, token = accounts.register_agent(key, "p", "f", "n", "", now.ms + MINUTE)
    assert accounts.authenticate(secret).actor == key.id
    assert accounts.authenticate(token).agent_id.startswith("agt_")
    now.ms += MINUTE
    assert denied(accounts, secret) == "key_expired"
    assert denied(accounts, token) == "agent_expired"
    lasting, other = accounts.create_key("bob")
    agent, told = accounts.register_agent(lasting, "p", "f", "n", "", None)
    accounts.revoke_agent(lasting.account.id, agent.id)
    assert denied(accounts, told) == "agent_revoked"
    assert accounts.revoke_key(lasting.id)[0].revoked == now.ms
    assert denied(accounts, other) == "key_revoked"
    assert denied(accounts, "emk_" + "0" * 32) == "key_invalid"
    assert denied(accounts, "evt_" + "0" * 32) == "agent_invalid"
    for malformed in ("", "x", "emk_", "emk_" + "A" * 32, "emk_" + "0" * 33, "Bearer emk_" + "0" * 32):
        with pytest.raises(Denied) as caught:
            accounts.authenticate(malformed)
        assert caught.value.why == "malformed"


def test_revoking_an_account_disconnects_its_agents(accounts: Accounts) -> None:
    key, secret = accounts.create_key("a")
    _, token = accounts.register_agent(key, "p", "f", "n", "", None)
    accounts.revoke_key(key.account.id)
    assert denied(accounts, secret) == "key_revoked"
    assert denied(accounts, token) == "agent_revoked"
    with pytest.raises(NotFound):
        accounts.revoke_key("key_nobody")


def test_a_key_is_revoked_by_any_of_its_names(accounts: Accounts) -> None:
    for name in ("id", "prefix", "whole"):
        key, secret = accounts.create_key(name)
        which = {"id": key.id, "prefix": key.prefix, "whole": secret}[name]
        assert [one.id for one in accounts.revoke_key(which)] == [key.id]


def test_registering_again_keeps_the_agent_and_changes_its_token(accounts: Accounts) -> None:
    key, _ = accounts.create_key("a")
    first, old = accounts.register_agent(key, "cursor", "f", "Cursor", "1", None)
    again, new = accounts.register_agent(key, "cursor", "f", "Cursor", "2", None)
    assert (again.id, again.version, again.connected) == (first.id, "2", True)
    assert denied(accounts, old) == "agent_revoked"
    assert accounts.authenticate(new).agent_id == first.id
    assert [agent.id for agent in accounts.agents(key.account.id)] == [first.id]
    with pytest.raises(NotFound):
        accounts.revoke_agent(accounts.create_key("b")[0].account.id, first.id)


def test_a_device_is_approved_once_and_its_keys_are_handed_out_once(accounts: Accounts, now: Now) -> None:
    key, _ = accounts.create_key("alice")
    secret, code = accounts.start_device("evercli", "EverCli", "1", "f", now.ms + 15 * MINUTE)
    assert accounts.poll_device(secret, 5000, None).state == "pending"
    now.ms += 1000
    with pytest.raises(Denied) as caught:
        accounts.poll_device(secret, 5000, None)
    assert caught.value.why == "slow"
    now.ms += 5000
    assert accounts.poll_device(secret, 5000, None).state == "pending"
    assert accounts.decide_device(code.lower().replace("-", " "), key.id, approve=True)
    assert not accounts.decide_device(code, key.id, approve=False), "decided is decided"
    poll = accounts.poll_device(secret, 5000, None)
    assert poll.state == "approved"
    assert accounts.authenticate(poll.key_secret).account == key.account
    assert accounts.authenticate(poll.agent_secret).account == key.account
    with pytest.raises(Denied) as caught:
        accounts.poll_device(secret, 5000, None)
    assert caught.value.why == "device"


def test_revoking_a_key_ends_everything_it_made_and_nothing_else(accounts: Accounts, now: Now) -> None:
    """A device that was approved with a key, one that was approved with the device's key, and the agents of all."""
    first, first_secret = accounts.create_key("alice")
    other, other_secret = accounts.create_key("laptop", account=first.account.id)
    by, secrets_made = first, []
    for number in range(2):
        secret, code = accounts.start_device("evercli", f"device {number}", "1", f"f{number}", now.ms + 15 * MINUTE)
        assert accounts.decide_device(code, by.id, approve=True)
        poll = accounts.poll_device(secret, 5000, None)
        assert poll.key is not None
        assert poll.key.made_by == by.id
        assert poll.agent is not None
        assert poll.agent.made_by == by.id
        by = poll.key
        secrets_made += [poll.key_secret, poll.agent_secret]
    agent, agent_secret = accounts.register_agent(by, "cursor", "m", "Cursor", "1", None)
    assert agent.made_by == by.id
    mine = accounts.register_agent(other, "codex", "m", "Codex", "1", None)[1]
    gone = accounts.revoke_key(first.id)
    every = accounts.keys()
    assert {key.id for key in gone} == {key.id for key in every} - {other.id}
    for ended in (first_secret, agent_secret, *secrets_made):
        assert denied(accounts, ended) in ("key_revoked", "agent_revoked")
    for stands in (other_secret, mine):
        assert accounts.authenticate(stands).account == first.account
    with pytest.raises(Denied):
        accounts.register_agent(first, "zed", "m", "Zed", "1", None)


def test_a_device_may_be_denied_or_expire(accounts: Accounts, now: Now) -> None:
    key, _ = accounts.create_key("alice")
    refused, code = accounts.start_device("p", "c", "", "f", now.ms + MINUTE)
    accounts.decide_device(code, key.id, approve=False)
    assert accounts.poll_device(refused, 5000, None).state == "denied"
    late, code = accounts.start_device("p", "c", "", "f", now.ms + MINUTE)
    now.ms += MINUTE
    assert not accounts.decide_device(code, key.id, approve=True)
    assert accounts.poll_device(late, 5000, None).state == "expired"
    waiting = accounts.device(code)
    assert waiting is not None
    assert waiting.state == "expired"
    assert accounts.device("XXXX-XXXX") is None


def test_nothing_that_a_key_brings_about_may_more_or_lives_longer(accounts: Accounts, now: Now) -> None:
    ends = now.ms + MINUTE
    key, _ = accounts.create_key("limited", scopes=["agents", "mem:read"], expires=ends)
    secret, code = accounts.start_device("p", "c", "", "f", now.ms + 15 * MINUTE)
    accounts.decide_device(code, key.id, approve=True)
    poll = accounts.poll_device(secret, 5000, None)
    assert poll.key is not None
    assert (poll.key.scopes, poll.key.expires) == (("agents", "mem:read"), ends)
    _, later = accounts.register_agent(key, "p", "g", "n", "", ends + MINUTE)
    _, sooner = accounts.register_agent(key, "p", "h", "n", "", ends - 1)
    for token in (poll.agent_secret, later, sooner):
        assert accounts.authenticate(token).scopes == ("mem:read",)
    now.ms = ends - 1
    assert denied(accounts, sooner) == "agent_expired"
    assert accounts.authenticate(later).agent_id
    now.ms = ends
    assert denied(accounts, poll.key_secret) == "key_expired"
    assert [denied(accounts, token) for token in (poll.agent_secret, later)] == ["agent_expired"] * 2


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_the_approval_of_a_key_that_has_ended_is_worth_nothing(accounts: Accounts, now: Now, how: str) -> None:
    key, _ = accounts.create_key("alice", expires=now.ms + MINUTE)
    secret, code = accounts.start_device("p", "c", "", "f", now.ms + 15 * MINUTE)
    accounts.decide_device(code, key.id, approve=True)
    if how == "revoked":
        accounts.revoke_key(key.id)
    else:
        now.ms += MINUTE
    poll = accounts.poll_device(secret, 5000, None)
    assert (poll.state, poll.key, poll.agent) == ("expired", None, None)
    assert len(accounts.keys()) == 1


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 129])
def test_bad_names_are_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(InvalidInput):
        accounts.create_key(name)
    with pytest.raises(InvalidInput):
        accounts.create_key("ok", scopes=["root"])
    assert accounts.keys() == []


def test_the_secret_is_made_once_and_events_come_newest_first(accounts: Accounts) -> None:
    assert accounts.secret() == accounts.secret()
    assert len(accounts.secret()) == 32
    for number in range(3):
        accounts.record(Event(number, "acc", "key", "login", str(number), "", "ok"))
    assert [event.target for event in accounts.events(2)] == ["2", "1"]

"""Several servers, one store of accounts: what must happen once happens once, and lost answers do no harm."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from everlore.accounts.store import Accounts
from everlore.accounts.values import Source
from everlore.errors import Denied
from everlore.sql import Session, Tables

MINUTE = 60_000
MANY = 8
T = TypeVar("T")


def together(work: Callable[[int], T]) -> list[T]:
    ready = threading.Barrier(MANY)

    def one(number: int) -> T:
        ready.wait(60)
        return work(number)

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(one, range(MANY)))


def why(ask: Callable[[], object]) -> str:
    try:
        ask()
    except Denied as error:
        return error.why
    return "yes"


def test_of_many_first_accounts_one_is_main(accounts: Accounts) -> None:
    made = together(lambda number: accounts.create_key(f"n{number}")[0])
    assert sum(key.account.main for key in made) == 1
    assert len({key.account.id for key in made}) == MANY


def test_of_many_who_poll_one_gets_the_credentials(accounts: Accounts, now: Callable[[], int]) -> None:
    key, _ = accounts.create_key("alice")
    secret, code = accounts.start_device("evercli", "EverCli", "1", "f", now() + MINUTE)
    accounts.decide_device(code, key.id, approve=True)
    answers = together(lambda _: why(lambda: accounts.poll_device(secret, 5000, None)))
    assert sorted(answers) == ["device"] * (MANY - 1) + ["yes"]
    assert len(accounts.keys()) == 2
    assert len(accounts.agents(key.account.id)) == 1


def test_of_many_who_decide_one_does(accounts: Accounts, now: Callable[[], int]) -> None:
    key, _ = accounts.create_key("alice")
    _, code = accounts.start_device("evercli", "EverCli", "1", "f", now() + MINUTE)
    assert sum(together(lambda n: accounts.decide_device(code, key.id, approve=n % 2 == 0))) == 1


def test_of_many_who_register_one_place_one_token_works(accounts: Accounts) -> None:
    key, _ = accounts.create_key("alice")
    made = together(lambda _: accounts.register_agent(key, "cursor", "f", "Cursor", "1", None))
    assert len({agent.id for agent, _ in made}) == 1
    judged = {token: why(lambda token=token: accounts.authenticate(token)) for _, token in made}  # type: ignore[misc]
    working = [token for token, answer in judged.items() if answer == "yes"]
    assert len(working) == 1
    assert set(judged.values()) == {"yes", "agent_revoked"}
    assert [agent.token_prefix for agent in accounts.agents(key.account.id)] == [working[0][:8]]


def test_the_secret_is_one_however_many_ask_first(accounts: Accounts) -> None:
    assert len(set(together(lambda _: accounts.secret()))) == 1


def test_many_device_codes_are_all_different(accounts: Accounts, now: Callable[[], int]) -> None:
    made = together(lambda n: accounts.start_device("evercli", "EverCli", "1", str(n), now() + MINUTE))
    assert len({code for _, code in made}) == MANY


class Forgetful:
    """Tables whose commits succeed and whose answers are lost, so that all work runs again."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def read(self, work: Callable[[Session], T]) -> T:
        return self._tables.read(work)

    def write(self, work: Callable[[Session], T]) -> T:
        self._tables.write(work)
        return self._tables.write(work)


def test_work_whose_answer_was_lost_gives_the_same_when_it_runs_again(tables: Tables, now: Callable[[], int]) -> None:
    accounts = Accounts(Forgetful(tables), now)
    key, secret = accounts.create_key("alice")
    assert key.account.main
    assert accounts.authenticate(secret).actor == key.id
    agent, token = accounts.register_agent(key, "cursor", "f", "Cursor", "1", None)
    assert accounts.authenticate(token).agent_id == agent.id
    device, code = accounts.start_device("evercli", "EverCli", "1", "g", now() + MINUTE)
    Accounts(tables, now).decide_device(code, key.id, approve=True)
    poll = accounts.poll_device(device, 5000, None)
    assert poll.state == "approved"
    assert accounts.authenticate(poll.key_secret).account == key.account
    assert accounts.authenticate(poll.agent_secret).account == key.account
    accounts.add_upload(key.account.id, "obj_1", "n", 3, "h", now() + MINUTE)
    assert accounts.store_upload("obj_1", b"abc")
    assert accounts.content("obj_1") == b"abc"
    source = Source("src_1", key.account.id, "", "obj_1", "t", 3, "h", "d", "i", "", "s", "extracted", now())
    accounts.add_source(source)
    assert accounts.find_source(key.account.id, document_key="d") == source
    assert len(accounts.keys()) == 2
    assert len(accounts.agents(key.account.id)) == 2

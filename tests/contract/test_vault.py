"""What every vault promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everlore.errors import Damaged, InvalidInput, Unavailable
from everlore.kinds.paths import sheet_path
from everlore.kinds.registry import kind
from everlore.types import Owner, Scope
from everlore.vault.base import Change, Raw, Vault

BASE = "default_app/default_project/users"
EPISODES = f"{BASE}/alice/episodes/episode-2026-11-15.md"
PROFILE = f"{BASE}/alice/user.md"


def test_a_file_is_created_changed_and_deleted(open_vault: Callable[[], Vault]) -> None:
    vault, other = open_vault(), open_vault()
    assert (vault.read(PROFILE), vault.stat(PROFILE), vault.raw(PROFILE)) == (None, None, None)
    created = vault.change(PROFILE, lambda text: "one" if text is None else "wrong").after
    assert created is not None
    assert created == other.read(PROFILE)
    assert (created.text, created.size) == ("one", 3)
    assert other.stat(PROFILE) == (created.mtime_ns, created.size)
    changed = other.change(PROFILE, lambda text: f"{text}\r\ntwö\x00")
    assert changed.before == created
    assert changed.after == vault.read(PROFILE)
    assert changed.after is not None
    assert (changed.after.text, changed.after.size) == ("one\r\ntwö\x00", 10)
    assert changed.after.mtime_ns > created.mtime_ns
    assert vault.change(PROFILE, lambda _: None).after is None
    assert other.change(PROFILE, lambda _: None) == Change(None, None)
    assert vault.read(PROFILE) is None


def test_nothing_changed_nothing_written(vault: Vault) -> None:
    written = vault.change(PROFILE, lambda _: "one").after
    assert vault.change(PROFILE, lambda text: text) == Change(written, written)


def test_an_edit_that_fails_changes_nothing_and_frees_the_lock(vault: Vault) -> None:
    vault.change(PROFILE, lambda _: "one")

    def fail(_: str | None) -> str:
        raise InvalidInput("no")

    with pytest.raises(InvalidInput, match="no"):
        vault.change(PROFILE, fail)
    with pytest.raises(InvalidInput, match="half a character"):
        vault.change(PROFILE, lambda _: "bad \ud800")
    after = vault.change(PROFILE, lambda text: f"{text}!").after
    assert after is not None
    assert after.text == "one!"


def test_writers_at_once_lose_nothing(open_vault: Callable[[], Vault]) -> None:
    vaults = [open_vault(), open_vault()]

    def add(number: int) -> None:
        vaults[number % 2].change(EPISODES, lambda text: f"{text or ''}{number}\n")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    found = vaults[0].read(EPISODES)
    assert found is not None
    assert sorted(map(int, found.text.split())) == list(range(40))


def test_a_lock_is_held_against_others_and_may_be_taken_again(open_vault: Callable[[], Vault]) -> None:
    vault, other = open_vault(), open_vault()
    entered, leave, failures = threading.Event(), threading.Event(), list[str]()

    def hold() -> None:
        with vault.lock("session:1"), vault.lock("session:1"):
            entered.set()
            leave.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert entered.wait(60)
    with pytest.raises(Unavailable, match="in use"), other.lock("session:1", 0.1):
        failures.append("two at once")
    with other.lock("session:2", 30):
        leave.set()
    with other.lock("session:1", 60):
        pass
    holder.join()
    assert failures == []


def test_what_is_written_under_a_lock_is_there_after_it(open_vault: Callable[[], Vault]) -> None:
    vault = open_vault()
    with vault.lock(PROFILE):
        vault.change(PROFILE, lambda _: "one")
        assert open_vault().read(PROFILE) is not None
    assert vault.read(PROFILE) is not None


def test_walking_lists_what_holds_memories_in_order(vault: Vault) -> None:
    paths = [PROFILE, EPISODES, f"{BASE}/alice-b/user.md", f"{BASE}/al/user.md", f"{BASE}/alice%2Fx/user.md"]
    for path in paths:
        vault.change(path, lambda _: "x")
    walked = list(vault.walk())
    assert [path for path, _, _ in walked] == sorted(paths, key=lambda path: path.split("/"))
    assert {path: (mtime_ns, size) for path, mtime_ns, size in walked} == {path: vault.stat(path) for path in paths}
    assert [path for path, _, _ in vault.walk(f"{BASE}/alice")] == sorted([PROFILE, EPISODES])
    assert list(vault.walk("nowhere")) == []


def test_a_file_that_is_no_text_is_reported_and_can_be_moved(vault: Vault) -> None:
    raw = Raw(b"line\n\xff\xfe", 1_700_000_000_123_456_789)
    vault.put(PROFILE, raw)
    with pytest.raises(Damaged, match="line 2"):
        vault.read(PROFILE)
    assert vault.raw(PROFILE) == raw
    assert vault.stat(PROFILE) == (raw.mtime_ns, len(raw.content))


def test_very_long_paths_work(vault: Vault) -> None:
    path = sheet_path(kind("profile"), Owner(Scope(), "user", "x" * 2900))
    assert vault.change(path, lambda _: "one").after == vault.read(path)
    assert [found for found, _, _ in vault.walk()] == [path]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.integers(1, 2**62))
def test_any_content_is_put_and_taken_as_it_is(vault: Vault, content: bytes, mtime_ns: int) -> None:
    vault.put(PROFILE, Raw(content, mtime_ns))
    assert vault.raw(PROFILE) == Raw(content, mtime_ns)
    for _ in range(2):
        vault.remove(PROFILE)
        assert vault.raw(PROFILE) is None

"""Signing in, with a key and with a code, and seeing nothing of another account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from browsing import MOVES, tell
from playwright.sync_api import expect
from serving import Server

Key = Callable[..., str]


def _sign_in(tab: Any, key: str) -> None:
    tab.page.get_by_label("Account key").fill(key)
    tab.page.get_by_role("button", name="Sign in", exact=True).click()


def test_an_account_sees_its_own_memories_and_nothing_else(open_tab: Any, guarded: Server, key: Key) -> None:
    mine, theirs = key("mine", "--separate"), key("theirs", "--separate")
    tell(guarded, "anna", *MOVES, Authorization=f"Bearer {mine}")
    tell(guarded, "secret", ["I live in Atlantis.", "Nice."], Authorization=f"Bearer {theirs}")
    tab = open_tab("", guarded)
    tab.page.goto(f"{guarded.url}/memories?kind=fact")
    expect(tab.page.get_by_role("heading", name="Sign in to Everlore")).to_be_visible()
    _sign_in(tab, "emk_" + "0" * 32)
    expect(tab.page.get_by_role("alert")).to_contain_text("not known here")
    _sign_in(tab, mine)
    tab.settled()
    assert tab.page.url.endswith("/memories?kind=fact")
    expect(tab.content).to_contain_text("Anna lives in Berlin.")
    for path in (
        "/",
        "/?q=where+do+I+live",
        "/timeline",
        "/people",
        "/memories",
        "/profile",
        "/review",
        "/live",
        "/agents",
        "/code",
        "/settings",
    ):
        tab.open(path)
        shown = tab.page.content()
        assert "Atlantis" not in shown, path
        assert "theirs" not in shown, path
        assert str(guarded.root) not in shown, path
    for owner in ("user:secret", "user:secret@default/default", "user:secret@..%2F..%2Fx/default"):
        tab.open(f"/memories?owner={owner}")
        expect(tab.content).to_contain_text("Nothing is remembered yet")
    tab.open("/memories/secret_ep_20260601_00000001?owner=user:secret")
    expect(tab.content).to_contain_text("There is nothing here")
    tab.wrong.clear()  # what the refused key answered


def test_a_key_that_is_revoked_closes_the_page(open_tab: Any, guarded: Server, key: Key) -> None:
    first, second = key("first", "--separate"), key("spare", "--separate")
    tab = open_tab("", guarded)
    tab.page.goto(f"{guarded.url}/settings")
    _sign_in(tab, first)
    tab.settled()
    row = tab.content.get_by_role("row", name="first")
    expect(tab.content).not_to_contain_text("spare")
    row.get_by_role("button", name="Revoke").click()
    expect(tab.page.get_by_role("heading", name="Sign in to Everlore")).to_be_visible()
    _sign_in(tab, second)
    expect(tab.page.get_by_role("button", name="Sign out")).to_be_visible()
    tab.page.get_by_role("button", name="Sign out").click()
    expect(tab.page.get_by_role("heading", name="Sign in to Everlore")).to_be_visible()


def test_a_key_that_may_only_read_changes_nothing(open_tab: Any, guarded: Server, key: Key) -> None:
    whole = key("reader", "--separate")
    tell(guarded, "olga", ["I live in Riga.", "Nice."], Authorization=f"Bearer {whole}")
    made = guarded.client.post(
        "/api/v1/keys/create", json={"name": "r", "scopes": ["mem:read"]}, headers={"Authorization": f"Bearer {whole}"}
    )
    tab = open_tab("", guarded)
    tab.page.goto(f"{guarded.url}/memories?kind=fact")
    _sign_in(tab, made.json()["data"]["key"])
    tab.settled()
    tab.content.get_by_role("link", name="Olga lives in Riga.").click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Olga lives in Riga.")
    expect(tab.page.get_by_role("button", name="Forget")).to_have_count(0)
    tab.page.evaluate("window.emitEvent('do', { do: 'forget', id: 'olga_af_20260601_00000001', owner: 'user:olga' })")
    expect(tab.said).to_contain_text("may only read")
    tab.page.reload()
    tab.settled()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Olga lives in Riga.")


def test_a_code_is_approved_elsewhere(open_tab: Any, guarded: Server, key: Key) -> None:
    approver = key("approver", "--separate")
    tab, other = open_tab("", guarded), open_tab("", guarded)
    tab.page.goto(f"{guarded.url}/sign-in?next=/timeline")
    tab.page.get_by_role("button", name="Sign in with a code").click()
    code = tab.page.locator("p.code").inner_text()
    other.page.goto(f"{guarded.url}/device?code={code}")
    other.page.get_by_label("Your account key").fill(approver)
    other.page.get_by_role("button", name="Approve").click()
    expect(other.page.locator("body")).to_contain_text("signed in")
    expect(tab.page.get_by_role("heading", level=1, name="Timeline")).to_be_visible()


def test_nobody_is_sent_elsewhere(guarded: Server, key: Key) -> None:
    secret = key("traveller", "--separate")
    for there in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"):
        answer = guarded.client.post("/sign-in", data={"key": secret, "next": there})
        assert answer.headers["location"] == "/"
    guarded.client.cookies.clear()
    crossed = guarded.client.post("/sign-in", data={"key": secret}, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossed.status_code == 403
    assert "set-cookie" not in crossed.headers

"""What a caller of the content server may do, and what is said where the packages for tokens are missing."""

from __future__ import annotations

import sys

import pytest
from sites import SECRET, token

from everlore.config import EmcpSection
from everlore.surfaces.contracts.emcp import callers
from everlore.surfaces.contracts.emcp.callers import Actor, Refused, identify, scope_of


@pytest.mark.parametrize(
    ("method", "scope"),
    [
        ("ping", "mcp:read"),
        ("resources/templates/list", "mcp:read"),
        ("notifications/cancelled", "mcp:read"),
        ("tools/call", "mcp:call"),
        ("resources/subscribe", "mcp:admin"),
        ("no/such", "mcp:admin"),
    ],
)
def test_each_method_needs_its_scope(method: str, scope: str) -> None:
    assert scope_of(method) == scope
    assert Actor("a", scopes=frozenset({scope})).may(method)
    assert Actor("a", scopes=frozenset({"*"})).may(method)
    assert Actor("a").may(method), "no token is asked for"
    assert not Actor("a", scopes=frozenset()).may(method)


def test_without_a_secret_everybody_is_the_configured_user() -> None:
    assert identify(None, "10.0.0.1", EmcpSection(user_id=5)) == Actor("ip:10.0.0.1", 5)


def test_a_token_names_its_user_and_scopes() -> None:
    actor = identify(f"Bearer {token(7, scopes='mcp:read, mcp:call')}", "", EmcpSection(jwt_secret=SECRET))
    assert actor == Actor("api:7", 7, frozenset({"mcp:read", "mcp:call"}))


def test_without_the_packages_a_token_is_answered_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)  # as if it were not installed
    callers._jwt.cache_clear()
    with pytest.raises(Refused, match=r'pip install "everlore\[cms\]"') as caught:
        identify(f"Bearer {token()}", "", EmcpSection(jwt_secret=SECRET))
    assert caught.value.status == 503

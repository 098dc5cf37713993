"""What a caller of the content server may do, and what is said where the packages for tokens are missing."""

from __future__ import annotations

import sys
import time
from typing import Any

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


def signed(**claims: object) -> str:
    import jwt

    return f"Bearer {jwt.encode({'exp': int(time.time()) + 60} | claims, SECRET, algorithm='HS256')}"


def test_a_user_and_a_subject_of_the_same_name_are_two_callers() -> None:
    settings = EmcpSection(jwt_secret=SECRET)
    told = [
        signed(user_id=7),
        signed(sub="7"),
        signed(sub="anna"),
        signed(sub="sub:7"),
        signed(sub="ip:1.2.3.4"),
        signed(),
    ]
    callers_of = [identify(header, "1.2.3.4", settings) for header in told]
    assert len({actor.identity for actor in callers_of}) == len(told)
    assert [actor.user_id for actor in callers_of] == [7, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("setting", "right", "wrong"),
    [
        ({"jwt_audience": "shop"}, {"aud": ["web", "shop"]}, {"aud": "blog"}),
        ({"jwt_audience": "shop"}, {"aud": "shop"}, {}),
        ({"jwt_issuer": "https://sso.example"}, {"iss": "https://sso.example"}, {"iss": "https://evil.example"}),
        ({"jwt_issuer": "https://sso.example"}, {"iss": "https://sso.example"}, {}),
        ({"jwt_max_days": 1}, {}, {"exp": 4_000_000_000}),
    ],
)
def test_audience_issuer_and_end_are_checked(
    setting: dict[str, Any], right: dict[str, Any], wrong: dict[str, Any]
) -> None:
    settings = EmcpSection(jwt_secret=SECRET, **setting)
    assert identify(signed(sub="anna", **right), "", settings).identity == "api:anna"
    with pytest.raises(Refused) as caught:
        identify(signed(sub="anna", **wrong), "", settings)
    assert caught.value.status == 401


def test_an_audience_that_nobody_asks_for_is_not_looked_at() -> None:
    assert identify(signed(sub="anna", aud="web", iss="x"), "", EmcpSection(jwt_secret=SECRET)).identity == "api:anna"


def test_without_the_packages_a_token_is_answered_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)  # as if it were not installed
    callers._jwt.cache_clear()
    with pytest.raises(Refused, match=r'pip install "everlore\[cms\]"') as caught:
        identify(f"Bearer {token()}", "", EmcpSection(jwt_secret=SECRET))
    assert caught.value.status == 503

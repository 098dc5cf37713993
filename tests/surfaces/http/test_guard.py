"""Who may do what, how often, and which part of the vault is theirs."""

from __future__ import annotations

import pytest

from everlore.accounts.values import Account, Principal
from everlore.errors import Denied
from everlore.surfaces.http.guard import Meter, check_scopes, partition_of
from everlore.types import Scope


def caller(*scopes: str, main: bool = False) -> Principal:
    return Principal(Account("acc_0123456789abcdef", "a", main, 1), "key_1", scopes)


def test_a_meter_lets_a_minutes_worth_through_and_counts_each_name_apart() -> None:
    meter = Meter(3)
    assert [meter.wait("a") for _ in range(3)] == [0, 0, 0]
    assert 1 <= meter.wait("a") <= 20
    assert meter.wait("b") == 0


def test_asking_without_spending_takes_nothing() -> None:
    meter = Meter(1)
    assert [meter.wait("a", spend=False) for _ in range(5)] == [0] * 5
    assert meter.wait("a") == 0
    assert meter.wait("a", spend=False) > 0


@pytest.mark.parametrize(
    ("path", "method", "scope"),
    [
        ("/api/v1/memory/search", "POST", "mem:read"),
        ("/api/v1/mem/context", "POST", "mem:read"),
        ("/metrics", "GET", "mem:read"),
        ("/api/v1/memory/add", "POST", "mem:write"),
        ("/api/v1/memory/import", "POST", "mem:write"),
        ("/api/v1/agents/list", "POST", "agents"),
    ],
)
def test_each_route_needs_its_scope(path: str, method: str, scope: str) -> None:
    check_scopes(caller(scope), path, method)
    others = {"agents", "mem:read", "mem:write"} - {scope}
    with pytest.raises(Denied, match=scope):
        check_scopes(caller(*others), path, method)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/knowledge", "/api/v1/mcp/content"])
def test_tools_may_read_and_write_so_their_callers_must(path: str) -> None:
    for scope, missing in (("mem:read", "mem:write"), ("mem:write", "mem:read")):
        with pytest.raises(Denied, match=missing):
            check_scopes(caller(scope), path, "GET")


def test_names_mean_the_callers_own_space() -> None:
    assert partition_of(None, "app", "p") == Scope("app", "p")
    assert partition_of(caller(main=True), "app", "p") == Scope("app", "p")
    assert partition_of(caller(), "app", "p") == Scope("acc_0123456789abcdef.app", "p")

"""Who may do what, how often, and which part of the vault is theirs."""

from __future__ import annotations

from dataclasses import replace

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
        ("/api/v1/memory/add", "POST", "mem:write"),
        ("/api/v1/memory/import", "POST", "mem:write"),
        ("/api/v1/memory/bin", "POST", "mem:read"),
        ("/api/v1/memory/bin/restore", "POST", "mem:write"),
        ("/api/v1/agents/list", "POST", "agents"),
    ],
)
def test_each_route_needs_its_scope(path: str, method: str, scope: str) -> None:
    check_scopes(caller(scope), path, method)
    others = {"agents", "mem:read", "mem:write"} - {scope}
    with pytest.raises(Denied, match=scope):
        check_scopes(caller(*others), path, method)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/knowledge", "/api/v1/mcp/content"])
def test_who_may_read_may_use_the_tools_that_read(path: str) -> None:
    check_scopes(caller("mem:read"), path, "POST")
    with pytest.raises(Denied, match="mem:read"):
        check_scopes(caller("mem:write"), path, "POST")


def test_metrics_are_for_a_key_of_the_vaults_own_account() -> None:
    check_scopes(caller("mem:read", main=True), "/metrics", "GET")
    agent = replace(caller("mem:read", main=True), agent_id="agt_1")
    for who in (caller("mem:read", "mem:write", "agents"), agent):
        with pytest.raises(Denied, match="operator"):
            check_scopes(who, "/metrics", "GET")


def test_names_mean_the_callers_own_space() -> None:
    assert partition_of(None, "app", "p") == Scope("app", "p")
    assert partition_of(caller(main=True), "app", "p") == Scope("app", "p")
    assert partition_of(caller(), "app", "p") == Scope("acc_0123456789abcdef.app", "p")

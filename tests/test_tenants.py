from __future__ import annotations

from everlore.tenants import digest128, numbered, tenant_of, tenants_of


def test_numbers_say_their_tenant() -> None:
    assert tenants_of([numbered(65535, 7), numbered(3, 9), numbered(3, 10)]) == [3, 65535]
    assert numbered(65535, 2**46 - 1) < 2**62
    assert tenants_of([-1, 2**63]) == []


def test_parts_that_differ_never_share_a_name() -> None:
    assert digest128("ab", "c") != digest128("a", "bc")
    assert digest128("a") == digest128(b"a")
    assert 0 <= tenant_of(digest128("a")) < 2**16

"""Whose data a row is: 16 bits of a hash, in every key of every table and in the upper bits of every row's number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

from everlore.kinds.paths import locate
from everlore.types import Owner

TENANT_BITS = 16
NUMBER_BITS = 46


def digest128(*parts: str | bytes) -> UUID:
    """A name for what these parts say together; two that differ never share it."""
    said = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        said.update(len(data).to_bytes(8, "big") + data)
    return UUID(bytes=said.digest())


@lru_cache(4096)
def owner_uuid(owner: Owner) -> UUID:
    return digest128(owner.scope.app, owner.scope.project, owner.track, owner.id)


def file_uuid(path: str) -> UUID:
    """The name of a file among files. It says the tenant of its owner, so that a file and its memories lie together."""
    located = locate(path)
    named = digest128(path)
    if located is None:
        return named
    return UUID(bytes=owner_uuid(located.owner).bytes[:2] + named.bytes[2:])


def tenant_of(name: UUID) -> int:
    return int.from_bytes(name.bytes[:2], "big")


def numbered(tenant: int, number: int) -> int:
    """A number of a row: says its tenant."""
    return (tenant << NUMBER_BITS) | number


def tenants_of(numbers: Sequence[int]) -> list[int]:
    """The tenants that these numbers say, each once."""
    return sorted({number >> NUMBER_BITS for number in numbers if 0 <= number < 1 << (TENANT_BITS + NUMBER_BITS)})


def by_tenant(numbers: Iterable[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number in numbers:
        found.setdefault(number >> NUMBER_BITS, []).append(number)
    return found

"""Numbers that stand for words in the tables: the same in every process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID


@lru_cache(maxsize=100_000)
def _word_hash(token: str) -> int:
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def word_hash(owner: UUID | None, token: str) -> int:
    """The name of a token's list: one of all owners, or one of an owner alone."""
    mixed = _word_hash(token) ^ (int.from_bytes(owner.bytes[8:], "big") if owner else 0)
    return mixed - (1 << 64) if mixed >= 1 << 63 else mixed


def word_hashes(owner: UUID, words: Sequence[str]) -> list[int]:
    return [word_hash(which, token) for which in (owner, None) for token in dict.fromkeys(words)]

"""Numbers that stand for words: one list for each owner, and one of all."""

from __future__ import annotations

from uuid import UUID

from everlore.stores.postgres.schema import word_hash, word_hashes

ONE, OTHER = UUID(int=1 << 100 | 1), UUID(int=1 << 100 | 2)


def test_a_word_has_a_list_of_its_owner_and_one_of_all() -> None:
    assert len({word_hash(ONE, "tea"), word_hash(OTHER, "tea"), word_hash(None, "tea")}) == 3
    assert word_hashes(ONE, ["tea", "milk", "tea"]) == [
        word_hash(ONE, "tea"),
        word_hash(ONE, "milk"),
        word_hash(None, "tea"),
        word_hash(None, "milk"),
    ]


def test_a_hash_fits_into_a_signed_column_whatever_the_word() -> None:
    hashes = [word_hash(None, word) for word in ("tea", "茶", "\ud800", *map(str, range(100)))]
    assert all(-(2**63) <= number < 2**63 for number in hashes)
    assert min(hashes) < 0 < max(hashes)
    assert len(set(hashes)) == len(hashes)

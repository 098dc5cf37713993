"""The word lists: written as they are looked up, and without words that would contradict each other."""

from __future__ import annotations

import pytest

from everlore.extract import lexicon

LISTS = {name: value for name, value in vars(lexicon).items() if isinstance(value, frozenset)}


@pytest.mark.parametrize("name", LISTS)
def test_words_are_in_small_letters_and_single(name: str) -> None:
    assert LISTS[name]
    assert [word for word in LISTS[name] if word != word.lower() or word != word.strip(",.;")] == []

"""Our stemmer is Snowball's: tokens of indexed vaults stay what they are."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import lemminflect
import pytest
from Stemmer import Stemmer

from everlore.stem import stem

_PARTS = """y ing ed ly li s ss es ies ied e ee eed al ational ization ous ness ful ative ion t l ll a o u b bb gen er
past inter succ exc proc at iz bl w x ogi ogist ment iti bili us n d c h m ' 's é 7"""
PARTS = _PARTS.split()


@pytest.fixture(scope="module")
def snowball() -> Stemmer:
    return Stemmer("english")


def test_every_word_of_the_dictionary_has_the_stem_that_snowball_gives_it(snowball: Stemmer) -> None:
    table = Path(lemminflect.config.inflection_lu_fn)
    words = sorted(set(re.findall("[a-z]+", gzip.decompress(table.read_bytes()).decode().lower())))
    assert len(words) > 30_000
    assert [(word, stem(word)) for word in words] == list(zip(words, snowball.stemWords(words), strict=True))


def test_words_that_are_none_have_the_stem_that_snowball_gives_them(snowball: Stemmer) -> None:
    chance = random.Random(3)
    words = ["".join(chance.choices(PARTS, k=chance.randint(1, 5))) for _ in range(20_000)]
    assert [(word, stem(word)) for word in words] == list(zip(words, snowball.stemWords(words), strict=True))


@pytest.mark.parametrize(
    ("words", "found"),
    [("hoping hoped hopes", "hope"), ("dying", "die"), ("skies", "sky"), ("generously", "generous"), ("news", "news")],
)
def test_forms_of_a_word_have_one_stem(words: str, found: str) -> None:
    assert {stem(word) for word in words.split()} == {found}

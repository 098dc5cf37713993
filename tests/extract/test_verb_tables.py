"""Reading the tables of lemminflect a word at a time gives what reading them whole gives."""

from __future__ import annotations

from typing import Any

import pytest
from lemminflect import config
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec

from everlore.extract.verb_tables import lemminflect


def lemma_table() -> Any:
    return lemminflect().Lemmatizer().lemma_dict


def inflection_table() -> Any:
    return lemminflect().Inflections().infl_dict


@pytest.mark.parametrize(
    ("table", "codec", "path"),
    [(lemma_table, LemmaLUCodec, config.lemma_lu_fn), (inflection_table, InflectionLUCodec, config.inflection_lu_fn)],
)
def test_every_word_has_the_entry_of_the_whole_table(table: Any, codec: Any, path: str) -> None:
    whole, ours = codec.load(path), table()
    strangers = {f"{word}x" for word in whole} | {"", ",", "be,verb", "cat,noun", "é", "\ud800", "zzzz"}
    assert len(whole) > 30_000
    assert [word for word in {*whole, *strangers} if ours.get(word, {}) != whole.get(word, {})] == []


def test_the_library_asks_our_tables() -> None:
    assert lemminflect().getLemma("were", "VERB") == ("be",)
    assert lemminflect().getInflection("sing", "VBN") == ("sung",)
    assert type(lemma_table()) is type(inflection_table()) is not dict

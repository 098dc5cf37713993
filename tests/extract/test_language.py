"""A language is a folder of data: it is known by its little words, and its lists are found in texts."""

from __future__ import annotations

import pytest

from everlore.extract.language import codes, language, language_of, phrases


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I live in Graz.", "en"),
        ("Ich wohne in Köln.", "de"),
        ("J'habite à Lyon.", "fr"),
        ("Vivo en Sevilla.", "es"),
        ("Lavoro alla Fiat.", "it"),
        ("我住在上海。", "zh"),
        ("大阪に住んでいます。", "ja"),
        ("Graz", "en"),
        ("My son turned five.", "en"),
    ],
)
def test_the_language_of_a_sentence(text: str, code: str) -> None:
    assert language_of(text).code == code


def test_every_folder_has_what_the_reader_asks_for() -> None:
    assert set(codes()) >= {"en", "de", "fr", "es", "it", "zh", "ja"}
    for code in codes():
        known = language(code)
        assert known.words["name"]
        assert {"words", "frames", "rules"} <= known.data.keys()
        assert {"self", "we", "others", "change", "over", "begin", "negation", "hedge", "lead_in", "correct"} <= set(
            known.words
        )


def test_phrases_are_whole_words_and_the_longest_counts() -> None:
    pattern = phrases(["no", "no longer", "kein_"])
    assert [found[0] for found in pattern.finditer("i no longer know keinen")] == ["no longer", "keinen"]
    assert not phrases([]).search("anything")
    assert phrases(["了"], spaced=False).search("我搬家了")

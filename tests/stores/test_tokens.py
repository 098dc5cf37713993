from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.stores.tokens import LONGEST, MOST_TERMS, own_terms, query_terms, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running, runs; ran!", ["run", "run", "ran"]),
        ("Alice's don't O'Brien l’amour", ["alic", "dont", "obrien", "o", "brien", "lamour", "l", "amour"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer snake_case", ["httpserver", "http", "server", "snake_case", "snake", "case"]),
        ("utf8 3pm 2026-05-28", ["utf8", "utf", "8", "3pm", "3", "pm", "2026", "05", "28"]),
        ("Café ÉCOLE Straße", ["cafe", "ecol", "strass"]),
        ("ＡＢＣ ﬁne", ["abc", "fine"]),
        ("我喜欢茶", ["我喜", "喜欢", "欢茶", *"我喜欢茶"]),
        ("茶", ["茶"]),
        ("用Python3写", ["用", "python3", "python", "3", "写"]),
        ("タワー 한국어", ["タワ", "ワー", *"タワー", "한국", "국어", *"한국어"]),
        ("กาแฟ", ["กา", "าแ", "แฟ", *"กาแฟ"]),
        ("हिन्दी", ["हिन्दी"]),
        ("___ -- ''", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_query_drops_stop_words_unless_there_is_nothing_else() -> None:
    assert query_terms("What is the name of my dog? The dog!") == ["name", "dog"]
    assert query_terms("Who's the one who told me, and when?") == ["one", "told"]
    assert query_terms("The Who") == ["the", "who"]
    assert query_terms("to be or to be") == ["to", "be", "or"]
    assert query_terms("I'm") == ["im"]


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("Should I go to my high school reunion in May?", {"high", "school"}),
        ("Is my phone older than our car?", {"phone", "older", "car"}),
        ("What about my dog's vet?", {"dog", "vet"}),
        ("Was kostet meine Miete?", {"miet"}),
        ("Où est ma voiture ?", {"voitur"}),
        ("¿Cuándo nació mi hermana?", {"hermana"}),
        ("Dove lavora nostro figlio?", {"figlio"}),
        ("What did Mia cook?", set()),
        ("Which phone does she use, and what is my", set()),
        ("What is her name?", set()),
    ],
)
def test_what_the_asker_calls_their_own(query: str, own: set[str]) -> None:
    assert own_terms(query) == own
    assert own <= set(query_terms(query))


def test_a_query_in_an_unspaced_script_looks_for_pairs_or_its_only_character() -> None:
    assert query_terms("喜欢茶") == ["喜欢", "欢茶"]
    assert query_terms("茶") == ["茶"]


def test_a_whole_page_as_a_query_is_looked_for_by_its_beginning() -> None:
    words = [f"word{chr(97 + number % 26)}{number}" for number in range(5000)]
    assert query_terms(" ".join(words)) == query_terms(" ".join(words[:MOST_TERMS]))
    assert len(query_terms(" ".join(words))) == MOST_TERMS
    assert len(query_terms("茶" * 10 + " ".join(words[:10]))) < MOST_TERMS


def test_doe_is_a_name_although_does_is_a_stop_word() -> None:
    assert query_terms("does John Doe sing") == ["john", "doe", "sing"]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_every_token_is_a_plain_word_and_reading_twice_agrees(text: str) -> None:
    found = tokens(text)
    assert found == tokens(text)
    for token in found:
        assert 0 < len(token) <= LONGEST
        assert not re.search(r"[\x00-\x2f:-@\[-^`{-\x7f\s]", token)
    assert set(query_terms(text)) <= set(found)
    assert own_terms(text) <= set(query_terms(text))


def test_threads_do_not_disturb_each_other() -> None:
    texts = [f"running{n} jumps{n} quickly{n} nationalities{n}x" for n in range(300)]
    expected = [tokens(text.replace("x", "y")) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: tokens(text.replace("x", "y")), texts)) == expected

"""Recalled text is data: one quoted line, whatever it holds, and unchanged for who parses it."""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from injections import INJECTIONS, Injection

from everlore.surfaces.contracts.quoting import as_json, line, plain, quoted

texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from([*'<>[]{}()|:`~"\n“” ', "INST", "Human", "system", '{"name":', "\u200b", "\\"])).map(
        "".join
    ),
)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(texts, st.integers(), st.none(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


@pytest.mark.parametrize("injection", INJECTIONS, ids=range(len(INJECTIONS)))
def test_known_injections_are_one_quoted_line_without_their_marks(injection: Injection) -> None:
    shown = line(injection.text, whose="user", by="Anna", origin=("2026-05-03",))
    assert shown.startswith("- 2026-05-03, user “Anna”: “")
    assert shown.endswith("”")
    assert shown.count("“") == shown.count("”") == 2
    assert "\n" not in shown
    assert not [mark for mark in injection.marks if mark in shown]


@pytest.mark.parametrize("injection", INJECTIONS, ids=range(len(INJECTIONS)))
def test_known_injections_in_json_are_escaped_and_read_back_as_they_were(injection: Injection) -> None:
    shown = as_json({"content": injection.text})
    assert json.loads(shown) == {"content": injection.text}
    assert not [mark for mark in injection.marks if mark in shown and mark not in ("\n”",)]


@settings(max_examples=300, deadline=None)
@given(values)
def test_json_means_the_same(value: Any) -> None:
    assert json.loads(as_json(value)) == value


@settings(max_examples=300, deadline=None)
@given(texts)
@example("<```")
def test_what_is_plain_stays_as_it_is(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert len(plain(text).splitlines()) <= 1


def test_every_character_that_nobody_sees_is_left_out() -> None:
    """Formats, controls and halves of characters as Unicode lists them, and what it calls ignorable by default."""
    hidden = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Cf", "Cc", "Cs")]
    hidden += [
        *map(chr, range(0xE0000, 0xE1000)),
        *map(chr, range(0xFE00, 0xFE10)),
        *"\u034f\u115f\u1160\u17b4\u3164\uffa0",
    ]
    assert plain("a" + "".join(hidden) + "b").replace(" ", "") == "ab"


def test_ordinary_text_keeps_its_words_and_signs() -> None:
    for text in (
        "I moved to Lisbon (again) on 3 May: 2 < 3, a -> b, x[0] and don't.",
        "Grüße aus Köln — 我搬到了里斯本。", "if a < b and b > c: return {'x': 1}",
        "Meet at 10:30; see https://example.org/a?b=c#d [note 3]",
    ):  # fmt: skip
        assert plain(text) == text


def test_a_long_text_is_cut_and_a_missing_origin_is_said() -> None:
    assert quoted("x" * 500, 20) == "“" + "x" * 19 + "…”"
    assert line("They met.") == "- undated: “They met.”"

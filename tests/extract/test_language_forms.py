"""Every form of every language compiles, is bound to the end of its clause, and belongs to a known place."""

from __future__ import annotations

from typing import get_args

import pytest

from everlore.extract.language_forms import LANGUAGES, Language
from everlore.extract.prompts import Category


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_belongs_to_a_place_of_the_profile(language: Language) -> None:
    assert language.forms
    assert {category for category, _, _ in language.forms if category} <= set(get_args(Category))
    assert all(category or slot for category, slot, _ in language.forms), "what is not listed ends something"


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("Ich wohne in Graz.", True),
        ("Ich wohne in Graz, wenn ich dort bin.", False),
        ("J'habite à Lyon.", True),
        ("Vivo a Roma.", True),
        ("Vivo en Madrid.", True),
        ("I live in Rome.", False),
    ],
)
def test_a_form_reads_a_whole_clause(words: str, read: bool) -> None:
    found = [form for language in LANGUAGES if language.opens.match(words) for _, _, form in language.forms]
    assert any(form.match(words) for form in found) is read

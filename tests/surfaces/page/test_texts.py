"""The words of the page are the same in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everlore.surfaces import page
from everlore.surfaces.page.texts import LANGUAGES, preferred, texts

FOLDER = Path(page.__file__).parent
HOLES = re.compile(r"\{\w+\}")


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_text_is_translated_with_the_same_holes(language: str) -> None:
    known, other = texts("en").known, texts(language).known
    assert known.keys() == other.keys()
    assert {key for key in known if sorted(HOLES.findall(known[key])) != sorted(HOLES.findall(other[key]))} == set()


def test_every_text_that_is_asked_for_is_there_and_none_is_left_over() -> None:
    known = texts("en").known
    source = "\n".join(path.read_text("utf-8") for path in FOLDER.rglob("*.py"))
    asked = set(re.findall(r'words\(\s*"([a-z]+\.\w+)"', source))
    assert asked - known.keys() == set()
    made = {found.split(".")[0] for found in re.findall(r'words\(\s*f"([a-z]+\.)', source)} | {
        "kinds",
        "categories",
        "code",
    }
    named = set(re.findall(r'"([a-z]+\.\w+)"', source))
    assert {key for key in known if key not in named and key.split(".")[0] not in made} == set()


def test_the_language_is_the_chosen_one_else_the_browsers() -> None:
    assert preferred("de", "en-GB,en;q=0.9") == "de"
    assert preferred("", "fr-FR,de;q=0.8,en;q=0.5") == "de"
    assert preferred("xx", "fr") == "en"
    assert texts("fr").language == "en"
    assert texts("en").named("kinds", "something new") == "something new"

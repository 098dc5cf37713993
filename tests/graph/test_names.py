"""Names in texts, by example and for any text."""

from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.graph.names import MOST_NAMES, name_key, names, spelled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Carol Jones in Oslo.", {"Carol Jones", "Oslo"}),
        ("Carol leads Project Falcon.", {"Carol", "Project Falcon"}),
        ("The Bay of Bengal lies east of India.", {"Bay of Bengal", "India"}),
        ("please call getUserName or load_config in app.core.settings", {"getUserName", "load_config"}),
        (
            "ping @maria about #release-notes, see https://www.example.org/a?b",
            {"maria", "release-notes", "example.org"},
        ),
        ('he read "the left hand of darkness" and `make test`', {"the left hand of darkness", "make test"}),
        ("She flew with Apollo 11 to Ulan-Bator.", {"Apollo 11", "Ulan-Bator"}),
        ("im Café Müller in Zürich", {"Café Müller", "Zürich"}),
        ("we went to Anna's house", {"Anna"}),
        ("link to [[Project X]] here", {"Project X"}),
        ("Port Blair (city)\nIt is a town.", {"Port Blair"}),
    ],
)
def test_names_are_found(text: str, expected: set[str]) -> None:
    assert {name_key(name) for name in expected} <= set(names(text))


@pytest.mark.parametrize(
    "text",
    ["The weather was fine. It rained. In May and on Monday I slept.", "nothing to see here, 3.14 and e.g. this", ""],
)
def test_what_is_no_name(text: str) -> None:
    assert names(text) == {}


def test_what_a_text_is_about_weighs_more() -> None:
    found = names("Port Blair\nIt was visited by many people who came a long way to see it. " * 2 + "Also by Ann Lee.")
    assert found[name_key("Port Blair")] > found[name_key("Ann Lee")]


def test_a_word_that_may_be_no_name_weighs_less() -> None:
    assert names("Carrots are orange.")[name_key("Carrots")] < names("We grow Carrots.")[name_key("Carrots")]


def test_keys_meet_whatever_the_spelling() -> None:
    assert name_key("Project Falcons") == name_key("project falcon")
    assert name_key("C++") != name_key("+")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_bounded_names(text: str) -> None:
    found = names(text)
    assert len(found) <= MOST_NAMES
    assert all(key and weight > 0 for key, weight in found.items())
    assert found == names(text)


def test_a_long_text_is_quick() -> None:
    assert len(names("Anna met Bob at the Old Mill. " * 5000)) <= MOST_NAMES
    assert len(names("A" * 100_000 + " " + "a.b" * 30_000)) <= MOST_NAMES


@pytest.mark.parametrize(("start", "again"), [("Tea", " "), ("", "("), (")", " (")])
def test_a_first_line_that_nobody_writes_is_quick_too(start: str, again: str) -> None:
    assert_linear(lambda size: partial(names, f"{start}{again * size}\nx"), 9_000 // len(again))


def test_names_are_known_as_they_are_written() -> None:
    found = spelled("I met Bob Miller at Acme Industries in Lisbon.")
    assert {"Bob Miller", "Acme Industries", "Lisbon"} <= set(found.values())
    assert found[name_key("Acme Industries")] == "Acme Industries"

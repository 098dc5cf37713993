"""What a sentence asks for."""

from __future__ import annotations

import pytest

from everlore.extract.requests import bare, is_order, is_problem, problem, requests


@pytest.mark.parametrize(
    "sentence",
    [
        "Book a flight to Rome",
        "Fix tests in CI",
        "Run tests",
        "Refactor the parser",
        "dockerize the app",
        "Add retries to the client",
        "email Bob the report",
        "Fix: tests fail on Windows",
        "Plot sales by region",
        "Build the app",
        "Do the usual onboarding",
        "Onboard Lena Brandt",
    ],
)
def test_orders(sentence: str) -> None:
    assert is_order(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Build is red",
        "Login fails on CI",
        "Test fails again",
        "The build is red",
        "pytest fails in the crm repo",
        "We ship on Monday.",
        "Rome",
        "It works",
        "Hmm that is odd",
        "What is the weather?",
        "Thanks a lot",
        "My laptop is slow",
        "Search latency alert: p95 is above 2 s",
        "Release branches are off limits",
        "Disk on web-03 is full",
    ],
)
def test_what_is_no_order(sentence: str) -> None:
    assert not is_order(sentence)


@pytest.mark.parametrize(
    ("sentence", "order"),
    [
        ("Could you please deploy the api, please?", "Deploy the api"),
        ("Now bump the version", "Bump the version"),
        ("Great, now update the README", "Update the README"),
        ("I need to migrate the users table", "Migrate the users table"),
        ("I also need a rental car", "Get a rental car"),
        ("ok next, can you also write the docs?", "Write the docs"),
        ("unrelated: what's eating the disk?", "What's eating the disk?"),
        ("test_signup is flaky", "test_signup is flaky"),
        ("Hi there! Can you book me a flight?", "Book a flight"),
        ("Let's add dark mode", "Add dark mode"),
        ("Why is the login slow?", "Why is the login slow?"),
    ],
)
def test_a_request_as_an_order(sentence: str, order: str) -> None:
    assert bare(sentence) == order


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The docs build is broken, can you look?", "The docs build is broken"),
        ("pytest fails in the crm repo: no module named 'x', fix", "pytest fails in the crm repo: no module named 'x'"),
        ("test_signup is flaky too, fix it pls", "test_signup is flaky too"),
        ("Our website is down!! help", "Our website is down!!"),
        ("I can't log in, any idea?", "I can't log in"),
        ("my laptop keeps freezing", "my laptop keeps freezing"),
    ],
)
def test_a_problem_without_the_wish_to_have_it_mended(sentence: str, told: str) -> None:
    assert is_problem(sentence)
    assert problem(sentence) == told


@pytest.mark.parametrize(
    "sentence", ["Fix the broken test", "Find the wrong entries", "I live in Rome", "Is it broken?"]
)
def test_what_is_no_problem(sentence: str) -> None:
    assert not is_problem(sentence)


@pytest.mark.parametrize("sentence", ["as a bar chart please", "Rome", "I use Postgres", "the second one"])
def test_fragments_request_nothing_of_their_own(sentence: str) -> None:
    assert not requests(sentence)

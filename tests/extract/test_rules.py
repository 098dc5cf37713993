"""Rules are known by their language's data, whose examples are the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everlore.extract.language import codes, language
from everlore.extract.rules import is_rule, may_be_rule, of_work, takes_back


def examples(kind: str) -> Iterator[str]:
    for code in codes():
        yield from language(code).data["rules"][kind]


@pytest.mark.parametrize("text", list(examples("reads")))
def test_rules(text: str) -> None:
    assert is_rule(text)


@pytest.mark.parametrize("text", list(examples("stays")))
def test_no_rules(text: str) -> None:
    assert not is_rule(text)


def test_among_friends_good_advice_is_no_rule() -> None:
    assert not is_rule("Always trust your gut.", to_friends=True)
    assert is_rule("Please call me Sam.", to_friends=True)


def test_what_takes_a_rule_back() -> None:
    assert takes_back("You can use emojis again.")
    assert not takes_back("Never use emojis.")
    assert is_rule("Could you always answer in English?")
    assert not is_rule("Could you answer this?")


def test_what_is_played_is_for_once() -> None:
    assert not may_be_rule("Pretend to be my interviewer.")
    assert not may_be_rule("Act as my Spanish teacher.")
    assert may_be_rule("From now on, act as my Spanish teacher.")


@pytest.mark.parametrize(
    "text",
    [
        "Run the linter before you commit.",
        "Never edit files below src/gen/.",
        "Use snake_case for columns.",
        "Log with `structlog`.",
        "Don't call flush() twice.",
        "Pass --strict to mypy.",
        "Keine Commits ohne Tests.",
        "N'utilise jamais la base de données de production.",
        "提交之前先运行测试。",
    ],
)
def test_rules_about_the_work(text: str) -> None:
    assert of_work(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never use emojis.",
        "Answer in German.",
        "Please call me Sam.",
        "Use metric units, e.g. km.",
        "Nenne mich Max.",
        "请叫我小明。",
    ],
)
def test_rules_for_whoever_listens(text: str) -> None:
    assert not of_work(text)

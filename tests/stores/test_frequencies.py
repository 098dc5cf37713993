"""Counts of terms that are remembered follow their owner, and are taken anew when units went."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.stores.base import TermStats
from everlore.stores.frequencies import MOST_FRESH, Frequencies, Moment, affordable, rarest_first


class Units:
    """An owner's units, and how often they were counted."""

    def __init__(self, *tokens: str) -> None:
        self.tokens = list(tokens)
        self.lost = 0
        self.counted: list[list[str]] = []

    def ask(self, frequencies: Frequencies[str], *terms: str, unchanged: bool = True) -> dict[str, int]:
        now = Moment(len(self.tokens) + self.lost, self.lost, len(self.tokens))
        return frequencies.of(
            "alice",
            now,
            terms,
            since=lambda before: self.tokens[before.last :],
            count=self._count,
            unchanged=lambda: unchanged,
        )

    def _count(self, terms: Sequence[str]) -> dict[str, int]:
        self.counted.append(list(terms))
        return {term: sum(f" {term} " in tokens for tokens in self.tokens) for term in terms}


def test_a_term_is_counted_once_and_new_units_are_added() -> None:
    units, frequencies = Units(" tea ", " milk "), Frequencies[str](4)
    assert units.ask(frequencies, "tea") == {"tea": 1}
    units.tokens.append(" tea  milk ")
    assert units.ask(frequencies, "tea", "milk") == {"tea": 2, "milk": 2}
    assert units.counted == [["tea"], ["milk"]]


def test_counts_are_taken_anew_when_units_went_or_too_many_came() -> None:
    units, frequencies = Units(" tea ", " tea "), Frequencies[str](4)
    units.ask(frequencies, "tea")
    units.tokens.pop()
    units.lost += 1
    assert units.ask(frequencies, "tea") == {"tea": 1}
    units.tokens += [" tea "] * (MOST_FRESH + 1)
    assert units.ask(frequencies, "tea") == {"tea": MOST_FRESH + 2}
    assert len(units.counted) == 3


def test_what_changed_while_it_was_counted_is_not_remembered() -> None:
    units, frequencies = Units(" tea "), Frequencies[str](4)
    assert units.ask(frequencies, "tea", unchanged=False) == {"tea": 1}
    units.ask(frequencies, "tea")
    assert len(units.counted) == 2


def test_the_rarest_terms_come_first_and_at_least_one_is_affordable() -> None:
    stats = TermStats(100, 5.0, {"often": 50, "never": 0, "rare": 2, "some": 10})
    terms = rarest_first(stats, [*stats.frequency])
    assert terms == ["rare", "some", "often"]
    assert [affordable(terms, stats, most) for most in (1, 12, 61, 62)] == [1, 2, 2, 3]

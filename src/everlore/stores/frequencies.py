"""In how many units of an owner each term stands, and which terms a query can afford to look for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from everlore.stores.base import TermStats

TERMS_REMEMBERED = 1024
MOST_FRESH = 200
"""New units whose words are counted one by one; after more, the counts are taken anew."""

Name = TypeVar("Name", bound=Hashable)


class Moment(NamedTuple):
    """The state of an owner: it has grown when its epoch has, and shrunk when more units are lost."""

    epoch: int
    lost: int
    last: int
    """What tells the units that come later."""


@dataclass(frozen=True, slots=True)
class _Known:
    moment: Moment
    counts: dict[str, int]


class Frequencies(Generic[Name]):
    """To count a frequent term takes milliseconds, so counts are remembered: units that came since are added, and when
    units went the counts are taken anew."""

    def __init__(self, most_owners: int) -> None:
        self._most_owners = most_owners
        self._lock = threading.Lock()
        self._known: OrderedDict[Name, _Known] = OrderedDict()

    def remembered(self, owner: Name) -> tuple[Moment | None, Set[str]]:
        """Since when which terms are known."""
        with self._lock:
            known = self._known.get(owner)
        return (known.moment, known.counts.keys()) if known else (None, frozenset())

    def of(
        self,
        owner: Name,
        now: Moment,
        terms: Sequence[str],
        *,
        since: Callable[[Moment], list[str]],
        count: Callable[[Sequence[str]], dict[str, int]],
        unchanged: Callable[[], bool] = lambda: True,
    ) -> dict[str, int]:
        """`since` gives the tokens of units that came after a moment, `MOST_FRESH` and one at most. Counts are
        remembered only if the owner is `unchanged` after counting."""
        with self._lock:
            known = self._known.get(owner)
        known = _followed(known, now, since)
        missing = [term for term in terms if term not in known.counts]
        if missing:
            known = replace(known, counts=known.counts | count(missing))
        if not missing or unchanged():
            with self._lock:
                self._known[owner] = known
                self._known.move_to_end(owner)
                while len(self._known) > self._most_owners:
                    self._known.popitem(last=False)
        return {term: known.counts[term] for term in terms}


def _followed(known: _Known | None, now: Moment, since: Callable[[Moment], list[str]]) -> _Known:
    """What is known, brought up to now; nothing if that is not possible."""
    nothing = _Known(now, {})
    if known is None or len(known.counts) > TERMS_REMEMBERED:
        return nothing
    if known.moment.lost != now.lost or known.moment.epoch > now.epoch:
        return nothing
    if known.moment.epoch == now.epoch:
        return known
    fresh = since(known.moment)
    if len(fresh) > MOST_FRESH:
        return nothing
    return _Known(now, {term: n + sum(f" {term} " in tokens for tokens in fresh) for term, n in known.counts.items()})


def rarest_first(stats: TermStats, terms: Sequence[str]) -> list[str]:
    """Those of the terms that some unit holds."""
    return sorted((term for term in terms if stats.frequency[term]), key=lambda term: (stats.frequency[term], term))


def affordable(terms: Sequence[str], stats: TermStats, most_postings: int) -> int:
    """How many of the terms, rarest first, can be read within the limit; at least one."""
    total = np.cumsum([stats.frequency[term] for term in terms])
    return max(1, int(np.searchsorted(total, most_postings, side="right")))

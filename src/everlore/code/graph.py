"""Chunks that the best hits refer to: a small graph made for one query, and personalised PageRank over it.

An edge leads from a chunk to the definitions of the names that stand in it, within its project. Names that are
defined in many places say nothing and make no edge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from everlore.code.rows import KIND
from everlore.stores.base import Index
from everlore.types import IndexedMemory, Owner

DAMPING = 0.5
ROUNDS = 15
MOST_DEFINITIONS = 3
MOST_NAMES = 60
"""Names of one chunk that are looked up."""

_NAME = re.compile(r"[^\W\d]\w{2,}")


def ranks(index: Index, seeds: Sequence[tuple[IndexedMemory, float]]) -> dict[int, float]:
    """How near each row is to the seeds (rows with their scores), the nearest 1."""
    total = sum(score for _, score in seeds)
    if total <= 0:
        return {}
    start = {row.id: score / total for row, score in seeds}
    edges = _edges(index, [row for row, _ in seeds])
    rank = dict(start)
    for _ in range(ROUNDS):
        rank = _spread(rank, edges, start)
    highest = max(rank.values())
    return {row: value / highest for row, value in rank.items()}


def _spread(rank: Mapping[int, float], edges: Mapping[int, set[int]], start: Mapping[int, float]) -> dict[int, float]:
    """One step: half goes along the edges, half begins anew; what cannot go anywhere begins anew as well."""
    after = dict.fromkeys(rank, 0.0)
    back = 1 - DAMPING
    for row, value in rank.items():
        targets = edges.get(row)
        if not targets:
            back += DAMPING * value
            continue
        for target in targets:
            after[target] = after.get(target, 0.0) + DAMPING * value / len(targets)
    for row, share in start.items():
        after[row] = after.get(row, 0.0) + back * share
    return after


def _edges(index: Index, seeds: Sequence[IndexedMemory]) -> dict[int, set[int]]:
    """Both ways: what a definition is used by matters as much as what it uses."""
    names = {
        row.id: list(dict.fromkeys(map(str.casefold, _NAME.findall(row.data["content"]))))[:MOST_NAMES] for row in seeds
    }
    edges: dict[int, set[int]] = {}
    for owner in {row.key.owner for row in seeds}:
        mine = [row.id for row in seeds if row.key.owner == owner]
        defined = _defined(index, owner, {name for row in mine for name in names[row]})
        for row in mine:
            for name in names[row]:
                for target in defined.get(name, ()):
                    if target != row:
                        edges.setdefault(row, set()).add(target)
                        edges.setdefault(target, set()).add(row)
    return edges


def _defined(index: Index, owner: Owner, names: set[str]) -> dict[str, list[int]]:
    found = index.rows.in_slots(owner, KIND, sorted(names))
    return {name: rows for name, rows in found.items() if len(rows) <= MOST_DEFINITIONS}

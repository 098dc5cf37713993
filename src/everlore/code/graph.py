"""Chunks that the best hits refer to: a small graph made for one query, and personalised PageRank over it.

An edge leads from a chunk to the definitions of the names that stand in it, within its project. Names that are
defined in many places say nothing and make no edge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from everlore.code.rows import KIND
from everlore.graph.ppr import personalised_pagerank
from everlore.stores.base import Index
from everlore.types import IndexedMemory, Owner

MOST_DEFINITIONS = 3
MOST_NAMES = 60
"""Names of one chunk that are looked up."""

_NAME = re.compile(r"[^\W\d]\w{2,}")


def ranks(index: Index, seeds: Sequence[tuple[IndexedMemory, float]]) -> dict[int, float]:
    """How near each row is to the seeds (rows with their scores), the nearest 1."""
    if sum(score for _, score in seeds) <= 0:
        return {}
    edges = _edges(index, [row for row, _ in seeds])
    rows = list(dict.fromkeys([*(row.id for row, _ in seeds), *edges]))
    number = {row: at for at, row in enumerate(rows)}
    begin = np.zeros(len(rows))
    begin[[number[row.id] for row, _ in seeds]] = [score for _, score in seeds]
    pairs = np.array([(number[row], number[end]) for row, ends in edges.items() for end in ends], np.int64)
    source, target = pairs.reshape(-1, 2).T
    near = personalised_pagerank(source, target, np.ones(len(pairs)), begin)
    return dict(zip(rows, (near / near.max()).tolist(), strict=True))


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

"""The part of the graph around what a query found, and the walk over it.

Nodes are memories, entities and names; an edge joins a memory or entity and a name in it. From the seeds it is two
steps to other memories that share a name, and entities lead on through their relations. A name that very many memories
share tells nothing and is not followed; so the cost depends on the neighbourhood and not on the vault.

From a memory a walk goes to rare names first, and to names that the question does not have; from a name it goes to what
is most about it. The constants were chosen on multi-hop questions (`bench/`), where their neighbourhood is flat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from everlore.engine import Engine
from everlore.graph.names import name_key, names
from everlore.graph.ppr import reached
from everlore.kinds.entity import IS
from everlore.kinds.registry import kinds_where
from everlore.stores.base import Asked, Link
from everlore.stores.tokens import joined, query_terms
from everlore.types import Where

MOST_LINKS = 40
"""A name with more links is not followed."""
MOST_TARGETS = 200
MOST_ROWS = 1000
ROUNDS = 4
"""Steps over entities and their relations."""
ASKED_SHARE = 0.1
"""How many of the walks begin at names in the question, when it has any that are known. Few: words find those too."""
ASKED_AGAIN = 0.1
"""How much a memory leads to names that are in the question: less than to others, which words do not find."""
LONGEST_NAME = 4
"""Words of a question that are tried together as a name."""
SEED_UNITS = 2
"""Units of a seed whose every word is tried as the name of an entity."""
MOST_QUERY_WORDS = 60
ENTITIES_READ = 12
"""Entities whose name is looked for in all texts, since it may stand there in small letters."""
MENTIONS = 30


@dataclass(frozen=True, slots=True)
class Walk:
    """How near each memory is to the seeds, the nearest 1, and how many nodes were looked at."""

    nearness: dict[int, float] = field(default_factory=dict)
    nodes: int = 0


@dataclass(slots=True)
class _Graph:
    links: dict[tuple[int, str], float] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    degree: dict[str, int] = field(default_factory=dict)
    """Links of each name that was looked at."""

    def add(self, found: Iterable[Link]) -> list[int]:
        """Returns the rows that are new."""
        fresh: dict[int, None] = {}
        for link in found:
            if link.row not in self.kinds:
                if len(self.kinds) >= MOST_ROWS:
                    continue
                self.kinds[link.row] = link.kind
                fresh[link.row] = None
            place = (link.row, link.edge.target)
            self.links[place] = max(self.links.get(place, 0.0), link.edge.weight)
        return list(fresh)


def walk(engine: Engine, where: Where, query: str, seeds: Mapping[int, float]) -> Walk:
    """From these memories, and from the names in the query."""
    asked = _asked_names(engine, where, query)
    graph = _gather(engine, where, seeds, asked)
    rows = list(dict.fromkeys([*seeds, *graph.kinds]))
    targets = list(dict.fromkeys(target for _, target in graph.links))
    number = {row: at for at, row in enumerate(rows)}
    named = {target: len(rows) + at for at, target in enumerate(targets)}
    degree = graph.degree
    begin = np.zeros(len(rows) + len(targets))
    known = {named[name]: rarity(degree.get(name, 1)) for name in asked if name in named}
    _spread(begin, {number[row]: weight for row, weight in seeds.items()}, 1.0 - ASKED_SHARE if known else 1.0)
    _spread(begin, known, ASKED_SHARE)
    row_at = np.array([number[row] for row, _ in graph.links], np.int64)
    name_at = np.array([named[target] for _, target in graph.links], np.int64)
    near = reached(
        np.concatenate([row_at, name_at]),
        np.concatenate([name_at, row_at]),
        np.array([*_from_rows(graph, degree, set(asked)), *graph.links.values()], np.float64),
        begin,
    )
    things = _things()
    memories = {row: float(near[number[row]]) for row in rows if graph.kinds.get(row) not in things}
    most = max(memories.values(), default=0.0)
    # the square root: a walk thins out quickly, and what it reaches at all is near
    nearness = {row: math.sqrt(value / most) for row, value in memories.items() if value > 0} if most else {}
    return Walk(nearness, len(begin))


def _things() -> tuple[str, ...]:
    """The kinds that are what others speak of, and no memories themselves: entities."""
    return kinds_where(lambda one: one.own_names)


def rarity(links: int) -> float:
    """How much a name tells that has so many links."""
    return 1.0 / math.log2(1.0 + max(1, links))


def _from_rows(graph: _Graph, degree: Mapping[str, int], asked: Set[str]) -> Iterator[float]:
    """How likely a walk goes from a memory or entity to each of its names."""
    things = _things()
    for (row, target), weight in graph.links.items():
        again = ASKED_AGAIN if target in asked and graph.kinds.get(row) not in things else 1.0
        yield math.sqrt(weight) * rarity(degree.get(target, 1)) * again


def _spread(begin: NDArray[np.float64], weights: Mapping[int, float], share: float) -> None:
    total = sum(weights.values())
    for node, weight in weights.items():
        begin[node] += share * weight / total if total > 0 else 0.0


def _asked_names(engine: Engine, where: Where, query: str) -> list[str]:
    """Names in the query that something in the vault is linked to, in capitals or not."""
    words = query_terms(query)[:MOST_QUERY_WORDS]
    runs = {" ".join(words[at : at + size]) for size in range(1, LONGEST_NAME + 1) for at in range(len(words))}
    tried = sorted(key for key in runs | names(query).keys() if len(key) > 1)
    known = engine.index.links.degrees(tried, where, MOST_LINKS + 1)
    return sorted(key for key, links in known.items() if links <= MOST_LINKS)


def _gather(engine: Engine, where: Where, seeds: Mapping[int, float], asked: Sequence[str]) -> _Graph:
    """Seeds and names to what they are linked with; entities on, through their relations."""
    graph, things = _Graph(), _things()
    reach = replace(where, kinds=(*where.kinds, *things))
    first = sorted(seeds, key=lambda row: (-seeds[row], row))
    graph.kinds.update({row: one.key.kind for row, one in engine.index.rows.stored(first).items()})
    frontier, targets, followed = [row for row in first if row in graph.kinds], list(asked), set[str]()
    have_entities = engine.index.rows.count(Where(where.owner, things, scope=where.scope)) > 0
    if have_entities:
        targets += _entities_in(engine, where, frontier, graph)
    for _ in range(ROUNDS):
        own = [Link(row, graph.kinds[row], edge) for row, edge in engine.index.links.of(frontier)]
        targets += [link.edge.target for link in own]
        wanted = [target for target in dict.fromkeys(targets) if target not in followed]
        followed.update(wanted)
        known = engine.index.links.degrees(wanted, where, MOST_LINKS + 1)
        graph.degree |= known
        rare = sorted((one for one in known if known[one] <= MOST_LINKS), key=lambda one: (known[one], one))
        graph.add(link for link in own if 1 < known.get(link.edge.target, 2) <= MOST_LINKS)
        fresh = graph.add(engine.index.links.to(rare[:MOST_TARGETS], reach))
        frontier, targets = [row for row in fresh if graph.kinds[row] in things], []
        if not frontier:
            break
        _mentions(engine, where, frontier[:ENTITIES_READ], graph)
    return graph


def _entities_in(engine: Engine, where: Where, rows: Sequence[int], graph: _Graph) -> list[str]:
    """Names of entities that stand in these memories in small letters."""
    runs: dict[str, set[int]] = {}
    for piece in engine.index.search.candidates(Asked(where, rows=rows, first=SEED_UNITS)).pieces:
        words = piece.tokens.split()
        for size in (1, 2, 3):
            for at in range(len(words) - size + 1):
                runs.setdefault(" ".join(words[at : at + size]), set()).add(piece.row)
    found = engine.index.links.to(runs, replace(where, kinds=_things()), (IS,))
    for link in found:
        for row in runs[link.edge.target]:
            graph.links.setdefault((row, link.edge.target), 1.0)
    return [link.edge.target for link in found]


def _mentions(engine: Engine, where: Where, entities: Sequence[int], graph: _Graph) -> None:
    """Memories in which the name of one of these entities stands in small letters."""
    for stored in engine.index.rows.stored(entities).values():
        for name in (stored.data["name"], *stored.data["aliases"]):
            key = name_key(name)
            terms = key.split()
            if key.startswith("=") or not query_terms(name):
                continue
            pieces = engine.index.search.candidates(Asked(where, terms, limit=MENTIONS + 1)).pieces
            if len(pieces) > MENTIONS and len(terms) == 1:
                continue
            wanted = joined(terms)
            for piece in pieces:
                if wanted in piece.tokens and (piece.row in graph.kinds or len(graph.kinds) < MOST_ROWS):
                    graph.kinds.setdefault(piece.row, piece.kind)
                    graph.links.setdefault((piece.row, key), 1.0)

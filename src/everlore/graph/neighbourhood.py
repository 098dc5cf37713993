"""The part of the graph around what a query found, and the walk over it.

Nodes are memories, entities and names; edges lead from a memory or entity to the names in it. From the seeds it is two
steps to other memories that share a name, and entities lead on through their relations. A name that very many memories
share tells nothing and is not followed; so the cost depends on the neighbourhood and not on the vault.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from everlore.engine import Engine
from everlore.graph.names import name_key, names
from everlore.graph.ppr import personalised_pagerank
from everlore.index.base import Link
from everlore.index.tokens import query_terms
from everlore.kinds.entity import IS
from everlore.types import Where

MOST_LINKS = 60
"""A name with more links is not followed."""
MOST_TARGETS = 400
MOST_ROWS = 1500
ROUNDS = 4
"""Steps over entities and their relations."""
LONGEST_NAME = 4
"""Words of a query that are tried together as a name."""
SEEDS_READ = 10
"""Seeds whose every word is tried as the name of an entity."""
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


def walk(engine: Engine, where: Where, query: str, seeds: Mapping[int, float], name_share: float) -> Walk:
    """From these memories and from the names in the query. `name_share` is how much the names count."""
    reach = replace(where, kinds=(*where.kinds, "entity"))
    asked = _asked_names(engine, where, query)
    graph = _gather(engine, reach, seeds, asked)
    if not graph.links and not seeds:
        return Walk()
    rows = list(dict.fromkeys([*seeds, *graph.kinds]))
    targets = list(dict.fromkeys(target for _, target in graph.links))
    number = {row: at for at, row in enumerate(rows)}
    named = {target: len(rows) + at for at, target in enumerate(targets)}
    degree = engine.index.degrees(targets, where.scope, MOST_LINKS * 4)
    begin = np.zeros(len(rows) + len(targets))
    _spread(begin, {number[row]: weight for row, weight in seeds.items()}, 1.0 - name_share if asked else 1.0)
    _spread(begin, {named[name]: rarity(degree.get(name, 1)) for name in asked if name in named}, name_share)
    weights = [weight * rarity(degree.get(target, 1)) for (_, target), weight in graph.links.items()]
    rank = personalised_pagerank(
        len(begin),
        np.array([number[row] for row, _ in graph.links], np.int64),
        np.array([named[target] for _, target in graph.links], np.int64),
        np.array(weights, np.float64),
        begin,
    )
    near = {row: float(rank[number[row]]) for row in rows if graph.kinds.get(row) != "entity"}
    most = max(near.values(), default=0.0)
    return Walk({row: value / most for row, value in near.items() if value > 0} if most else {}, len(begin))


def rarity(links: int) -> float:
    """How much a name tells that has so many links."""
    return 1.0 / math.log2(1.0 + max(1, links))


def _spread(begin: np.ndarray, weights: Mapping[int, float], share: float) -> None:
    total = sum(weights.values())
    for node, weight in weights.items():
        begin[node] += share * weight / total if total > 0 else 0.0


def _asked_names(engine: Engine, where: Where, query: str) -> list[str]:
    """Names in the query that something in the vault is linked to, in capitals or not."""
    words = query_terms(query)
    runs = {" ".join(words[at : at + size]) for size in range(2, LONGEST_NAME + 1) for at in range(len(words))}
    tried = {*names(f"{query}\n{query}"), *runs, *words}
    known = engine.index.degrees(sorted(key for key in tried if len(key) > 1), where.scope, MOST_LINKS + 1)
    return sorted(key for key, links in known.items() if links <= MOST_LINKS)


def _gather(engine: Engine, where: Where, seeds: Mapping[int, float], asked: Sequence[str]) -> _Graph:
    graph = _Graph()
    first = sorted(seeds, key=lambda row: (-seeds[row], row))
    stored = engine.index.stored(first)
    graph.kinds.update({row: stored[row].key.kind for row in first if row in stored})
    frontier = list(graph.kinds)
    targets = list(asked)
    have_entities = bool(engine.index.page(Where(where.owner, ("entity",), scope=where.scope), limit=1).total)
    followed: set[str] = set()
    for step in range(ROUNDS if have_entities else 1):
        own = [Link(row, graph.kinds[row], edge) for row, edge in engine.index.edges_of(frontier)]
        graph.add(own)
        targets += [link.edge.target for link in own]
        if have_entities and step == 0:
            targets += _entities_in(engine, where, first[:SEEDS_READ], graph)
        wanted = [target for target in dict.fromkeys(targets) if target not in followed]
        followed.update(wanted)
        known = engine.index.degrees(wanted, where.scope, MOST_LINKS + 1)
        rare = sorted((target for target in known if known[target] <= MOST_LINKS), key=lambda t: (known[t], t))
        fresh = graph.add(engine.index.links_to(rare[:MOST_TARGETS], where))
        frontier = [row for row in fresh if graph.kinds[row] == "entity"]
        if have_entities:
            _mentions(engine, where, frontier[:ENTITIES_READ], graph)
        targets = []
        if not frontier:
            break
    # what the gathered memories share among each other, without going further
    known_targets = {target for _, target in graph.links}
    rest = [row for row in graph.kinds if row not in seeds]
    graph.add(
        Link(row, graph.kinds[row], edge) for row, edge in engine.index.edges_of(rest) if edge.target in known_targets
    )
    return graph


def _entities_in(engine: Engine, where: Where, rows: Sequence[int], graph: _Graph) -> list[str]:
    """Names of entities that stand in these memories in small letters."""
    units = [unit for first in engine.index.units_of(rows, 4).values() for unit in first]
    runs: dict[str, set[int]] = {}
    for piece in engine.index.around(units, 0):
        words = piece.tokens.split()
        for size in (1, 2, 3):
            for at in range(len(words) - size + 1):
                runs.setdefault(" ".join(words[at : at + size]), set()).add(piece.row)
    found = engine.index.links_to(runs, replace(where, kinds=("entity",)), (IS,))
    for link in found:
        for row in runs[link.edge.target]:
            graph.links.setdefault((row, link.edge.target), 1.0)
    return [link.edge.target for link in found]


def _mentions(engine: Engine, where: Where, entities: Sequence[int], graph: _Graph) -> None:
    """Memories in which the name of one of these entities stands in small letters."""
    for stored in engine.index.stored(entities).values():
        for name in (stored.data["name"], *stored.data["aliases"]):
            key = name_key(name)
            terms = key.split()
            if key.startswith("=") or not query_terms(name):
                continue
            hits = engine.index.text(terms, where, MENTIONS + 1)
            if len(hits) > MENTIONS and len(terms) == 1:
                continue
            wanted = f" {'  '.join(terms)} "
            for piece in engine.index.around([hit.unit for hit in hits], 0):
                if wanted in piece.tokens and (piece.row in graph.kinds or len(graph.kinds) < MOST_ROWS):
                    graph.kinds.setdefault(piece.row, piece.kind)
                    graph.links.setdefault((piece.row, key), 1.0)

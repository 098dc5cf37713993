"""The other half of the index in plain dicts: what is searched, the queue, and vectors that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext

import numpy as np
from memory_index import Files, Rows, State, permits
from memory_overview import Overview
from numpy.typing import NDArray

from everlore.stores.base import Asked, Evidence, Index, IndexStatus, Link, Piece, PieceText, TermStats
from everlore.stores.bm25 import in_texts, telling, worth
from everlore.stores.rows import tie_of
from everlore.stores.sql.queue import Claims, pause
from everlore.stores.vector_math import require_shape
from everlore.types import Edge, IndexedMemory, IndexRow, Owner, UnitHit, Where


class Search:
    def __init__(self, state: State, upkeep: Upkeep) -> None:
        self._state = state
        self._upkeep = upkeep

    def snapshot(self) -> nullcontext[None]:
        return nullcontext()

    def candidates(self, asked: Asked) -> Evidence:
        stats = self.term_stats(asked.terms, asked.where.owner) if asked.terms and asked.limit else None
        by_words, by_meaning = self._lists(asked, asked.where, stats)
        also = self._lists(asked, asked.also, stats) if asked.also else ((), ())
        units = {*asked.units, *(hit.unit for hits in (by_words, by_meaning, *also) for hit in hits)}
        units.update(unit for row in asked.rows for unit in self._state.rows[row].units[: asked.first])
        near: set[int] = set()
        for piece, place, _ in (self._state.pieces[unit] for unit in units if unit in self._state.pieces):
            near.update(self._state.rows[piece.row].units[max(0, place - asked.reach) : place + asked.reach + 1])
        found = sorted((self._state.pieces[unit] for unit in near), key=lambda one: (one[0].row, one[1]))
        pieces = [piece for piece, _, _ in found]
        cosines = np.array([self._cosine(asked, piece.unit) for piece in pieces], np.float64)
        counts = in_texts(asked.terms, [piece.tokens for piece in pieces])
        return Evidence(pieces, counts, cosines, by_words, by_meaning, stats)

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats:
        mine = [piece for piece, _, _ in self._state.pieces.values() if owner in (None, self._row(piece).key.owner)]
        frequency = {term: sum(f" {term} " in piece.tokens for piece in mine) for term in terms}
        return TermStats(len(mine), sum(piece.length for piece in mine) / max(1, len(mine)), frequency)

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        return [term for term in terms if self.candidates(Asked(where, [term], limit=1)).pieces]

    def permitted(self, rows: Iterable[int], where: Where) -> set[int]:
        return {one.id for one in self._state.held(where)}.intersection(rows)

    def anchors(self, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        found: dict[tuple[str, int], int] = {}
        for one in sorted(self._state.held(Where(owner, (kind,))), key=lambda one: one.row.key.local_id):
            for unit in one.units:
                place = (one.row.parent_id, self._state.pieces[unit][0].turn)
                if place in turns:
                    found.setdefault(place, unit)
        return found

    def in_turns(
        self, owner: Owner, kinds: Sequence[str], turns: Sequence[tuple[str, int]]
    ) -> list[tuple[IndexedMemory, int, str]]:
        held = sorted(self._state.held(Where(owner, tuple(kinds))), key=lambda one: one.row.key.local_id)
        pieces = [(one, self._state.pieces[unit][0]) for one in held for unit in one.units]
        return [
            (one.stored, piece.turn, piece.tokens) for one, piece in pieces if (piece.parent_id, piece.turn) in turns
        ]

    def episodes_of(self, rows: Iterable[int]) -> Mapping[int, int]:
        episodes = {
            (one.row.key.owner, one.row.parent_id): one.id
            for one in sorted(self._state.rows.values(), key=lambda one: one.row.key.local_id, reverse=True)
            if one.row.key.kind == "episode" and one.row.parent_id
        }
        held = [self._state.rows[row] for row in rows]
        cells = {one.id: (one.row.key.owner, one.row.parent_id) for one in held}
        return {row: episodes[cell] for row, cell in cells.items() if cell in episodes}

    def _row(self, piece: Piece) -> IndexRow:
        return self._state.rows[piece.row].row

    def _cosine(self, asked: Asked, unit: int) -> float:
        return float("nan") if asked.vector is None else self._upkeep.cosine(asked.vector, unit)

    def _lists(self, asked: Asked, where: Where, stats: TermStats | None) -> tuple[list[UnitHit], list[UnitHit]]:
        mine = [one for one in self._state.pieces.values() if permits(where, self._row(one[0]))]
        mine.sort(key=lambda one: (tie_of(self._row(one[0]).key), one[1]))
        scores = np.zeros(len(mine))
        counts = in_texts(list(dict.fromkeys(asked.terms)), [piece.tokens for piece, _, _ in mine])
        lengths = np.array([piece.length for piece, _, _ in mine], np.float64)
        for term, count in zip(dict.fromkeys(asked.terms), counts, strict=True):
            if stats and stats.frequency[term]:
                weight = telling(stats.units, np.array([stats.frequency[term]], np.float64))
                scores += weight * worth(count.astype(np.float64), lengths, stats.mean_length)
        by_words = [UnitHit(one[0].unit, float(score)) for one, score in zip(mine, scores, strict=True) if score > 0]
        near = [UnitHit(one[0].unit, self._cosine(asked, one[0].unit)) for one in mine]
        by_meaning = [hit for hit in near if hit.score >= (-1.0 if asked.radius is None else asked.radius)]
        return _best(by_words, asked.limit), _best(by_meaning, asked.limit)


def _best(hits: list[UnitHit], limit: int) -> list[UnitHit]:
    return sorted(hits, key=lambda hit: -hit.score)[: max(0, limit)]


class Links:
    def __init__(self, state: State) -> None:
        self._state = state

    def degrees(self, targets: Iterable[str], where: Where, most: int) -> dict[str, int]:
        owners = [(one.row.key.owner, edge) for one in self._state.rows.values() for edge in one.row.edges]
        mine = [e for o, e in owners if (o == where.owner if where.owner else where.scope in (None, o.scope))]
        counts = Counter(edge.target for edge in mine)
        return {target: min(most, counts[target]) for target in targets if counts[target]}

    def to(self, targets: Iterable[str], where: Where, relations: Sequence[str] | None = None) -> list[Link]:
        wanted = set(targets)
        links = [Link(one.id, one.row.key.kind, edge) for one in self._state.held(where) for edge in one.row.edges]
        return [one for one in links if one.edge.target in wanted and (not relations or one.edge.relation in relations)]

    def of(self, rows: Sequence[int]) -> list[tuple[int, Edge]]:
        return [(row, edge) for row in sorted(rows) for edge in self._state.rows[row].row.edges]


class Queue:
    def __init__(self, state: State, now: Callable[[], float]) -> None:
        self._queue = state.queue
        self._now = now
        self._claims = Claims()

    def enqueue(self, paths: Iterable[str]) -> None:
        for path in dict.fromkeys(paths):
            generation, _, tries, error = self._queue.get(path, (0, 0.0, 0, ""))
            self._queue[path] = [generation + 1, self._now(), tries, error]

    def claim(self, limit: int) -> list[str]:
        due = [(path, one[0]) for path, one in self._queue.items() if one[1] <= self._now()]
        return self._claims.take(due[:limit])

    def done(self, paths: Collection[str]) -> None:
        for path in paths:
            if self._claims.end(path) in (None, self._queue.get(path, [None])[0]):
                self._queue.pop(path, None)

    def failed(self, path: str, error: str) -> None:
        generation = self._claims.end(path)
        current, _, tries, _ = self._queue.get(path, (generation or 1, 0.0, 0, ""))
        again = self._now() + pause(tries) if generation in (None, current) else self._now()
        self._queue[path] = [current, again, tries + 1, error]

    def failures(self) -> list[tuple[str, str]]:
        return sorted((path, one[3]) for path, one in self._queue.items() if one[3])


class Upkeep:
    def __init__(self, state: State) -> None:
        self._state = state
        self._mine: tuple[str, int] | None = None
        self.renewals = 0

    def use_model(self, name: str, dimension: int) -> None:
        self._mine = self._state.model = (name, dimension)

    def model(self) -> tuple[str, int] | None:
        return self._state.model

    def cosine(self, query: NDArray[np.float32], unit: int) -> float:
        model, vector = self._state.vectors.get(unit, (None, query))
        return round(float(vector @ query), 6) if model == self._ours() == (model and model[0], len(query)) else np.nan

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        return self._waiting(owner)[:limit] if self._ours() else []

    def waiting(self, owner: Owner) -> int:
        return len(self._waiting(owner))

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        if model := self._ours():
            require_shape(vectors, len(units), model[1])
            known = {one.unit for one in self._waiting(None)}
            self._state.vectors |= {u: (model, vector) for u, vector in zip(units, vectors, strict=True) if u in known}

    def status(self) -> IndexStatus:
        kinds, queue = Counter(one.row.key.kind for one in self._state.rows.values()), self._state.queue
        failed, problems = sum(bool(one[3]) for one in queue.values()), sum(map(len, self._state.problems.values()))
        units, files = len(self._state.pieces), len(self._state.files)
        return IndexStatus(kinds, units, len(self._waiting(None)), files, len(queue), failed, problems)

    def tidy(self) -> bool:
        return False

    def check(self) -> list[str]:
        return []

    def close(self) -> None:
        """It goes with its process."""

    def _ours(self) -> tuple[str, int] | None:
        return self._state.model if self._mine in (None, self._state.model) else None

    def _waiting(self, owner: Owner | None) -> list[PieceText]:
        has = {unit for unit, (model, _) in self._state.vectors.items() if model == self._state.model}
        waiting = sorted((one for one in self._state.pieces.values() if one[2]), key=lambda one: one[0].unit)
        mine = [one for one in waiting if owner in (None, self._state.rows[one[0].row].row.key.owner)]
        return [PieceText(piece.unit, dense) for piece, _, dense in mine if piece.unit not in has]


def open_index(state: State, now: Callable[[], float]) -> Index:
    upkeep = Upkeep(state)
    search = Search(state, upkeep)
    return Index(Files(state, upkeep), Rows(state), search, Links(state), Queue(state, now), upkeep, Overview(state))

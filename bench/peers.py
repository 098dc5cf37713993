"""What everything is compared with in the same run: the plainest thing that does the job, on the same data."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from bench.synthetic import BIG, Filled
from everlore.stores.base import Vector
from everlore.stores.tokens import query_terms

LIMIT = 100


class PlainText:
    """An FTS5 table of the same turns, ranked by SQLite's own bm25()."""

    def __init__(self, path: Path, filled: Filled) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.execute(
            "PRAGMA journal_mode=WAL; PRAGMA cache_size=-32768;"
            "CREATE VIRTUAL TABLE plain USING fts5(text, owner UNINDEXED, tokenize='porter unicode61')"
        ).fetchall()
        with self._connection:
            self._connection.executemany(
                "INSERT INTO plain(text, owner) VALUES(?, ?)", list(zip(filled.texts, filled.owners, strict=True))
            )
            self._connection.execute("INSERT INTO plain(plain) VALUES('optimize')")

    def one_owner(self, query: str) -> int:
        select = "SELECT rowid FROM plain WHERE plain MATCH ? AND owner = ? ORDER BY bm25(plain) LIMIT ?"
        return len(self._connection.execute(select, (_match(query), BIG.id, LIMIT)).fetchall())

    def everyone(self, query: str) -> int:
        select = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ?"
        return len(self._connection.execute(select, (_match(query), LIMIT)).fetchall())

    def close(self) -> None:
        self._connection.close()


def _match(query: str) -> str:
    return " OR ".join(f'"{term}"' for term in query_terms(query))


@dataclass(frozen=True, slots=True)
class BruteForce:
    """Every vector against the query, in memory."""

    vectors: NDArray[np.float32]
    big: int

    def one_owner(self, query: Vector) -> int:
        return _top(self.vectors[: self.big], query)

    def everyone(self, query: Vector) -> int:
        return _top(self.vectors, query)


def _top(vectors: NDArray[np.float32], query: Vector) -> int:
    scores = vectors @ query
    best = np.argpartition(-scores, min(LIMIT, len(scores) - 1))[:LIMIT]
    return len(best[np.argsort(-scores[best])])


def append(path: Path) -> Callable[[str], int]:
    """Appends to a file and waits for the disk: the least a durable save can do."""

    def save(text: str) -> int:
        with path.open("ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        return len(text)

    return save


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds: by the clock, and of processor time by all threads, which a busy machine stretches less."""

    wall: float
    cpu: float


def spent(call: Callable[[], object]) -> Spent:
    begin, worked = time.perf_counter(), time.process_time()
    call()
    return Spent((time.perf_counter() - begin) * 1000, (time.process_time() - worked) * 1000)


def percentile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(np.array(values), share)) if values else float("nan")

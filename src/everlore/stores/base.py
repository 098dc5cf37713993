"""What Everlore asks of an index: derived state that can be thrown away and made again from the files.

An index knows nothing of embedders, markdown or contracts. It keeps rows and their units, finds units by
words (BM25) and by vectors (cosine), lists rows, and remembers which files it has seen. Scores: higher is
better, always. Every method may be called from any thread and from several processes at once.

Who asks has a Protocol of its own; a backend implements each in a module, and `Index` holds them together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from everlore.stores.overview import Overview
from everlore.types import Edge, IndexedMemory, IndexRow, Key, Owner, Problem, Scope, UnitHit, Where

Vector = NDArray[np.float32]
Order = Literal["timestamp", "updated"]


@dataclass(frozen=True, slots=True)
class Stamp:
    """How a file looked when it was indexed: equal stamp, nothing to do."""

    mtime_ns: int
    size: int


NOT_YET = Stamp(-1, -1)
"""Of a file that is indexed in part: it differs from every file, so that it is looked at again."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What indexing one file changed."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def any(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it is to be indexed."""

    path: str
    stamp: Stamp | None
    """None: it is gone."""
    rows: Sequence[IndexRow] = ()
    problems: Sequence[Problem] = ()
    partial: bool = False
    """Rows that are missing stay, as where there are problems: what cannot be read is not taken for deleted."""
    gone: Collection[Key] = ()
    """Those of them that are known to be gone."""
    appended: bool = False
    """The rows were just appended to a file that the index knows exactly as it was `before`."""
    before: Stamp | None = None


@dataclass(frozen=True, slots=True)
class ListingPage:
    rows: list[IndexedMemory]
    total: int


@dataclass(frozen=True, slots=True)
class PieceText:
    """A unit that waits for its vector."""

    unit: int
    dense: str


class Piece(NamedTuple):
    """A unit as scoring sees it. A tuple, because a search makes hundreds of them."""

    unit: int
    row: int
    kind: str
    parent_id: str
    timestamp: int
    """Of the memory, as its parent is."""
    turn: int
    start: int
    """Tokens of the memory before this unit."""
    length: int
    tokens: str
    """Every token with a blank on each side, so that counting " token " counts its occurrences."""


@dataclass(frozen=True, slots=True)
class TermStats:
    """What scoring must know of the whole partition: how many units, how long on average, terms in how many."""

    units: int
    mean_length: float
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """Units by words and by meaning, with what stands around them: one question.

    `terms` are those of `tokens.query_terms`. `limit` units are taken of each list, the likeliest first: candidates,
    whose final score is computed above. `also` is listed as well, beside `where`. `units`, and the `first` units of
    `rows`, are looked at however they were found.
    """

    where: Where
    terms: Sequence[str] = ()
    vector: Vector | None = None
    """Unit-length, of the current model."""
    limit: int = 0
    reach: int = 0
    """Units on either side of each, in its memory, that come along."""
    radius: float | None = None
    """Units with a smaller cosine are not listed by meaning."""
    also: Where | None = None
    units: Collection[int] = ()
    rows: Collection[int] = ()
    first: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    pieces: list[Piece]
    """Sorted by (row, ordinal)."""
    occurrences: NDArray[np.float32]
    """(terms, pieces): how often each term stands in each piece."""
    cosines: NDArray[np.float64]
    """Of each piece; NaN where it has no current vector, or nothing was to be compared."""
    by_words: list[UnitHit] = field(default_factory=list)
    by_meaning: list[UnitHit] = field(default_factory=list)
    """What `where` listed, best first."""
    stats: TermStats | None = None
    """Of the terms, where they were listed."""

    def picked(self, places: Sequence[int]) -> Evidence:
        """Of these pieces only, in this order."""
        pieces = [self.pieces[at] for at in places]
        return replace(self, pieces=pieces, occurrences=self.occurrences[:, places], cosines=self.cosines[places])

    def beside(self, other: Evidence) -> Evidence:
        """With the pieces of another behind its own."""
        counts = np.concatenate([self.occurrences, other.occurrences], axis=1)
        cosines = np.concatenate([self.cosines, other.cosines])
        return replace(self, pieces=[*self.pieces, *other.pieces], occurrences=counts, cosines=cosines)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge with the row it begins at."""

    row: int
    kind: str
    edge: Edge


@dataclass(frozen=True, slots=True)
class IndexStatus:
    rows: Mapping[str, int]
    """Rows by kind."""
    units: int
    unembedded: int
    """Units that have no vector of the current model yet."""
    files: int
    queued: int
    failed: int
    problems: int


class Files(Protocol):
    """What is in which file, as indexing writes it and the doctor compares it."""

    def apply(self, sources: Sequence[Source], vectors: Mapping[str, Vector] | None = None) -> list[Applied | None]:
        """Make the rows of these files equal to the sources, in one transaction. Units whose text to be embedded is
        among the `vectors`, of the current model, need not wait for one.

        Rows of equal key and digest stay untouched, with their vectors. None for one that was appended to, when the
        index does not know the file as it was before and without problems: nothing is done, and the caller reads all
        of it.
        """

    def replace(
        self, path: str, stamp: Stamp, rows: Sequence[IndexRow], problems: Sequence[Problem] = (), **more: Any
    ) -> Applied:
        """Make one file's rows equal to these; `more` as a `Source` has it."""
        return self.apply([Source(path, stamp, rows, problems, **more)])[0] or Applied()

    def remove(self, path: str) -> Applied:
        return self.apply([Source(path, None)])[0] or Applied()

    def rebuild(
        self,
        files: Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]],
        keep: Collection[str] = (),
        known: Callable[[Sequence[IndexRow]], Mapping[str, Vector]] | None = None,
    ) -> int:
        """Throw all rows away and index these files instead, in one transaction that readers see at once, with the
        vectors of texts that are `known`. Rows of files to `keep` stay, if the index is sound. Returns the number of
        rows."""

    def known(self, under: str = "") -> dict[str, Stamp]:
        """`under`: only those whose path begins so."""

    def stamp(self, path: str) -> Stamp | None:
        """How the file looked when it was indexed; None when it is not."""

    def parents(self, path: str) -> dict[str, str]:
        """The parent id of each entry of this file that the index has."""

    def digests(self, path: str) -> dict[str, str]:
        """The digest of each entry of this file that the index has."""

    def problems(self, owner: Owner | None = None) -> list[Problem]:
        """What could not be read: in the files of an owner, or in all."""


class Rows(Protocol):
    """Memories as they are listed and looked up."""

    def stored(self, ids: Iterable[int]) -> dict[int, IndexedMemory]: ...

    def find(self, keys: Iterable[Key]) -> dict[Key, IndexedMemory]: ...

    def by_global_id(self, ids: Iterable[str]) -> dict[str, IndexedMemory]:
        """Rows by `Key.global_id`, of whichever owner and kind."""

    def page(
        self, where: Where, *, sort_by: Order = "timestamp", descending: bool = True, offset: int = 0, limit: int = 20
    ) -> ListingPage:
        """Rows in order, ties by id so that pages never overlap, and how many there are in all."""

    def newest(self, where: Where, alone: Sequence[str] = (), *, offset: int = 0, limit: int = 20) -> ListingPage:
        """Rows of these kinds, and those of the kinds `alone` that have no parent, the latest first."""

    def count(self, where: Where) -> int:
        """Rows of these kinds, of an owner, of a scope or of all, at once. A filter and validity are not looked at."""

    def with_ended(
        self, ids: Iterable[int], kinds: Sequence[str]
    ) -> tuple[dict[int, IndexedMemory], list[IndexedMemory]]:
        """These rows, and those of other `kinds` that came from the same cells and have an end, the oldest first."""

    def owners(self, scope: Scope | None = None, limit: int | None = None) -> list[tuple[Owner, int]]:
        """The owners that have rows, of one scope or of all, each with the number of its rows."""

    def children(self, owner: Owner, kind: str, parent_ids: Sequence[str]) -> list[IndexedMemory]:
        """Rows of a kind that came from these parents (cells)."""

    def related(
        self, owner: Owner, kind: str, slots: Sequence[str], ids: Collection[int], newest: int
    ) -> list[IndexedMemory]:
        """Rows that say something about one of these things, these rows, and the newest so many; each once."""

    def in_slot(self, owner: Owner, kind: str, *slots: str) -> list[IndexedMemory]:
        """Rows that say something about one of these things, the oldest first, also those that have ended."""

    def in_slots(self, owner: Owner, kind: str, slots: Sequence[str]) -> dict[str, list[int]]:
        """The ids of the rows that say something about each of these things."""


class Search(Protocol):
    """What ranking asks: whole questions, each one journey to a server."""

    def snapshot(self) -> AbstractContextManager[object]:
        """What this thread asks again inside the block costs less, and where that is cheap it is of one moment."""

    def candidates(self, asked: Asked) -> Evidence: ...

    def term_stats(self, terms: Sequence[str], owner: Owner | None) -> TermStats: ...

    def held(self, terms: Sequence[str], where: Where) -> list[str]:
        """Those of these terms that some unit holds."""

    def permitted(self, rows: Iterable[int], where: Where) -> set[int]:
        """Which of these rows a query may touch."""

    def anchors(self, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The first unit of each (parent id, turn) among the memories of a kind."""

    def in_turns(
        self, owner: Owner, kinds: Sequence[str], turns: Sequence[tuple[str, int]]
    ) -> list[tuple[IndexedMemory, int, str]]:
        """Rows of these kinds that search can find and that came from these turns (parent id, turn), each with its turn
        and its tokens as in `Piece`; in order of their ids."""

    def episodes_of(self, rows: Iterable[int]) -> Mapping[int, int]:
        """For rows that came from a cell, the episode of the same owner that came from it, where there is one."""


class Links(Protocol):
    """The edges from memories to names, as a walk over the graph follows them."""

    def degrees(self, targets: Iterable[str], where: Where, most: int) -> dict[str, int]:
        """How many edges of the owner, of the scope or of everyone lead to each of these targets, counted up to
        `most`. Targets that nothing leads to are left out. Kinds, filter and validity are not looked at."""

    def to(self, targets: Iterable[str], where: Where, relations: Sequence[str] | None = None) -> list[Link]:
        """Edges (of these relations only, if given) from permitted rows to these targets."""

    def of(self, rows: Sequence[int]) -> list[tuple[int, Edge]]: ...


class Queue(Protocol):
    """Files that are to be looked at."""

    def enqueue(self, paths: Iterable[str]) -> None:
        """Remember durably that these files must be looked at. A path already waiting is not queued twice."""

    def claim(self, limit: int) -> list[str]:
        """Paths that are due, oldest first. They stay queued until `done` or `failed`."""

    def done(self, paths: Collection[str]) -> None: ...

    def failed(self, path: str, error: str) -> None:
        """Count a failure; the path is due again after a growing pause."""

    def failures(self) -> list[tuple[str, str]]: ...


class Upkeep(Protocol):
    """Vectors that are missing, and the state of the whole."""

    def use_model(self, name: str, dimension: int) -> None:
        """Name the model whose vectors are current. Vectors of another one stay searchable by nothing and are
        removed as their units are embedded anew; calling it again with the same model changes nothing."""

    def model(self) -> tuple[str, int] | None: ...

    def unembedded(self, limit: int, owner: Owner | None = None) -> list[PieceText]:
        """Units that have no vector of the current model yet, of an owner or of all."""

    def waiting(self, owner: Owner) -> int:
        """How many units of an owner have no vector of the current model yet. Looks at all that have none."""

    def put_vectors(self, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Store vectors of the current model; units that are gone by now are passed over."""

    @property
    def renewals(self) -> int:
        """How often the index had to begin anew since it was opened, because it was deleted or replaced from outside:
        then all files must be looked at again."""

    def status(self) -> IndexStatus: ...

    def tidy(self) -> bool:
        """Take a small step towards an index that is quick to read again after many small writes; False when there is
        nothing left to do. Results stay the same."""

    def check(self) -> list[str]:
        """What is wrong inside the index itself, in sentences; empty when all is well."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Index:
    """The derived state of a vault, or of something else that is searched, such as code: by who asks it."""

    files: Files
    rows: Rows
    search: Search
    links: Links
    queue: Queue
    upkeep: Upkeep
    overview: Overview

    def close(self) -> None:
        self.upkeep.close()

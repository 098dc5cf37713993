"""What is in which file (`Files`): the same questions for every database, and the same way from files to statements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from everlore.sql import Session, T
from everlore.stores.base import Applied, Files, Source, Stamp, Vector
from everlore.stores.rows import owner_of
from everlore.stores.sql.asking import Asking
from everlore.stores.sql.dialect import ALWAYS
from everlore.stores.sql.plan import Known, KnownUnit, Plan, compared, planned
from everlore.types import IndexRow, Owner, Problem, Where

GROUP = 1000
"""Files, memories and units that a rebuild writes together."""


class SqlFiles(Asking, Files):
    def apply(self, sources: Sequence[Source], vectors: Mapping[str, Vector] | None = None) -> list[Applied | None]:
        return self._writing([source.path for source in sources], lambda db: self._apply(db, sources, vectors or {}))

    def rebuild(
        self,
        files: Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]],
        keep: Collection[str] = (),
        known: Callable[[Sequence[IndexRow]], Mapping[str, Vector]] | None = None,
    ) -> int:
        def work(db: Any) -> int:
            if keep and not self._faults(db):
                others = (Source(path, None) for (path,) in db.rows("SELECT path FROM files") if path not in keep)
                for group in _grouped(others):
                    self._apply(db, group, {})
            else:
                self._empty(db)
            for group in _grouped(Source(*one) for one in files):
                self._apply(db, group, known([row for source in group for row in source.rows]) if known else {})
            everyone = self._say.sums(Where(None, ()))
            return int(db.value(f"SELECT coalesce(sum(rows), 0) FROM tally t WHERE {everyone.sql}", everyone.values))

        return self._anew(work)

    @abstractmethod
    def _writing(self, paths: Sequence[str], work: Callable[[Any], T]) -> T:
        """In one transaction, and nobody else writes rows of these files."""

    @abstractmethod
    def _anew(self, work: Callable[[Any], T]) -> T:
        """In one transaction, and nobody else writes rows."""

    @abstractmethod
    def _faults(self, db: Any) -> list[str]:
        """What does not agree in the index."""

    @abstractmethod
    def _empty(self, db: Any) -> None:
        """Delete all that comes from files. Numbers already given stay given."""

    @abstractmethod
    def _numbers(self, db: Any, owners: Sequence[Owner]) -> Iterable[int]:
        """For each of these one that was never given."""

    @abstractmethod
    def _note(self, db: Any, sources: Sequence[Source], broken: Collection[str]) -> None:
        """Stamps and problems of files; `broken` are those that had problems."""

    @abstractmethod
    def _write(self, db: Any, plan: Plan, vectors: Mapping[str, Vector]) -> None:
        """All numbers in the plan are given."""

    def _apply(self, db: Any, sources: Sequence[Source], vectors: Mapping[str, Vector]) -> list[Applied | None]:
        files = self._say.files([source.path for source in sources])
        select = f"SELECT path, mtime_ns, size, broken FROM files WHERE {files.sql}"
        known = {
            path: (Stamp(mtime, size), bool(broken)) for path, mtime, size, broken in db.rows(select, files.values)
        }
        fits = [not one.appended or known.get(one.path) == _expected(one.before) for one in sources]
        fitting = [source for source, fit in zip(sources, fits, strict=True) if fit]
        if not fitting:
            return [None] * len(sources)
        found = compared(fitting, self._known(db, fitting))
        plan = planned(found, self._units(db, found.with_units))
        self._note(db, fitting, [path for path, (_, broken) in known.items() if broken])
        if plan.memories or plan.dropped or plan.moved:
            plan.number(self._numbers(db, plan.unnumbered))
            self._write(db, plan, vectors)
        applied = found.applied()
        return [applied.get(one.path, Applied()) if fit else None for one, fit in zip(sources, fits, strict=True)]

    def _known(self, db: Session, sources: Sequence[Source]) -> list[Known]:
        whole = [source.path for source in sources if not source.appended]
        keys = [row.key for source in sources for row in source.rows]
        named = self._say.in_files(whole, keys)
        found = db.rows(f"{self._say.known} WHERE {named.sql}", named.values) if whole or keys else ()
        return [Known(one[0], one[1], owner_of(*one[2:6]), *one[6:]) for one in found]

    def _units(self, db: Session, memories: Sequence[int]) -> dict[int, list[KnownUnit]]:
        found: dict[int, list[KnownUnit]] = {}
        named = self._say.numbers("u.row", memories)
        select = f"{self._say.known_units} WHERE {named.sql} ORDER BY u.row, u.place"
        for memory, *unit in db.rows(select, named.values) if memories else ():
            found.setdefault(memory, []).append(KnownUnit(*unit))
        return found

    def known(self, under: str = "") -> dict[str, Stamp]:
        found = self._where("SELECT path, mtime_ns, size FROM files", self._say.beginning(under))
        return {path: Stamp(mtime_ns, size) for path, mtime_ns, size in found}

    def stamp(self, path: str) -> Stamp | None:
        found = self._where("SELECT mtime_ns, size FROM files", self._say.files([path]))
        return Stamp(*found[0]) if found else None

    def parents(self, path: str) -> dict[str, str]:
        return dict(self._where(f"SELECT r.entry, r.parent_id FROM {self._say.memories}", self._say.in_files([path])))

    def digests(self, path: str) -> dict[str, str]:
        return dict(self._where(f"SELECT r.entry, r.digest FROM {self._say.memories}", self._say.in_files([path])))

    def problems(self, owner: Owner | None = None) -> list[Problem]:
        whose = self._say.files_of(owner) if owner else ALWAYS
        found = self._where("SELECT path, line, reason FROM problems", whose, after=" ORDER BY path, line, reason")
        return [Problem(*problem) for problem in found]


def _expected(before: Stamp | None) -> tuple[Stamp, bool] | None:
    """How the index knows a file that was so, and had no problems."""
    return None if before is None else (before, False)


def _grouped(files: Iterable[Source]) -> Iterator[list[Source]]:
    group: list[Source] = []
    size = 0
    for one in files:
        group.append(one)
        size += 1 + sum(1 + len(row.units) for row in one.rows)
        if size >= GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group

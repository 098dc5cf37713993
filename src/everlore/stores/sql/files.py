"""What is known of each file (the reading half of `Files`), the same questions for every database."""

from __future__ import annotations

from everlore.stores.base import Stamp
from everlore.stores.sql.asking import Asking
from everlore.stores.sql.dialect import ALWAYS
from everlore.types import Owner, Problem


class KnownFiles(Asking):
    def known(self, under: str = "") -> dict[str, Stamp]:
        found = self._where("SELECT path, mtime_ns, size FROM files", self._say.beginning(under))
        return {path: Stamp(mtime_ns, size) for path, mtime_ns, size in found}

    def stamp(self, path: str) -> Stamp | None:
        found = self._where("SELECT mtime_ns, size FROM files", self._say.file(path))
        return Stamp(*found[0]) if found else None

    def parents(self, path: str) -> dict[str, str]:
        return dict(self._where(f"SELECT r.entry, r.parent_id FROM {self._say.memories}", self._say.in_file(path)))

    def digests(self, path: str) -> dict[str, str]:
        return dict(self._where(f"SELECT r.entry, r.digest FROM {self._say.memories}", self._say.in_file(path)))

    def problems(self, owner: Owner | None = None) -> list[Problem]:
        whose = self._say.files_of(owner) if owner else ALWAYS
        found = self._where("SELECT path, line, reason FROM problems", whose, after=" ORDER BY path, line, reason")
        return [Problem(*problem) for problem in found]

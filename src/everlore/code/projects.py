"""The projects that were asked for and how far their indexing is: a small database that every process reads.

A project keeps its id as long as it is not deleted. What a project's chunks are stands in the index, not here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from everlore.database import Connection, Database, Schema
from everlore.types import Json

State = Literal["pending", "indexing", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class Project:
    id: str
    root: str
    watch: bool = False
    state: State = "pending"
    total_files: int = 0
    indexed_files: int = 0
    skipped_files: int = 0
    read: bool = False
    """Every file has been read since the run began; only vectors are missing."""
    backlog: int = 0
    """Chunks that had or got no vector in this run: what embedding has to do in all."""
    started_at: int | None = None
    completed_at: int | None = None
    error: str = ""


_COLUMNS = [field.name for field in fields(Project)]


def _upgrade(connection: Connection, found: int) -> None:
    if found:
        connection.execute("DROP TABLE IF EXISTS projects")
    connection.execute(
        "CREATE TABLE projects(id TEXT PRIMARY KEY, root TEXT NOT NULL UNIQUE, watch INTEGER NOT NULL,"
        " state TEXT NOT NULL, total_files INTEGER NOT NULL, indexed_files INTEGER NOT NULL,"
        " skipped_files INTEGER NOT NULL, read INTEGER NOT NULL, backlog INTEGER NOT NULL, started_at INTEGER,"
        " completed_at INTEGER, error TEXT NOT NULL)"
    )


class Projects:
    def __init__(self, path: Path) -> None:
        self._db = Database(
            path,
            Schema(1, _upgrade),
            durable=True,
            derived=False,
            remedy="restore a backup, or run `everlore doctor --repair` and index the projects again",
        )

    def register(self, root: Path, watch: bool) -> Project:
        """The project of this folder, known or new. Once watched, it stays watched until it is deleted."""
        with self._db.writing() as connection:
            known = connection.row("SELECT id FROM projects WHERE root = ?", (str(root),))
            if known is None:
                name = _free_name(connection, root)
                values = attrgetter(*_COLUMNS)(Project(name, str(root), watch))
                marks = ", ".join("?" * len(values))
                connection.execute(f"INSERT INTO projects({', '.join(_COLUMNS)}) VALUES({marks})", values)
            else:
                name = known[0]
                if watch:
                    connection.execute("UPDATE projects SET watch = 1 WHERE id = ?", (name,))
        found = self.get(name)
        assert found is not None
        return found

    def get(self, project: str) -> Project | None:
        with self._db.reading() as connection:
            found = connection.row(f"SELECT {', '.join(_COLUMNS)} FROM projects WHERE id = ?", (project,))
        return _project(found) if found else None

    def all(self) -> list[Project]:
        with self._db.reading() as connection:
            found = connection.rows(f"SELECT {', '.join(_COLUMNS)} FROM projects ORDER BY id")
        return [_project(one) for one in found]

    def update(self, project: str, **changes: Json) -> None:
        """Does nothing when the project is gone."""
        assert set(changes) <= set(_COLUMNS)
        columns = ", ".join(f"{name} = ?" for name in changes)
        with self._db.writing() as connection:
            connection.execute(f"UPDATE projects SET {columns} WHERE id = ?", (*changes.values(), project))

    def complete(self, project: str, now: int) -> None:
        with self._db.writing() as connection:
            connection.execute(
                "UPDATE projects SET state = 'completed', completed_at = ?, error = ''"
                " WHERE id = ? AND read = 1 AND completed_at IS NULL",
                (now, project),
            )

    def remove(self, project: str) -> bool:
        with self._db.writing() as connection:
            connection.execute("DELETE FROM projects WHERE id = ?", (project,))
            return connection.changes() > 0

    def close(self) -> None:
        self._db.close()


def _free_name(connection: Connection, root: Path) -> str:
    """The folder's name; when another folder has it, with a few digits that depend on the path alone."""
    name = root.name or "root"
    taken = "SELECT 1 FROM projects WHERE id = ?"
    if connection.value(taken, (name,)) is None:
        return name
    digest = blake2b(str(root).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return next(
        longer for size in range(6, 33) if connection.value(taken, (longer := f"{name}-{digest[:size]}",)) is None
    )


def _project(found: tuple[Any, ...]) -> Project:
    values = dict(zip(_COLUMNS, found, strict=True))
    return Project(**(values | {"watch": bool(values["watch"]), "read": bool(values["read"])}))

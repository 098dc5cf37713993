"""How far the indexing of a project is, as people and agents read it."""

from __future__ import annotations

from dataclasses import dataclass

from everlore.clock import iso
from everlore.code.projects import Project, State
from everlore.code.rows import owner_of
from everlore.code.service import CodeIndex
from everlore.types import Json

READING = 0.1
"""The share of the work that is reading and cutting files; the rest is embedding."""


@dataclass(frozen=True, slots=True)
class Status:
    project: Project
    state: State
    chunks: int
    unembedded: int
    percent: float
    eta_seconds: int | None
    """None when it cannot be told: nothing is done yet, or nobody is working on it."""

    def told(self) -> dict[str, Json]:
        """As JSON, under the names that tools and commands share."""
        project = self.project
        return {
            "project_id": project.id,
            "root": project.root,
            "status": self.state,
            "watch": project.watch,
            "total_files": project.total_files,
            "indexed_files": project.indexed_files,
            "skipped_files": project.skipped_files,
            "total_chunks": self.chunks,
            "unembedded_chunks": self.unembedded,
            "progress_percent": self.percent,
            "eta_seconds": self.eta_seconds,
            "started_at": None if project.started_at is None else iso(project.started_at),
            "completed_at": None if project.completed_at is None else iso(project.completed_at),
            "error": project.error or None,
        }


def status_of(code: CodeIndex, project_id: str, now: int) -> Status:
    project = code.get(project_id)
    waiting = code.index.upkeep.waiting(owner_of(project_id))
    chunks = code.chunks().get(project_id, 0)
    state = project.state
    if state == "indexing" and not project.read and not code.being_read(project_id):
        state = "pending"  # the process that did it is gone; the next one that works on code goes on with it
    percent = 100.0 if state == "completed" else min(99.9, round(100 * progress(project, waiting), 1))
    return Status(project, state, chunks, waiting, percent, _eta(project, state, percent, now))


def progress(project: Project, waiting: int) -> float:
    """The share of this run's work that is done, in [0, 1]: files read and chunks embedded.

    How many chunks there will be is not known before all files are read: those of the rest are taken to be like
    those so far.
    """
    read = 1.0 if project.read else project.indexed_files / project.total_files if project.total_files else 0.0
    if not project.backlog or not read:
        return read if project.read or not project.backlog else 0.0
    embedded = max(0, project.backlog - waiting) / (project.backlog / read)
    return READING * read + (1 - READING) * min(1.0, embedded)


def _eta(project: Project, state: State, percent: float, now: int) -> int | None:
    if state == "completed":
        return 0
    if state != "indexing" or percent <= 0 or project.started_at is None:
        return None
    elapsed = max(0, now - project.started_at) / 1000
    return max(1, round(elapsed * (100 - percent) / percent))

"""What the `everlore code` commands do, once their arguments are read."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress

from rich.markup import escape
from rich.syntax import Syntax

from everlore.code import CodeHit, CodeIndex, Status, code_hits, open_code, status_of
from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.surfaces.cli import output
from everlore.surfaces.cli.opening import opened
from everlore.types import Json

LOOK_SECONDS = 0.2
NONE_YET = "no project is indexed yet; run: everlore code index FOLDER"


def index(path: str, *, watch: bool, as_json: bool) -> None:
    """Stays until everything is embedded; with `watch`, until Ctrl-C."""
    with opened() as engine:
        code = engine.part(open_code)
        project, run = code.add(path, watch)
        shown: set[tuple[str, int, int]] = set()
        with output.progress() as report:
            while True:
                status = status_of(code, project.id, engine.clock.now())
                now = status.project
                stages = [("files", now.indexed_files, now.total_files)]
                if now.read:
                    stages.append(("chunks embedded", status.chunks - status.unembedded, status.chunks))
                for stage in stages:
                    if stage[2] and stage not in shown:
                        shown.add(stage)
                        report(*stage)
                if run.over.is_set() and status.state in ("completed", "failed"):
                    break
                time.sleep(LOOK_SECONDS)
        _show_status(engine, status, as_json=as_json)
        if status.state == "failed":
            raise Unavailable(f"{project.id} is not indexed completely: {status.project.error}")
        if watch:
            output.note(f"watching {project.root}; Ctrl-C ends it")
            with suppress(KeyboardInterrupt):
                threading.Event().wait()


def search(query: str, *, project: str | None, language: str | None, limit: int, as_json: bool) -> None:
    with opened() as engine:
        hits = code_hits(engine, query, project, language, limit)
    if as_json:
        output.show_json([_json(hit) for hit in hits])
    elif not hits:
        output.note("nothing found")
    else:
        for hit in hits:
            _show(hit)


def _json(hit: CodeHit) -> Json:
    names = ("id", "project_id", "file_path", "start_line", "end_line", "language", "chunk_type", "name", "breadcrumb")
    return {name: getattr(hit, name) for name in (*names, "score", "vector_score", "bm25_score", "content")}


def _show(hit: CodeHit) -> None:
    place = f"{hit.project_id}/{hit.file_path}:{hit.start_line}-{hit.end_line}"
    if not sys.stdout.isatty():
        print(f"{hit.score:.3f}\t{place}\t{hit.breadcrumb}")
        return
    console = output.terminal()
    console.print(f"[bold]{escape(place)}[/]  {escape(hit.breadcrumb)}  [dim]{hit.score:.3f}[/]", soft_wrap=True)
    first = "\n".join(hit.content.split("\n")[:8])
    console.print(Syntax(first, hit.language, line_numbers=True, start_line=hit.start_line, background_color="default"))


def status(project: str | None, *, as_json: bool) -> None:
    with opened() as engine:
        code = engine.part(open_code)
        wanted = [project] if project else [one.id for one in code.projects.all()]
        found = [status_of(code, one, engine.clock.now()) for one in wanted]
        if as_json:
            output.show_json([one.told() for one in found])
            return
        for one in found:
            _show_status(engine, one, as_json=False)
        if not found:
            output.note(NONE_YET)


def _show_status(engine: Engine, status: Status, *, as_json: bool) -> None:
    if as_json:
        output.show_json(status.told())
        return
    project = status.project
    pairs = [
        ("project", project.id),
        ("folder", project.root),
        ("status", f"{status.state}, {status.percent:g} %"),
        ("files", f"{project.indexed_files} of {project.total_files}, {project.skipped_files} skipped"),
        ("chunks", f"{status.chunks}, {status.unembedded} without vector"),
        ("watched", "yes" if project.watch else "no"),
    ]
    if status.eta_seconds:
        pairs.append(("seconds left", str(status.eta_seconds)))
    if project.completed_at is not None:
        pairs.append(("completed", engine.clock.show(project.completed_at)))
    if project.error:
        pairs.append(("error", project.error))
    output.show_pairs(pairs)


def list_projects(*, as_json: bool) -> None:
    with opened() as engine:
        code = engine.part(open_code)
        chunks = code.chunks()
        found = code.projects.all()
    if as_json:
        output.show_json([{"project_id": one.id, "root": one.root, "chunks": chunks[one.id]} for one in found])
        return
    for one in found:
        print(f"{one.id}\t{chunks[one.id]}\t{one.root}")
    if not found:
        output.note(NONE_YET)


def delete(project: str) -> None:
    with opened() as engine:
        code: CodeIndex = engine.part(open_code)
        count = code.remove(project)
    print(f"deleted: {count} chunks of {project}; the source files are as they were")

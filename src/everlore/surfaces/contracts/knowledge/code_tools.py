"""The code tools of memory-mcp: index_project, search_code, get_index_status, list_projects, delete_project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from everlore.code import code_hits, open_code, status_of
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.surfaces.contracts.knowledge.memories import Maybe
from everlore.surfaces.contracts.signature import limited
from everlore.surfaces.contracts.toolset import Caller, tool

Count = Annotated[int, {"minimum": 0}]
SoFar = Annotated[
    Count,
    {"description": "By this call, 0 when all is up to date; the rest goes on in the background, see get_index_status"},
]
Line = Annotated[int, {"minimum": 1}]
CHUNK_TYPES = ["function", "method", "class", "struct", "impl", "module", "enum", "trait", "interface", "other"]


class Indexed(TypedDict):
    project_id: str
    files_indexed: SoFar
    chunks_created: SoFar


class Chunk(TypedDict):
    id: str
    file_path: Annotated[str, {"description": "Relative to the project's root"}]
    content: Annotated[str, {"description": "The source lines from start_line to end_line"}]
    language: str
    start_line: Line
    end_line: Line
    chunk_type: Annotated[str, {"enum": CHUNK_TYPES}]
    name: str | None
    score: Annotated[float, {"minimum": 0, "maximum": 1}]


class Chunks(TypedDict):
    results: list[Chunk]
    count: Count


class Status(TypedDict):
    project_id: str
    status: Literal["pending", "indexing", "completed", "failed"]
    total_files: Count
    indexed_files: Count
    total_chunks: Count
    progress_percent: Annotated[float, {"minimum": 0, "maximum": 100}]
    eta_seconds: NotRequired[Annotated[int | None, {"minimum": 0}]]
    started_at: NotRequired[str | None]
    completed_at: NotRequired[str | None]
    error: NotRequired[Annotated[str, {"description": "What went wrong, when the status is failed"}]]


class Projects(TypedDict):
    projects: list[str]
    count: Count


class Deleted(TypedDict):
    chunks_deleted: Count


def is_local(ask: Caller) -> bool:
    """Whether the caller is this machine's owner. Source code lies on the machine, and belongs to no account."""
    return ask.principal is None


def _here(ask: Caller) -> Engine:
    if not is_local(ask):
        raise InvalidInput("code search is for the machine's owner: use it over stdio or without an account")
    return ask.engine


@tool("Index a codebase", repeatable=True)
def index_project(
    ask: Caller,
    path: Annotated[str, "Path to project root directory"],
    watch: Annotated[bool, "Enable file watching for auto-reindex (optional)"] = False,
) -> Indexed:
    """Index a codebase for semantic search."""
    code = _here(ask).part(open_code)
    # a path of its host: this process may work in another folder
    project, run = code.add(str(Path(ask.folder) / Path(path).expanduser()) if ask.folder and path else path, watch)
    code.wait(run)
    return {"project_id": project.id, "files_indexed": run.counts.changed, "chunks_created": run.counts.created}


@tool("Search code", reads=True)
def search_code(
    ask: Caller,
    query: Annotated[str, "Search query text"],
    project_id: Annotated[Maybe[str], "Filter by project (optional)"] = None,
    limit: Annotated[int, "Maximum results (default: 10, max: 50)"] = 10,
) -> Chunks:
    """Semantic search over indexed code."""
    engine = _here(ask)
    if not query.strip():
        raise InvalidInput("query must not be empty: say what the code does, or name an identifier")
    hits = code_hits(engine, query, project_id, limit=limited(limit, 50))
    results: list[Any] = [{name: getattr(hit, name) for name in Chunk.__annotations__} for hit in hits]
    return {"results": results, "count": len(results)}


@tool("Indexing status", reads=True)
def get_index_status(ask: Caller, project_id: Annotated[str, "Project ID to check"]) -> Status:
    """Get indexing status for a project."""
    engine = _here(ask)
    status = status_of(engine.part(open_code), project_id, engine.clock.now())
    told: Any = {name: value for name, value in status.told().items() if name in Status.__annotations__}
    if not status.project.error:
        del told["error"]
    shown: Status = told
    return shown


@tool("List projects", reads=True)
def list_projects(ask: Caller) -> Projects:
    """List all indexed projects."""
    projects = [project.id for project in _here(ask).part(open_code).projects.all()]
    return {"projects": projects, "count": len(projects)}


@tool("Delete a project", destroys=True)
def delete_project(ask: Caller, project_id: Annotated[str, "Project ID to delete"]) -> Deleted:
    """Delete all indexed code chunks for a project."""
    return {"chunks_deleted": _here(ask).part(open_code).remove(project_id)}


TOOLS = (index_project, search_code, get_index_status, list_projects, delete_project)

"""The code tools of memory-mcp: index_project, search_code, get_index_status, list_projects, delete_project."""

from __future__ import annotations

from collections.abc import Mapping

from everlore.clock import iso
from everlore.code import code_hits, open_code, status_of
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.surfaces.mcp.knowledge.arguments import Run, limited
from everlore.surfaces.mcp.toolset import CALLER, Tool
from everlore.types import Json


def local() -> bool:
    """Whether the caller is this machine's owner. Source code lies on the machine, and belongs to no account."""
    caller = CALLER.get(None)
    return caller is None or caller.principal is None


def _here(run: Run) -> Run:
    def tool(engine: Engine, arguments: Mapping[str, Json]) -> Json:
        if not local():
            raise InvalidInput("code search is for the machine's owner: use it over stdio or without an account")
        return run(engine, arguments)

    return tool


def _index_project(engine: Engine, arguments: Mapping[str, Json]) -> Json:
    code = engine.part(open_code)
    project, run = code.add(arguments["path"], bool(arguments.get("watch")))
    code.wait(run)
    return {
        "project_id": project.id,
        "files_indexed": run.counts.changed,
        "chunks_created": run.counts.created,
    }


def _search_code(engine: Engine, arguments: Mapping[str, Json]) -> Json:
    query: str = arguments["query"]
    if not query.strip():
        raise InvalidInput("query must not be empty: say what the code does, or name an identifier")
    hits = code_hits(engine, query, arguments.get("project_id"), limit=limited(arguments, 50, 10))
    results = [
        {
            "id": hit.id,
            "file_path": hit.file_path,
            "content": hit.content,
            "language": hit.language,
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "chunk_type": hit.chunk_type,
            "name": hit.name,
            "score": hit.score,
        }
        for hit in hits
    ]
    return {"results": results, "count": len(results)}


def _get_index_status(engine: Engine, arguments: Mapping[str, Json]) -> Json:
    status = status_of(engine.part(open_code), arguments["project_id"], engine.clock.now())
    project = status.project
    return {
        "project_id": project.id,
        "status": status.state,
        "total_files": project.total_files,
        "indexed_files": project.indexed_files,
        "total_chunks": status.chunks,
        "progress_percent": status.percent,
        "eta_seconds": status.eta_seconds,
        "started_at": iso(project.started_at) if project.started_at is not None else None,
        "completed_at": iso(project.completed_at) if project.completed_at is not None else None,
        **({"error": project.error} if project.error else {}),
    }


def _list_projects(engine: Engine, arguments: Mapping[str, Json]) -> Json:  # noqa: ARG001 - every tool has two
    projects = [project.id for project in engine.part(open_code).projects.all()]
    return {"projects": projects, "count": len(projects)}


def _delete_project(engine: Engine, arguments: Mapping[str, Json]) -> Json:
    return {"chunks_deleted": engine.part(open_code).remove(arguments["project_id"])}


def _object(properties: Mapping[str, Json], required: tuple[str, ...] = ()) -> Json:
    return {"type": "object", "properties": dict(properties), **({"required": list(required)} if required else {})}


_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_SO_FAR: Json = {
    **_COUNT,
    "description": "By this call, 0 when all is up to date; the rest goes on in the background, see get_index_status",
}
_TIME: Json = {"type": ["string", "null"]}

_CHUNK = _object(
    {
        "id": _TEXT,
        "file_path": {"type": "string", "description": "Relative to the project's root"},
        "content": {"type": "string", "description": "The source lines from start_line to end_line"},
        "language": _TEXT,
        "start_line": {"type": "integer", "minimum": 1},
        "end_line": {"type": "integer", "minimum": 1},
        "chunk_type": {
            "type": "string",
            "enum": [
                "function", "method", "class", "struct", "impl", "module", "enum", "trait", "interface", "other",
            ],
        },
        "name": {"type": ["string", "null"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
    },
    ("id", "file_path", "content", "language", "start_line", "end_line", "chunk_type", "name", "score"),
)  # fmt: skip

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="index_project",
        title="Index a codebase",
        description="Index a codebase for semantic search.",
        input_schema=_object(
            {
                "path": {"description": "Path to project root directory", "type": "string"},
                "watch": {
                    "description": "Enable file watching for auto-reindex (optional)",
                    "type": "boolean",
                    "default": False,
                },
            },
            ("path",),
        ),
        output_schema=_object(
            {"project_id": _TEXT, "files_indexed": _SO_FAR, "chunks_created": _SO_FAR},
            ("project_id", "files_indexed", "chunks_created"),
        ),
        run=_here(_index_project),
        idempotent=True,
    ),
    Tool(
        name="search_code",
        title="Search code",
        description="Semantic search over indexed code.",
        input_schema=_object(
            {
                "query": {"description": "Search query text", "type": "string"},
                "project_id": {"description": "Filter by project (optional)", "type": "string", "nullable": True},
                "limit": {
                    "description": "Maximum results (default: 10, max: 50)",
                    "type": "integer",
                    "default": 10,
                },
            },
            ("query",),
        ),
        output_schema=_object({"results": {"type": "array", "items": _CHUNK}, "count": _COUNT}, ("results", "count")),
        run=_here(_search_code),
        read_only=True,
    ),
    Tool(
        name="get_index_status",
        title="Indexing status",
        description="Get indexing status for a project.",
        input_schema=_object({"project_id": {"description": "Project ID to check", "type": "string"}}, ("project_id",)),
        output_schema=_object(
            {
                "project_id": _TEXT,
                "status": {"type": "string", "enum": ["pending", "indexing", "completed", "failed"]},
                "total_files": _COUNT,
                "indexed_files": _COUNT,
                "total_chunks": _COUNT,
                "progress_percent": {"type": "number", "minimum": 0, "maximum": 100},
                "eta_seconds": {"type": ["integer", "null"], "minimum": 0},
                "started_at": _TIME,
                "completed_at": _TIME,
                "error": {"type": "string", "description": "What went wrong, when the status is failed"},
            },
            ("project_id", "status", "total_files", "indexed_files", "total_chunks", "progress_percent"),
        ),
        run=_here(_get_index_status),
        read_only=True,
    ),
    Tool(
        name="list_projects",
        title="List projects",
        description="List all indexed projects.",
        input_schema=_object({}),
        output_schema=_object({"projects": {"type": "array", "items": _TEXT}, "count": _COUNT}, ("projects", "count")),
        run=_here(_list_projects),
        read_only=True,
    ),
    Tool(
        name="delete_project",
        title="Delete a project",
        description="Delete all indexed code chunks for a project.",
        input_schema=_object(
            {"project_id": {"description": "Project ID to delete", "type": "string"}}, ("project_id",)
        ),
        output_schema=_object({"chunks_deleted": _COUNT}, ("chunks_deleted",)),
        run=_here(_delete_project),
        destructive=True,
    ),
)

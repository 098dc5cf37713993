"""The content tools: what they are called and take, as the toolset `evo`, and as JSON-RPC of their own over HTTP.

Database libraries are imported by the first call, since a handshake needs none.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from everlore.config import load as load_settings
from everlore.content import arguments as a
from everlore.engine import Engine
from everlore.errors import EverloreError, InvalidInput, NotFound, Unavailable
from everlore.extras import installed, load, missing, require
from everlore.logs import get_logger
from everlore.surfaces.contracts.emcp import IDENTITY
from everlore.surfaces.contracts.emcp.callers import Refused, identify
from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS
from everlore.surfaces.contracts.quoting import escaped
from everlore.surfaces.contracts.toolset import Caller, Tool, Toolset
from everlore.types import Json
from everlore.vault.folder import SYSTEM

if TYPE_CHECKING:
    from everlore.content.connect import Site


HANDLE: Final = "content"
EMBEDDED: Final = "content.db"

OFFERED: Final[Mapping[str, tuple[str, type[a.Arguments]]]] = {
    "evo.content.search": ("Find documents by place in the tree, flags, template variables and tags.", a.Search),
    "evo.content.get": ("One document by its id; item is null when there is none.", a.Get),
    "evo.content.root_tree": ("The root documents and the levels below them, as a flat list.", a.RootTree),
    "evo.content.descendants": ("Documents below one, down to `depth` levels.", a.DeepNode),
    "evo.content.ancestors": ("Documents above one, the root first.", a.Ancestors),
    "evo.content.children": ("The direct children of a document, in menu order.", a.Node),
    "evo.content.siblings": ("Documents with the same parent, in menu order.", a.Node),
    "evo.content.neighbors": ("The siblings one menu place before and after a document.", a.Node),
    "evo.content.prev_siblings": ("Siblings before a document, the nearest first.", a.Node),
    "evo.content.next_siblings": ("Siblings after a document, the nearest first.", a.Node),
    "evo.content.children_range": ("Children whose menuindex is in a range.", a.Range),
    "evo.content.siblings_range": ("Siblings whose menuindex is in a range.", a.Range),
    "evo.model.list": ("Records of one model of the site: templates, variables, users and others.", a.ModelList),
    "evo.model.get": ("One record of a model by its id; item is null when there is none.", a.ModelGet),
}


def open_site(engine: Engine) -> Site:
    """For `engine.part`: the site is opened when it is first needed, and closed with the engine."""
    require("cms")
    embedded = engine.settings.memory.root / SYSTEM / EMBEDDED
    site: Site = load("everlore.content.connect:open_site")(engine.settings.emcp, embedded)
    return site


def call(engine: Engine, user_id: int, name: str, arguments: Json) -> dict[str, Json]:
    """The answer of a tool to a user of the site (0: a visitor)."""
    if name not in OFFERED:
        raise NotFound(f"there is no tool {name[:100]!r}")
    checked = a.check(OFFERED[name][1], arguments, engine.settings.emcp.max_result_items)
    site = engine.part(open_site)
    found: dict[str, Json] = load("everlore.content.tools:answer")(site, user_id, name, checked)
    return found


def result(structured: dict[str, Json]) -> dict[str, Json]:
    text = escaped(json.dumps(structured, ensure_ascii=False, separators=(",", ":")))
    return {"content": [{"type": "text", "text": text}], "isError": False, "structuredContent": structured}


def too_large(limit: int) -> str:
    return f"the answer is larger than {limit} bytes: ask for fewer items"


def described(max_items: int) -> list[dict[str, Json]]:
    return [
        {
            "name": name,
            "description": description,
            "inputSchema": a.schema(shape, max_items),
            "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
        }
        for name, (description, shape) in OFFERED.items()
    ]


class SiteTool(Tool):
    """Takes the one value that its name is offered with, which brings its own schema and its own sentences."""

    @cached_property
    def input_schema(self) -> Mapping[str, Json]:
        return a.schema(OFFERED[self.name][1], load_settings().emcp.max_result_items)

    def call(self, ask: Caller, arguments: Mapping[str, Json]) -> Json:
        structured = call(ask.engine, _user(ask), self.name, arguments)
        limit = ask.engine.settings.emcp.max_result_bytes
        # over HTTP the whole answer is measured, and refused with a status
        if not ask.headers and len(json.dumps(result(structured), ensure_ascii=False).encode()) > limit:
            raise InvalidInput(too_large(limit))
        return structured


def _user(ask: Caller) -> int:
    """Who asks: over HTTP the bearer of a token, where the owner wants one; else the user of the settings."""
    settings = ask.engine.settings.emcp
    if not ask.headers or not settings.jwt_secret.get_secret_value():
        return settings.user_id
    try:
        return identify(ask.headers.get("authorization"), "", settings, ask.principal).user_id
    except Refused as error:  # it ended on the way here from the gates
        raise InvalidInput(str(error)) from None


def toolset() -> Toolset:
    return Toolset(
        name="evo",
        identity=IDENTITY,
        tools=tuple(SiteTool(name, about, call, reads=True) for name, (about, _) in OFFERED.items()),
        failures="rpc",
        invalid_code=-32602,
        missing_code=-32601,
    )


INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL = -32600, -32601, -32602, -32603
OF_ERRORS: Final = {InvalidInput: INVALID_PARAMS, NotFound: NOT_FOUND, Unavailable: INTERNAL}
VERSIONS: Final = HANDSHAKE_VERSIONS[::-1]
STATELESS: Final = "2026-07-28"
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""In `_meta` of every request of the stateless protocol."""
EMPTY = {"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts"}
"""Lists of what this server has none of, and how the answer calls them."""
PAGE, LARGEST_PAGE = 15, 50

log = get_logger("everlore.emcp")


def answer(engine: Engine, user_id: int, handle: str, message: Json) -> Json:
    id_ = message.get("id") if isinstance(message, Mapping) else None
    if problem := _problem(message):
        return failure(id_, INVALID_REQUEST, problem)
    if handle != HANDLE:
        return no_server(message, handle)
    if "id" not in message:
        return None  # a notification gets no answer, whatever it says
    try:
        params = _unless_empty(message.get("params"))
        if not isinstance(params, Mapping):
            raise InvalidInput("params must be an object")
        answered = _result(engine, user_id, message["method"], params)
        return {"jsonrpc": "2.0", "id": id_, "result": answered | _completed(message["method"], params)}
    except EverloreError as error:
        code = next((code for kind, code in OF_ERRORS.items() if isinstance(error, kind)), None)
        if code is not None:
            return failure(id_, code, str(error), error.data if isinstance(error, _Unsupported) else None)
        # a setting is for the owner of the installation, not for the client; what is not installed, anybody may know
        log.error("content call failed", reason=str(error))
        told = "the content server is not set up; its log says what to do" if installed("cms") else missing("cms")
        return failure(id_, INTERNAL, told)
    except Exception:
        log.exception("unhandled error")
        return failure(id_, INTERNAL, "something went wrong here; the server's log says what")


def _problem(message: Json) -> str:
    """What keeps it from being a message, or nothing."""
    if isinstance(message, list):
        return "batches are not supported: send one message"
    if not method_of(message) or message.get("jsonrpc") != "2.0":
        return 'a message has "jsonrpc": "2.0", a "method" and an "id"'
    return "" if _is_id(message.get("id", 0)) else "id must be a text or a number"


def _is_id(value: Json) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def failure(id_: Json, code: int, message: str, data: Json = None) -> dict[str, Json]:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id_ if _is_id(id_) else None, "error": error}


def no_server(message: Mapping[str, Json], handle: str) -> dict[str, Json]:
    return failure(message.get("id"), NOT_FOUND, f"there is no server {handle[:100]!r}; there is {HANDLE!r}")


def internal(answered: Json) -> bool:
    return isinstance(answered, Mapping) and answered.get("error", {}).get("code") == INTERNAL


def method_of(message: Json) -> str:
    method = message.get("method") if isinstance(message, Mapping) else None
    return method if isinstance(method, str) else ""


class _Unsupported(InvalidInput):
    def __init__(self, requested: Json) -> None:
        super().__init__("unsupported protocol version")
        self.data = {"supported": list(VERSIONS), "requested": requested if isinstance(requested, str) else None}


def _result(engine: Engine, user_id: int, method: str, params: Mapping[str, Json]) -> dict[str, Json]:
    match method:
        case "initialize":
            requested = params.get("protocolVersion")
            version = VERSIONS[0] if requested is None else requested
            if version not in VERSIONS:
                raise _Unsupported(requested)
            return {"protocolVersion": version, **_identity(), **(IDENTITY.guidance if version >= "2025-06-18" else {})}
        case "server/discover":
            return {"supportedVersions": [STATELESS, *VERSIONS], **_identity(), **IDENTITY.guidance}
        case "tools/list":
            return _tools(params, engine.settings.emcp.max_result_items)
        case "tools/call":
            name = params.get("name")
            if not isinstance(name, str) or not name:
                raise InvalidInput("name: the tool to call is missing")
            return result(call(engine, user_id, name, _unless_empty(params.get("arguments"))))
        case "ping":
            return {}
        case _ if method in EMPTY:
            return {EMPTY[method]: []}
        case _:
            raise NotFound(f"there is no method {method[:100]!r}")


def _unless_empty(given: Json) -> Json:
    """PHP clients write an empty object as an empty list."""
    return {} if given is None or given == [] else given


def _completed(method: str, params: Mapping[str, Json]) -> dict[str, Json]:
    """What the stateless protocol wants in every result, and in those a client might keep."""
    meta = params.get("_meta")
    if method != "server/discover" and not (isinstance(meta, Mapping) and meta.get(VERSION_KEY) == STATELESS):
        return {}
    kept = {"ttlMs": 0, "cacheScope": "private"} if method != "tools/call" else {}
    return {"resultType": "complete", **kept}


def _identity() -> dict[str, Json]:
    capabilities = {**IDENTITY.capabilities, "tools": {"listChanged": False}}
    return {"serverInfo": IDENTITY.server_info, "capabilities": capabilities}


def _tools(params: Mapping[str, Json], max_items: int) -> dict[str, Json]:
    per_page, cursor = params.get("per_page", PAGE), params.get("cursor")
    if isinstance(per_page, bool) or not isinstance(per_page, int) or not 1 <= per_page <= LARGEST_PAGE:
        raise InvalidInput(f"per_page: must be between 1 and {LARGEST_PAGE}")
    try:
        start = int(base64.urlsafe_b64decode(str(cursor).encode("ascii"))[:9]) if cursor is not None else 0
    except ValueError:
        raise InvalidInput("cursor: not one of ours") from None
    tools, end = described(max_items), start + per_page
    more = {"nextCursor": base64.urlsafe_b64encode(str(end).encode()).decode()} if end < len(tools) else {}
    return {"tools": tools[start:end], **more}

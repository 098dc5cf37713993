"""JSON-RPC of the content server: one message in, one answer out, None for a notification. Knows nothing of HTTP."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

from everlore.engine import Engine
from everlore.errors import EverloreError, InvalidInput, NotFound, Unavailable
from everlore.extras import installed, missing
from everlore.logs import get_logger
from everlore.surfaces.contracts.emcp import IDENTITY
from everlore.surfaces.contracts.emcp.toolset import HANDLE, call, described, result
from everlore.types import Json

INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL = -32600, -32601, -32602, -32603
OF_ERRORS: Final = {InvalidInput: INVALID_PARAMS, NotFound: NOT_FOUND, Unavailable: INTERNAL}
VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
STATELESS: Final = "2026-07-28"
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""In `_meta` of every request of the stateless protocol."""
NOTHING: Final = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""Lists of what this server has none of, and how the answer calls them."""
WITHOUT_INSTRUCTIONS: Final = ("2025-03-26", "2024-11-05")
PAGE: Final = 15
LARGEST_PAGE: Final = 50
SOMETHING_WRONG: Final = "something went wrong here; the server's log says what"

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
        return failure(id_, INTERNAL, SOMETHING_WRONG)


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
    """Empty where there is none."""
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
            told = {} if version in WITHOUT_INSTRUCTIONS else IDENTITY.guidance
            return {"protocolVersion": version, **_identity(), **told}
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
        case _ if method in NOTHING:
            return {NOTHING[method]: []}
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

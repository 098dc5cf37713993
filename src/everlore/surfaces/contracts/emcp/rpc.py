"""JSON-RPC of the content server: one message in, one answer out, None for a notification. Knows nothing of HTTP."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

from everlore.engine import Engine
from everlore.errors import EverloreError, InvalidInput, NotFound, Unavailable
from everlore.extras import installed, missing
from everlore.logs import get_logger
from everlore.surfaces.contracts.emcp.identity import CAPABILITIES, IDENTITY
from everlore.surfaces.contracts.emcp.toolset import HANDLE, SiteOpener, call, described, result
from everlore.types import Json

INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL = -32600, -32601, -32602, -32603
OF_ERRORS: Final = ((InvalidInput, INVALID_PARAMS), (NotFound, NOT_FOUND), (Unavailable, INTERNAL))
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


def answer(opener: SiteOpener, engine: Engine, user_id: int, handle: str, message: Json) -> Json:
    if isinstance(message, list):
        return failure(None, INVALID_REQUEST, "batches are not supported: send one message")
    method = method_of(message)
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0" or not method:
        id_ = message.get("id") if isinstance(message, Mapping) else None
        return failure(id_, INVALID_REQUEST, 'a message has "jsonrpc": "2.0", a "method" and an "id"')
    id_ = message.get("id")
    if "id" in message and (isinstance(id_, bool) or not isinstance(id_, str | int | float)):
        return failure(None, INVALID_REQUEST, "id must be a text or a number")
    if handle != HANDLE:
        return no_server(message, handle)
    if "id" not in message:
        return None  # a notification gets no answer, whatever it says
    params = message.get("params")
    if params is None or params == []:
        params = {}
    if not isinstance(params, Mapping):
        return failure(id_, INVALID_PARAMS, "params must be an object")
    try:
        answered = _result(opener, engine, user_id, method, params)
        return {"jsonrpc": "2.0", "id": id_, "result": answered | _completed(method, params)}
    except _Unsupported as error:
        return failure(id_, INVALID_PARAMS, str(error), {"supported": list(VERSIONS), "requested": error.requested})
    except (InvalidInput, NotFound, Unavailable) as error:
        return failure(id_, next(code for kind, code in OF_ERRORS if isinstance(error, kind)), str(error))
    except EverloreError as error:
        # a setting is for the owner of the installation, not for the client; what is not installed, anybody may know
        log.error("content call failed", reason=str(error))
        told = "the content server is not set up; its log says what to do" if installed("cms") else missing("cms")
        return failure(id_, INTERNAL, told)
    except Exception:
        log.exception("unhandled error")
        return failure(id_, INTERNAL, SOMETHING_WRONG)


def failure(id_: Json, code: int, message: str, data: Json = None) -> dict[str, Json]:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id_ if isinstance(id_, str | int | float) else None, "error": error}


def no_server(message: Mapping[str, Json], handle: str) -> dict[str, Json]:
    return failure(message.get("id"), NOT_FOUND, f"there is no server {handle[:100]!r}; there is {HANDLE!r}")


def internal(answered: Json) -> bool:
    return isinstance(answered, Mapping) and answered.get("error", {}).get("code") == INTERNAL


class _Unsupported(InvalidInput):
    def __init__(self, requested: Json) -> None:
        super().__init__("unsupported protocol version")
        self.requested = requested


def method_of(message: Json) -> str:
    """Empty where there is none."""
    method = message.get("method") if isinstance(message, Mapping) else None
    return method if isinstance(method, str) else ""


def _result(
    opener: SiteOpener, engine: Engine, user_id: int, method: str, params: Mapping[str, Json]
) -> dict[str, Json]:
    match method:
        case "initialize":
            return _initialize(params)
        case "server/discover":
            return {"supportedVersions": [STATELESS, *VERSIONS], **_identity(), "instructions": IDENTITY.instructions}
        case "tools/list":
            return _tools(params, engine.settings.emcp.max_result_items)
        case "tools/call":
            return _tool(opener, engine, user_id, params)
        case "ping":
            return {}
        case _ if method in NOTHING:
            return {NOTHING[method]: []}
        case _:
            raise NotFound(f"there is no method {method[:100]!r}")


def _completed(method: str, params: Mapping[str, Json]) -> dict[str, Json]:
    """What the stateless protocol wants in every result, and in those a client might keep."""
    meta = params.get("_meta")
    if method != "server/discover" and not (isinstance(meta, Mapping) and meta.get(VERSION_KEY) == STATELESS):
        return {}
    kept = {"ttlMs": 0, "cacheScope": "private"} if method != "tools/call" else {}
    return {"resultType": "complete", **kept}


def _initialize(params: Mapping[str, Json]) -> dict[str, Json]:
    requested = params.get("protocolVersion")
    version = VERSIONS[0] if requested is None else requested
    if version not in VERSIONS:
        raise _Unsupported(requested if isinstance(requested, str) else None)
    told = {} if version in WITHOUT_INSTRUCTIONS else {"instructions": IDENTITY.instructions}
    return {"protocolVersion": version, **_identity(), **told}


def _identity() -> dict[str, Json]:
    return {
        "serverInfo": {"name": IDENTITY.server_name, "version": IDENTITY.server_version, **IDENTITY.server_fields},
        "capabilities": {"tools": {"listChanged": False}, **CAPABILITIES},
    }


def _tools(params: Mapping[str, Json], max_items: int) -> dict[str, Json]:
    per_page = params.get("per_page", PAGE)
    if isinstance(per_page, bool) or not isinstance(per_page, int) or not 1 <= per_page <= LARGEST_PAGE:
        raise InvalidInput(f"per_page: must be between 1 and {LARGEST_PAGE}")
    start = _start(params.get("cursor"))
    tools = described(max_items)
    page: dict[str, Json] = {"tools": tools[start : start + per_page]}
    if start + per_page < len(tools):
        page["nextCursor"] = base64.urlsafe_b64encode(str(start + per_page).encode()).decode()
    return page


def _start(cursor: Json) -> int:
    if cursor is None:
        return 0
    try:
        return int(base64.urlsafe_b64decode(str(cursor).encode("ascii")).decode("ascii")[:9])
    except ValueError:
        raise InvalidInput("cursor: not one of ours") from None


def _tool(opener: SiteOpener, engine: Engine, user_id: int, params: Mapping[str, Json]) -> dict[str, Json]:
    name = params.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidInput("name: the tool to call is missing")
    arguments = params.get("arguments")
    # PHP clients write an empty object as an empty list
    return result(call(opener, engine, user_id, name, {} if arguments is None or arguments == [] else arguments))

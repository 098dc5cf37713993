"""MCP without an SDK: JSON-RPC messages as clients write them, and one client's session in either era of the protocol.

Handshakes and lists are answered here, from data; the rest is checked here and answered by who has an engine. Nothing
but the standard library is imported: hosts wait for `tools/list`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from everlore.redact import redact, redact_deep
from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS, Identity

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
FAILED, NOT_INITIALIZED, UNSUPPORTED_VERSION = -32000, -32002, -32022

STATELESS: Final = "2026-07-28"
"""The version without a handshake: every request says who asks."""
META: Final = "io.modelcontextprotocol/"
VERSION, CLIENT, CAPABILITIES, SERVER = (
    f"{META}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities", "serverInfo")
)
LISTS: Final = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
LISTS_LAST_MS: Final = 3_600_000
"""Lists change only with a new version of the server; stateless clients are told how long they may keep them."""

LARGEST: Final = 64 << 20
TOO_LONG: Final = f"Invalid request: it has more than {LARGEST} bytes; send it in parts"
DEEPEST: Final = 200
TOO_MUCH: Final = "Invalid request: it is nested too deep, or holds a number that is too large"
_STRING: Final = rb'"(?:[^"\\]|\\.)*"'
_TOKENS: Final = re.compile(rb'"id"\s*:\s*(?P<id>-?\d{1,300}(?![\d.eE])|' + _STRING + rb")|" + _STRING + rb"|[\[\]{}]")
"""What matters of JSON when only depth and id are looked for: texts, in which brackets count for nothing; brackets."""
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")

Object = dict[str, Any]


class Refused(Exception):
    """A request that is answered by an error. `id` is the request's where it is not known otherwise."""

    def __init__(self, code: int, message: str, data: Any = None, id_: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.id = id_

    def answer(self, id_: Any = None) -> Object:
        more = {} if self.data is None else {"data": redact_deep(self.data)}
        told = {"code": self.code, "message": redact(str(self)), **more}
        return {"jsonrpc": "2.0", "id": self.id if id_ is None else id_, "error": told}


EMPTY_BATCH: Final = Refused(INVALID_REQUEST, "Invalid request: the batch is empty")


def read(text: bytes) -> Any:
    """The JSON value, or `Refused`.

    Half a character, which JavaScript writes when it cuts a text inside an emoji, becomes a question mark.
    """
    if len(text) > LARGEST:
        raise Refused(INVALID_REQUEST, TOO_LONG, id_=_measured(text[:1000])[1])  # where an id usually stands
    if text.count(b"[") + text.count(b"{") > DEEPEST:
        deepest, id_ = _measured(text)
        if deepest > DEEPEST and id_ is not None:
            raise Refused(INVALID_REQUEST, TOO_MUCH, id_=id_)
    try:
        # int makes an error of NaN and the infinities, which are no JSON
        value = json.loads(text.decode("utf-8"), parse_int=_whole, parse_float=_decimal, parse_constant=int)
        if _HALF.search(text):
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except OverflowError:
        raise Refused(INVALID_REQUEST, TOO_MUCH, id_=_measured(text)[1]) from None
    except (ValueError, RecursionError):
        raise Refused(PARSE_ERROR, "Parse error: this is not JSON") from None
    return value


def _measured(text: bytes) -> tuple[int, Any]:
    """How deep it is nested, and the id of the request, so that its sender need not wait for an answer."""
    depth = deepest = 0
    id_ = None
    for token in _TOKENS.finditer(text):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token[0], 0)
        deepest = max(deepest, depth)
        if depth == 1 and token["id"]:
            id_ = read(token["id"])
    return deepest, id_


def _decimal(digits: str) -> float:
    """Raises `OverflowError` for what nobody could write again."""
    if math.isinf(number := float(digits)):
        raise OverflowError
    return number


def _whole(digits: str) -> int:
    _decimal(digits)
    return int(digits)


def checked(value: Any) -> Object:
    """A JSON value that is a JSON-RPC message; else `Refused` with what is wrong."""
    if problem := _problem(value):
        id_ = value.get("id") if isinstance(value, dict) else None
        known = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
        raise Refused(INVALID_REQUEST, f"Invalid request: {problem}", id_=known)
    message: Object = value
    return message


def _problem(value: Any) -> str:
    if not isinstance(value, dict):
        return "a message is a JSON object"
    if value.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if isinstance(value.get("id", 0), bool) or not isinstance(value.get("id", 0), int | str):
        return "id must be a string or an integer"
    if "method" not in value:
        answers = "id" in value and ("result" in value or "error" in value)
        return "" if answers else "it is neither a request, a notification nor a response"
    if not isinstance(value["method"], str):
        return "method must be a string"
    return "" if isinstance(value.get("params", {}), dict) else "params must be an object"


def is_request(message: Object) -> bool:
    return "method" in message and "id" in message


def dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Offer:
    """What a client is offered: who we say we are, lists that are known, and what an engine is needed for."""

    identity: Identity
    lists: Mapping[str, Mapping[str, Object]]
    """By era, and then by method: the result."""
    asked: Mapping[str, Any]
    """Methods that an engine answers; of `tools/call` what is known of the tools, by name."""


class Session:
    """One client. The first request decides the era; in the eras of the handshake, `initialize` the rest."""

    def __init__(self, offer: Offer, version: str = "", client: str = "", *, bare: bool = False) -> None:
        """With a `version`: one that goes on."""
        self._offer = offer
        self._stateless: bool | None = version == STATELESS if version else None
        self.version = version
        self.client = client
        self.bare = bare
        """It shook hands in the shortest form, without naming capabilities."""

    def take(self, method: str, params: Object) -> Object | None:
        """The result, where it is known; None where an engine must be asked. Raises `Refused`."""
        given = params.get("_meta")
        meta: Object = given if isinstance(given, dict) else {}
        enveloped = VERSION in meta and method != "initialize"
        if self._stateless is None:
            self._stateless = enveloped
        if self._stateless:
            self._read_envelope(method, params, meta)
        elif method == "initialize":
            return self._shake(params)
        elif method == "ping":
            return {}
        elif not self.version:
            raise Refused(NOT_INITIALIZED, "Server not initialized")
        elif enveloped:
            told = "this connection began with a handshake; requests of 2026-07-28 are not accepted on it"
            raise Refused(INVALID_REQUEST, told)
        return self._known(method, params)

    def _known(self, method: str, params: Object) -> Object | None:
        if self._stateless and method == "server/discover":
            identity = self._offer.identity
            told = {"capabilities": dict(identity.capabilities), **identity.guidance, "resultType": "complete"}
            lasting = {"supportedVersions": [STATELESS], "ttlMs": LISTS_LAST_MS}
            return self.stamped({"cacheScope": "public", **told, **lasting})
        lists = self._offer.lists[STATELESS if self._stateless else "handshake"]
        if method in lists:
            if params.get("cursor") is not None:
                raise Refused(INVALID_PARAMS, "Unknown cursor: the whole list is on the first page")
            return self.stamped(lists[method])
        if method not in self._offer.asked:
            raise Refused(METHOD_NOT_FOUND, "Method not found", method)
        if problem := _bad_params(method, params):
            raise Refused(INVALID_PARAMS, f"Invalid request parameters: {problem}")
        return None

    def _shake(self, params: Object) -> Object:
        """A client may leave out everything; what it says must make sense."""
        version = params.get("protocolVersion", self._offer.identity.version)
        client = params.get("clientInfo", {"name": "unknown"})
        right = {
            "protocolVersion": isinstance(version, str),
            "clientInfo": isinstance(client, dict) and isinstance(client.get("name"), str),
            "capabilities": isinstance(params.get("capabilities", {}), dict),
        }
        if wrong := [name for name, good in right.items() if not good]:
            raise Refused(INVALID_PARAMS, f"Invalid request parameters: {wrong[0]}: it is not as the protocol says")
        self.version = version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        self.client, self.bare = client["name"], "capabilities" not in params
        return greeting(self._offer.identity, self.version)

    def _read_envelope(self, method: str, params: Object, meta: Object) -> None:
        if method == "initialize":
            told = "this connection speaks 2026-07-28, which has no handshake"
            asked = params.get("protocolVersion")
            data: Object = {"supported": [STATELESS], **({"requested": asked} if isinstance(asked, str) else {})}
            raise Refused(UNSUPPORTED_VERSION, told, data)
        if missing := [key for key in (VERSION, CAPABILITIES) if key not in meta]:
            raise Refused(INVALID_PARAMS, f"params._meta is missing: {', '.join(missing)}")
        version, client = meta[VERSION], meta.get(CLIENT)
        if not isinstance(version, str):
            raise Refused(INVALID_PARAMS, f"{VERSION} must be a string")
        if version != STATELESS:
            told = "Unsupported protocol version"
            raise Refused(UNSUPPORTED_VERSION, told, {"supported": [STATELESS], "requested": version})
        self.version = version
        self.client = str(client.get("name", "")) if isinstance(client, dict) else ""

    def stamped(self, result: Object) -> Object:
        """The result, with what 2026-07-28 demands of every one."""
        if not self._stateless:
            return result
        more: Object = {} if "resultType" in result else {"resultType": "complete"}
        if "contents" in result:
            more |= {"ttlMs": 0, "cacheScope": "private"}
        return {**result, **more, "_meta": {**result.get("_meta", {}), SERVER: self._offer.identity.server_info}}


def greeting(identity: Identity, version: str) -> Object:
    told = {"capabilities": dict(identity.capabilities), "serverInfo": identity.server_info, **identity.guidance}
    return {"protocolVersion": version, **told}


def _bad_params(method: str, params: Object) -> str:
    needed = "uri" if method == "resources/read" else "name" if method in ("tools/call", "prompts/get") else ""
    if needed and not isinstance(params.get(needed), str):
        return f"{needed}: {'a string is needed' if needed in params else 'it is missing'}"
    arguments = params.get("arguments")
    if needed == "name" and not isinstance(arguments, dict | None):
        return "arguments: an object is needed"
    if method == "prompts/get":
        odd = [name for name, value in (arguments or {}).items() if not isinstance(value, str)]
        return f"arguments.{odd[0]}: a string is needed" if odd else ""
    return ""

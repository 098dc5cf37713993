"""JSON-RPC messages as clients write them: read, checked and refused in one way on every transport."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pydantic_core import from_json, to_json

from everlore.redact import redact
from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.mcp.handshake import completed
from everlore.types import Json

if TYPE_CHECKING:
    from mcp_types import JSONRPCMessage

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
LONGEST_NUMBER: Final = 4300
"""Digits of a whole number; Python refuses to write longer ones."""

TOO_MUCH: Final = "Invalid request: it is nested too deep, or holds a number that is too large"
_STRING: Final = rb'"(?:[^"\\]|\\.)*"'
_TOKENS: Final = re.compile(rb'"id"\s*:\s*(?P<id>-?\d{1,300}(?![\d.eE])|' + _STRING + rb")|" + _STRING + rb"|[\[\]{}]")
"""What matters of JSON when only an id is looked for: texts, in which brackets count for nothing, and brackets."""


class Unreadable(Exception):
    """What came is no message. `id` is the request's, where one could be found."""

    def __init__(self, code: int, reason: str, id_: Json = None) -> None:
        super().__init__(reason)
        self.code = code
        self.id = id_


EMPTY_BATCH: Final = Unreadable(INVALID_REQUEST, "Invalid request: the batch is empty")


def read(text: bytes) -> Json:
    """The JSON value, or `Unreadable`.

    Half a character, which JavaScript writes when it cuts a text inside an emoji, becomes a question mark.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        value = _read_patiently(text)
    try:
        return from_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), allow_inf_nan=False)
    except (ValueError, RecursionError):
        id_ = value.get("id") if isinstance(value, dict) else None
        raise Unreadable(INVALID_REQUEST, TOO_MUCH, id_) from None


def _read_patiently(text: bytes) -> Json:
    try:
        return json.loads(text.decode("utf-8"), parse_int=_whole, parse_constant=_no_number)
    except RecursionError:
        if (id_ := _id_in(text)) is not None:
            raise Unreadable(INVALID_REQUEST, TOO_MUCH, id_) from None
    except ValueError:
        pass
    raise Unreadable(PARSE_ERROR, "Parse error: this is not JSON")


def _id_in(text: bytes) -> Json:
    """The id of a request that is nested deeper than can be read, so that its sender need not wait for an answer."""
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token[0], 0)
        if depth == 1 and token["id"]:
            return read(token["id"])
    return None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_NUMBER else float("inf")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def message_of(value: Any, identity: Identity) -> JSONRPCMessage:
    """The SDK's form of a message, with what an `initialize` left out; raises `Unreadable` with what is wrong."""
    from mcp_types import jsonrpc_message_adapter  # only who speaks through the SDK needs it
    from pydantic import ValidationError

    problem = _problem(value)
    if problem is None:
        if value.get("method") == "initialize":
            value = {**value, "params": completed(value.get("params"), identity)}
        try:
            return jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValidationError:
            problem = "it is neither a request, a notification nor a response"
    id_ = value.get("id") if isinstance(value, dict) else None
    raise Unreadable(INVALID_REQUEST, f"Invalid request: {problem}", id_)


def _problem(value: Any) -> str | None:
    """What keeps a JSON value from being a JSON-RPC message, or None."""
    if not isinstance(value, dict):
        return "a message is a JSON object"
    if value.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if "method" not in value:  # a response
        return None
    if not isinstance(value["method"], str):
        return "method must be a string"
    if isinstance(value.get("id", 0), bool) or not isinstance(value.get("id", 0), int | str):
        return "id must be a string or an integer"
    return None if isinstance(value.get("params", {}), dict) else "params must be an object"


def refusal(error: Unreadable) -> bytes:
    """The answer to what is no message."""
    id_ = error.id if isinstance(error.id, str | int) and not isinstance(error.id, bool) else None
    return to_json({"jsonrpc": "2.0", "id": id_, "error": {"code": error.code, "message": redact(str(error))}})

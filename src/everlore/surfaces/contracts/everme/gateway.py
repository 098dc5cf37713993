"""The gateway: its envelope, its numeric codes, and what its routes take and give. camelCase on the wire.

Every answer is `{error, requestId, status, result}`, also HTTP's own errors. The codes are those that EverMe's clients
sort by: 300xx to 303xx is about the credential, 30104 means slow down, 4xxxx is about a record, 5xxxx about the
server. Everything else is the caller's request (2xxxx).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, field_validator
from pydantic.alias_generators import to_camel

from everlore.accounts.values import Agent, Poll, Source
from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import Conflict, Denied, EverloreError, InvalidInput, NotFound, Unavailable, UnsupportedMedia
from everlore.memory import NewMessage, flush, remember
from everlore.memory.remember import spoken
from everlore.memory.statements import add_statements
from everlore.surfaces.contracts.everme.reading import Person
from everlore.types import Json, Role


class Code(NamedTuple):
    name: str
    status: int
    why: str = ""
    """The reason of `Denied` that has this code."""


CODES: Mapping[int, Code] = {
    20001: Code("ErrInvalidParams", 400),
    20002: Code("ErrNotFound", 404),
    20003: Code("ErrMethodNotAllowed", 405),
    20004: Code("ErrUnsupportedMedia", 415),
    20005: Code("ErrRateLimited", 429),
    20006: Code("ErrTooLarge", 413),
    30001: Code("ErrUnauthorized", 401, "missing"),
    30002: Code("ErrForbidden", 403),
    30003: Code("ErrTokenInvalid", 401, "malformed"),
    30101: Code("ErrDeviceCodeInvalid", 400, "device"),
    30103: Code("ErrDeviceDenied", 403),
    30104: Code("ErrSlowDown", 429, "slow"),
    30201: Code("ErrApiKeyInvalid", 401, "key_invalid"),
    30202: Code("ErrApiKeyRevoked", 401, "key_revoked"),
    30203: Code("ErrApiKeyExpired", 401, "key_expired"),
    30301: Code("ErrAgentTokenInvalid", 401, "agent_invalid"),
    30302: Code("ErrAgentDisconnected", 401, "agent_revoked"),
    30303: Code("ErrScopeInsufficient", 403, "scope"),
    30304: Code("ErrAgentTokenExpired", 401, "agent_expired"),
    40005: Code("ErrIdempotencyConflict", 409),
    40101: Code("ErrRecordNotFound", 404),
    40102: Code("ErrUploadNotFound", 404),
    40103: Code("ErrUploadExpired", 403),
    40104: Code("ErrUploadMismatch", 400),
    50000: Code("ErrInternal", 500),
    50101: Code("ErrUnavailable", 503),
}
DENIALS = {code.why: number for number, code in CODES.items() if code.why}
OF_STATUS = {400: 20001, 404: 20002, 405: 20003, 413: 20006, 415: 20004, 422: 20001, 429: 20005, 403: 30002, 503: 50101}
"""The code of what is about HTTP, not about the gateway's own matters."""
_OF_ERROR = {InvalidInput: 20001, UnsupportedMedia: 20001, NotFound: 40101, Conflict: 40005, Unavailable: 50101}
QUERY_MOST = 1024
CONTENT_MOST = 8000
TOP_K_MOST = 50
LAST_PAGE = 1000
INTERVAL_SECONDS = 5
_HASH = re.compile(r"(?:sha256[:-])?([0-9a-f]{64})", re.IGNORECASE)
_TYPE = re.compile(r"(?:text/[\w.+-]+|application/(?:json|x-ndjson|yaml|markdown))(?:\s*;.*)?", re.IGNORECASE)

Label = Annotated[str, Field(min_length=1, max_length=200)]
OptionalLabel = Annotated[str, Field(max_length=200)]


class Refusal(Exception):
    """An answer other than success, by its code."""

    def __init__(self, code: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.headers = dict(headers or {})


class Envelope(BaseModel):
    """Every answer of the gateway."""

    error: str
    request_id: str = Field(alias="requestId")
    status: int
    result: dict[str, Any] | None


def code_of(error: EverloreError) -> int:
    if isinstance(error, Denied):
        return DENIALS[error.why]
    return next((code for kind, code in _OF_ERROR.items() if isinstance(error, kind)), 50000)


def code_of_status(status: int) -> int:
    return OF_STATUS.get(status, 20001 if status < 500 else 50000)


class Body(BaseModel, alias_generator=to_camel, frozen=True, extra="ignore"): ...


class Login(Body):
    api_key: str = Field(max_length=200)


class DeviceStart(Body):
    platform: Label
    client_name: OptionalLabel | None = None
    client_version: OptionalLabel | None = None
    machine_fingerprint: OptionalLabel | None = None


class DevicePoll(Body):
    device_code: str = Field(max_length=200)
    grant_type: str


class NewAgent(Body):
    platform: Label
    name: Label
    machine_fingerprint: Label
    client_version: OptionalLabel | None = None


class AgentFilter(Body):
    platform: str | None = None
    machine_fingerprint: str | None = None


class AgentId(Body):
    agent_id: Label


class SearchBody(Body):
    query: str
    top_k: int | None = None
    memory_types: list[Literal["episodic_memory", "profile", "raw_message", "agent_memory"]] | None = None
    filter: dict[str, Any] | None = None
    rank_by: Literal["relevance", "time"] | None = None

    @field_validator("query")
    @classmethod
    def _query(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("query must not be empty")
        if len(value) > QUERY_MOST:
            raise ValueError(f"query must have at most {QUERY_MOST} characters; shorten it")
        return value


class ContextBody(Body):
    query: str | None = None
    force_refresh: bool | None = None
    token_budget: int | None = Field(None, ge=64, le=32_000)
    fitting_only: bool | None = None
    """Nothing at all where no memory fits the query: for every prompt of a session."""


class Call(Body):
    id: str = Field(min_length=1)
    type: str | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None
    function: dict[str, Any] | None = None


class Turn(Body):
    role: Literal["user", "assistant", "tool", "toolResult"]
    timestamp: int | None = Field(None, gt=0)
    content: str | list[str | dict[str, Any]] | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None


class SaveBody(Body):
    conversation_id: str = Field(min_length=1, max_length=128)
    messages: list[Turn] = Field(min_length=1, max_length=500)
    flush: bool | None = None


class IdBody(Body):
    id: str = Field(min_length=1)


class ListBody(Body):
    memory_type: Literal["episodic_memory", "profile", "agent_case", "agent_skill"] | None = None
    page: int | None = Field(None, ge=1, le=LAST_PAGE)
    page_size: int | None = Field(None, ge=1, le=100)


def _hash(value: str) -> str:
    found = _HASH.fullmatch(value.strip())
    if found is None:
        raise ValueError("contentHash must be the SHA-256 of the content, as 64 hexadecimal digits")
    return found[1].lower()


def _type(value: str) -> str:
    if not _TYPE.fullmatch(value):
        raise ValueError("contentType must be text/* or application/json; send documents as text")
    return value


ContentHash = Annotated[str, AfterValidator(_hash)]
ContentType = Annotated[str, AfterValidator(_type)]


class Presign(Body):
    file_name: str = Field(min_length=1, max_length=255)
    content_type: ContentType
    size_bytes: int = Field(ge=1)
    content_hash: ContentHash


class NewSource(Body):
    object_key: str = Field(min_length=1, max_length=100)
    title: str = Field(min_length=1, max_length=500)
    size_bytes: int = Field(ge=1)
    content_hash: ContentHash
    content_type: str | None = None
    raw_format: str | None = None
    object_e_tag: str | None = Field(None, alias="objectETag")
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    summary: str | None = None
    document_key: str | None = Field(None, max_length=500)
    idempotency_key: str | None = Field(None, max_length=200)
    origin_platform: str | None = Field(None, max_length=100)


def wanted(top_k: object, default: int) -> int:
    """How many results: a whole positive number as it is, up to the most; anything else is the default."""
    number = int(top_k) if isinstance(top_k, str) and top_k.strip().isdecimal() else top_k
    if isinstance(number, bool) or not isinstance(number, int | float) or number <= 0 or number % 1:
        return default
    return int(min(number, TOP_K_MOST))


def polled(poll: Poll) -> dict[str, Json]:
    if poll.state == "pending":
        return {"status": "pending", "interval": INTERVAL_SECONDS}
    if poll.key is None or poll.agent is None:
        return {"status": poll.state}
    return {
        "status": "approved",
        "apiKey": poll.key_secret,
        "apiKeyPrefix": poll.key.prefix,
        "agentId": poll.agent.id,
        "agentToken": poll.agent_secret,
        "isNewKey": True,
        "scopes": list(poll.key.scopes),
    }


def agent_shown(agent: Agent) -> dict[str, Json]:
    return {
        **{to_camel(name): getattr(agent, name) for name in ("id", "platform", "name", "token_prefix")},
        "clientVersion": agent.version,
        "machineFingerprint": agent.fingerprint,
        "connectionStatus": "connected" if agent.connected else "disconnected",
        "lastActiveAt": "" if agent.last_active is None else iso(agent.last_active),
        "createdAt": iso(agent.created),
        "keyId": agent.made_by,
    }


def source_shown(source: Source) -> dict[str, Json]:
    names = ("id", "agent_id", "title", "object_key", "document_key", "status")
    return {
        **{to_camel(name): getattr(source, name) for name in names},
        "sizeBytes": source.size,
        "contentHash": source.hash,
        "originPlatform": source.platform,
        "createdAt": iso(source.created),
    }


def save(engine: Engine, person: Person, body: SaveBody, *, stating: bool) -> dict[str, Json]:
    """Save turns of a conversation; `stating`: what the user says of themselves, which is in their profile afterwards,
    whatever the extractor makes of it."""
    for at, turn in enumerate(body.messages) if stating else ():
        if turn.role not in ("user", "assistant") or turn.tool_calls or turn.tool_call_id:
            told = f"only user and assistant messages without tool calls are taken here: messages.{at}.role"
            raise Refusal(20001, told)
    now, flushing, stated = engine.clock.now(), body.flush is not False, False
    messages = [message(at, turn, person, now) for at, turn in enumerate(body.messages)]
    extracted = bool(remember(engine, person.scope, body.conversation_id, messages))
    if flushing:
        extracted = bool(flush(engine, person.scope, body.conversation_id)) or extracted
        spoke = [(one.timestamp, spoken(one.content).strip()) for one in messages if one.role == "user"]
        if stating and (said := [pair for pair in spoke if pair[1]]):
            stated = add_statements(engine, person.owner, said)
    status = "extracted" if extracted or stated else "no_extraction" if flushing else "accumulated"
    saved = {"status": status, "messageCount": len(messages), "flushed": flushing}
    return saved | ({"extracted": stated} if stating else {})


def message(at: int, turn: Turn, person: Person, now: int) -> NewMessage:
    """The turn at this place of the request; raises `Refusal` when it is none that can be saved."""
    role: Role = "tool" if turn.role == "toolResult" else turn.role
    calls = [_call(call) for call in turn.tool_calls or ()]
    if turn.content is None and not calls:
        raise Refusal(20001, f"content is missing: messages.{at}.content")
    if role == "tool" and not turn.tool_call_id:
        raise Refusal(20001, f"a tool message needs the id of its call: messages.{at}.toolCallId")
    given = turn.content or ""
    content: str | list[dict[str, Json]] = given if isinstance(given, str) else [_part(part) for part in given]
    if len(spoken(content)) > CONTENT_MOST:
        told = f"content must have at most {CONTENT_MOST} characters; keep its beginning and end"
        raise Refusal(20001, f"{told}: messages.{at}.content")
    sender = person.user if role == "user" else person.agent
    moment = turn.timestamp or now + at
    return NewMessage(sender, role, moment, content, None, calls or None, turn.tool_call_id, person.project or "")


def _part(part: str | dict[str, Json]) -> dict[str, Json]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part.get("type"), str):
        raise Refusal(20001, "a content item needs a type, e.g. text")
    return part


def _call(call: Call) -> dict[str, Json]:
    inner = call.function or {}
    given = call.arguments if call.arguments is not None else inner.get("arguments", "{}")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    name = call.name or str(inner.get("name") or "unknown")
    return {"id": call.id, "type": call.type or "function", "function": {"name": name, "arguments": arguments}}

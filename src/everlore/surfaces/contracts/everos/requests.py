"""Requests as the contract constrains them. The published OpenAPI document is made from these classes.

Numbers and booleans are strict: a string or a boolean is never taken for an integer. A field that is not named here is
refused, so that a misspelt filter never widens an answer; only `add` accepts further ones.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections import Counter
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from everlore.clock import guessed_ms
from everlore.errors import InvalidInput
from everlore.memory import NewMessage
from everlore.types import Json

MOST_FILES = 1000
TEXT_TAG = "content-text"
ITEMS_TAG = "content-items"

_SCOPE_CHARSET = re.compile(r"[a-zA-Z0-9_.-]+")


def _scope_id(value: str) -> str:
    if not _SCOPE_CHARSET.fullmatch(value):
        raise ValueError("only the characters a-z A-Z 0-9 _ . - are allowed")
    if value in (".", ".."):
        raise ValueError("'.' and '..' are not allowed")
    return value


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value  # to JSON 5.0 is 5


def _top_k(value: int) -> int:
    if value != -1 and not 1 <= value <= 100:
        raise ValueError("top_k must be -1 or 1..100")
    return value


ScopeId = Annotated[
    str,
    Field(min_length=1, max_length=128, json_schema_extra={"pattern": "^[a-zA-Z0-9_.-]+$"}),
    AfterValidator(_scope_id),
]
SessionId = Annotated[str, Field(min_length=1, max_length=128)]
OwnerId = Annotated[str, Field(min_length=1)]
StrictInt = Annotated[int, BeforeValidator(_whole), Field(strict=True)]
StrictBool = Annotated[bool, Field(strict=True)]


SearchMethod = TypeAliasType("SearchMethod", Literal["keyword", "vector", "hybrid", "agentic"])
GetMemoryType = TypeAliasType("GetMemoryType", Literal["episode", "profile", "agent_case", "agent_skill", "record"])


class Request(BaseModel, extra="forbid", frozen=True): ...


class Scoped(Request):
    app_id: ScopeId = "default"
    project_id: ScopeId = "default"


class Owned(Scoped):
    """A request about one owner: exactly one of the two ids."""

    user_id: OwnerId | None = None
    agent_id: OwnerId | None = None

    @model_validator(mode="after")
    def _one_owner(self) -> Self:
        if (self.user_id is None) == (self.agent_id is None):
            raise ValueError("exactly one of user_id / agent_id must be provided")
        return self


class Opaque(Request, extra="allow"):
    """Kept as sent, unknown keys included, because it is handed back or passed on as it came."""

    def as_sent(self) -> dict[str, Json]:
        return self.model_dump(exclude_unset=True)


class ContentItem(Opaque):
    """One element of a mixed message body. The payload is in exactly one of `text`, `uri` and `base64`."""

    type: Literal["text", "md", "image", "audio", "doc", "pdf", "html", "email"]
    text: str | None = None
    uri: str | None = None
    base64: str | None = None
    ext: str | None = None
    name: str | None = None
    extras: dict[str, Any] | None = None


class ToolFunction(Opaque):
    name: str
    arguments: str = Field(description="JSON-encoded string, not an object.")


class ToolCall(Opaque):
    id: str
    type: str = "function"
    function: ToolFunction


Content = Annotated[
    Annotated[str, Tag(TEXT_TAG)] | Annotated[list[ContentItem], Tag(ITEMS_TAG)],
    Discriminator(
        lambda value: {str: TEXT_TAG, list: ITEMS_TAG}.get(type(value)),
        custom_error_type="content_type",
        custom_error_message="Input should be a string or an array of content items",
    ),
]


class MessageItem(Request, extra="ignore"):
    sender_id: str = Field(min_length=1)
    sender_name: str | None = None
    role: Literal["user", "assistant", "tool"]
    timestamp: StrictInt = Field(gt=0, description="Unix epoch milliseconds; values below 10^12 are read as seconds.")
    content: Content
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None

    def message(self, project: str) -> NewMessage:
        content: str | list[dict[str, Json]]
        content = self.content if isinstance(self.content, str) else [part.as_sent() for part in self.content]
        calls = None if self.tool_calls is None else [call.as_sent() for call in self.tool_calls]
        told = (self.sender_name, calls, self.tool_call_id, project)
        return NewMessage(self.sender_id, self.role, guessed_ms(self.timestamp), content, *told)


class AddRequest(Scoped, extra="ignore"):
    session_id: SessionId
    project: ScopeId | None = Field(None, description="The project that was worked on; beyond the contract.")
    messages: list[MessageItem] = Field(min_length=1, max_length=500)


class FlushRequest(Scoped):
    session_id: SessionId


class FilterNode(Request, extra="allow"):
    """Predicates on fields, beside `AND` and `OR` arrays of further nodes; all of one level must hold.

    Fields: session_id, parent_type, parent_id, timestamp, sender_id; values are scalars (equality) or maps of
    the operators eq, ne, gt, gte, lt, lte, in.
    """

    AND: list[FilterNode] | None = None
    OR: list[FilterNode] | None = None


class SearchRequest(Owned):
    query: str = Field(min_length=1)
    method: SearchMethod = "hybrid"
    top_k: Annotated[StrictInt, AfterValidator(_top_k)] = Field(
        -1, description="-1 or 1..100", json_schema_extra={"minimum": -1, "maximum": 100, "not": {"const": 0}}
    )
    radius: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] | None = None
    include_profile: StrictBool = False
    enable_llm_rerank: StrictBool = False
    filters: FilterNode | None = None
    project: ScopeId | None = Field(
        None, description="Only what was said in this project or in none, and what is personal; beyond the contract."
    )
    explain: StrictBool = Field(False, description="Adds `data.trace`: how the ranking came about.")
    compact: StrictBool = Field(
        False, description="Of each memory only what it is, when, and the sentences that matched; beyond the contract."
    )


class GetRequest(Owned):
    memory_type: GetMemoryType
    page: StrictInt = Field(1, ge=1)
    page_size: StrictInt = Field(20, ge=1, le=100)
    sort_by: Literal["timestamp", "updated_at"] = "timestamp"
    sort_order: Literal["asc", "desc"] = "desc"
    filters: FilterNode | None = None

    @model_validator(mode="after")
    def _matching_owner(self) -> Self:
        needed = "user_id" if self.memory_type in ("episode", "profile", "record") else "agent_id"
        if getattr(self, needed) is None:
            raise ValueError(f"memory_type '{self.memory_type}' requires {needed}")
        return self


class Paged(Owned):
    page: StrictInt = Field(1, ge=1, le=10**9)
    page_size: StrictInt = Field(20, ge=1, le=100)


class DeleteRequest(Owned):
    id: str = Field(min_length=1, description="The id of an episode, a fact, a profile, a case or a skill.")


class HistoryRequest(Paged):
    id: str | None = Field(None, min_length=1, description="One memory, and what stood in its place before and after.")
    at: StrictInt | str | None = Field(None, description="Only what held then: epoch milliseconds or ISO-8601.")

    @field_validator("at", mode="before")
    @classmethod
    def _number_or_text(cls, value: object) -> object:
        """One message, as a union has one for each of its branches, with their names in the place."""
        number = isinstance(value, int) and not isinstance(value, bool)
        if value is None or number or isinstance(value, str) or (isinstance(value, float) and value.is_integer()):
            return value
        raise PydanticCustomError("time", "Input should be epoch milliseconds or ISO-8601 text")


class File(Request):
    """`text`, or `base64` where the file is no UTF-8 text."""

    path: str = Field(min_length=1, max_length=4096, description="In the owner's folder, such as user.md")
    text: str | None = None
    base64: str | None = None

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("a file has either text or base64")
        return self

    @classmethod
    def of(cls, path: str, content: bytes) -> File:
        try:
            return cls(path=path, text=content.decode("utf-8"))
        except UnicodeDecodeError:
            return cls(path=path, base64=b64encode(content).decode("ascii"))

    def content(self) -> bytes:
        if self.text is not None:
            return self.text.encode("utf-8")
        try:
            return b64decode(self.base64 or "", validate=True)
        except ValueError:
            raise InvalidInput(f"the base64 of {self.path[:80]!r} cannot be read") from None


class ImportRequest(Owned):
    files: list[File] = Field(min_length=1, max_length=MOST_FILES)
    overwrite: StrictBool = Field(False, description="Also where a file of that name holds something else.")

    @field_validator("files")
    @classmethod
    def _each_once(cls, files: list[File]) -> list[File]:
        for path, times in Counter(file.path for file in files).items():
            if times > 1:
                raise ValueError(f"{path[:80]!r} is there twice, and only one of the two could be kept")
        return files

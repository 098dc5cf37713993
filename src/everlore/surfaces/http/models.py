"""What goes over the wire: requests as the contract constrains them, answers as it spells them out.

Numbers and booleans are strict: a string or a boolean is never taken for an integer. Names of schemas and fields,
defaults and limits are the contract's; the published OpenAPI document is made from these classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from typing_extensions import TypeAliasType

from everlore.types import Json

DataT = TypeVar("DataT")

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
GetMemoryType = TypeAliasType("GetMemoryType", Literal["episode", "profile", "agent_case", "agent_skill"])


class Request(BaseModel):
    model_config = ConfigDict(frozen=True)


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


class Opaque(Request):
    """Kept as sent, unknown keys included, because it is handed back or passed on as it came."""

    model_config = ConfigDict(extra="allow", frozen=True)

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


def _content_form(value: object) -> str | None:
    if isinstance(value, str):
        return TEXT_TAG
    return ITEMS_TAG if isinstance(value, list) else None


Content = Annotated[
    Annotated[str, Tag(TEXT_TAG)] | Annotated[list[ContentItem], Tag(ITEMS_TAG)],
    Discriminator(
        _content_form,
        custom_error_type="content_type",
        custom_error_message="Input should be a string or an array of content items",
    ),
]


class MessageItem(Request):
    sender_id: str = Field(min_length=1)
    sender_name: str | None = None
    role: Literal["user", "assistant", "tool"]
    timestamp: StrictInt = Field(gt=0, description="Unix epoch milliseconds; values below 10^12 are read as seconds.")
    content: Content
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class AddRequest(Scoped):
    session_id: SessionId
    messages: list[MessageItem] = Field(min_length=1, max_length=500)


class FlushRequest(Scoped):
    session_id: SessionId


class FilterNode(Request):
    """Predicates on fields, beside `AND` and `OR` arrays of further nodes; all of one level must hold.

    Fields: session_id, parent_type, parent_id, timestamp, sender_id; values are scalars (equality) or maps of
    the operators eq, ne, gt, gte, lt, lte, in.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

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
    explain: StrictBool = Field(False, description="Adds `data.trace`: how the ranking came about.")


class GetRequest(Owned):
    memory_type: GetMemoryType
    page: StrictInt = Field(1, ge=1)
    page_size: StrictInt = Field(20, ge=1, le=100)
    sort_by: Literal["timestamp", "updated_at"] = "timestamp"
    sort_order: Literal["asc", "desc"] = "desc"
    filters: FilterNode | None = None

    @model_validator(mode="after")
    def _matching_owner(self) -> Self:
        needed = "user_id" if self.memory_type in ("episode", "profile") else "agent_id"
        if getattr(self, needed) is None:
            raise ValueError(f"memory_type '{self.memory_type}' requires {needed}")
        return self


class Spending(BaseModel):
    """What the language model cost this request. Absent where none was asked."""

    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


class Pending(BaseModel):
    """Messages that stay buffered because the language model did not do its part. They are tried again."""

    messages: int
    reason: str


class Metered(BaseModel):
    """Additive: present only where there is something to say."""

    pending: Pending | None = Field(None, exclude_if=lambda value: value is None)
    usage: Spending | None = Field(None, exclude_if=lambda value: value is None)


class AddData(Metered):
    message_count: int
    status: Literal["accumulated", "extracted"]


class FlushData(Metered):
    status: Literal["extracted", "no_extraction"]


class Whole(BaseModel):
    """Always sent with all its fields, those with a default included, and described so."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class Placed(Whole):
    id: str
    app_id: str
    project_id: str


class GetEpisodeItem(Placed):
    user_id: str | None
    session_id: str
    timestamp: str
    sender_ids: Sequence[str]
    summary: str
    subject: str
    episode: str
    type: Literal["Conversation"] = "Conversation"


class GetProfileItem(Placed):
    user_id: str | None
    profile_data: dict[str, Any]


class GetAgentCaseItem(Placed):
    agent_id: str
    session_id: str
    task_intent: str
    approach: str
    quality_score: float
    key_insight: str | None
    timestamp: str


class GetAgentSkillItem(Placed):
    agent_id: str
    name: str
    description: str
    content: str
    confidence: float
    maturity_score: float
    source_case_ids: Sequence[str]


class SearchAtomicFactItem(BaseModel):
    id: str
    content: str
    score: float


class SearchEpisodeItem(GetEpisodeItem):
    score: float
    atomic_facts: list[SearchAtomicFactItem]


class SearchProfileItem(GetProfileItem):
    score: float | None = None


class SearchAgentCaseItem(GetAgentCaseItem):
    score: float


class SearchAgentSkillItem(GetAgentSkillItem):
    score: float


class UnprocessedMessageDTO(Placed):
    session_id: str
    sender_id: str
    sender_name: str | None
    role: Literal["user", "assistant", "tool"]
    content: str | list[dict[str, Any]]
    timestamp: str
    tool_calls: list[dict[str, Any]] | None
    tool_call_id: str | None


class SearchData(BaseModel):
    episodes: list[SearchEpisodeItem]
    profiles: list[SearchProfileItem]
    agent_cases: list[SearchAgentCaseItem]
    agent_skills: list[SearchAgentSkillItem]
    unprocessed_messages: list[UnprocessedMessageDTO]
    trace: dict[str, Any] | None = Field(None, exclude_if=lambda trace: trace is None)
    usage: Spending | None = Field(None, exclude_if=lambda value: value is None)


class GetData(Whole):
    episodes: list[GetEpisodeItem] = []
    profiles: list[GetProfileItem] = []
    agent_cases: list[GetAgentCaseItem] = []
    agent_skills: list[GetAgentSkillItem] = []
    total_count: int
    count: int


class Success(BaseModel, Generic[DataT]):
    """Every 200 answer of the memory routes."""

    request_id: str
    data: DataT


class ErrorInfo(BaseModel):
    code: Literal["HTTP_ERROR", "SYSTEM_ERROR"]
    message: str
    timestamp: str
    path: str


class Failure(BaseModel):
    """Every answer that is not 2xx."""

    request_id: str
    error: ErrorInfo


class Health(BaseModel):
    status: Literal["ok", "degraded"]
    version: str
    model: dict[str, Any]
    index: dict[str, Any]
    messages_buffered: int
    problems: list[str]

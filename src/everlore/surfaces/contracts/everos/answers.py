"""Answers as the contract spells them out. Names of schemas and fields are its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import not_
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from everlore.clock import Clock
from everlore.redact import redact
from everlore.surfaces.contracts.everos.requests import File
from everlore.surfaces.contracts.quoting import Whose

DataT = TypeVar("DataT")
Additive = partial(Field, exclude_if=not_)
"""A field that is sent only where there is something to say."""


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
    pending: Pending | None = Additive(None)
    usage: Spending | None = Additive(None)


class AddData(Metered):
    message_count: int
    status: Literal["accumulated", "extracted"]


class FlushData(Metered):
    status: Literal["extracted", "no_extraction"]


class Whole(BaseModel, json_schema_serialization_defaults_required=True):
    """Always sent with all its fields, those with a default included, and described so."""


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


class SearchPassage(BaseModel):
    """A sentence that matched. `valid_until` and `ended_by` (what replaced it) tell that it is past."""

    text: str
    score: float
    turn: int
    speaker: str
    whose: Whose
    time: str
    valid_from: str
    valid_until: str | None
    ended_by: str | None


class SearchEpisodeItem(GetEpisodeItem):
    score: float
    passages: list[SearchPassage]
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
    trace: dict[str, Any] | None = Additive(None)
    usage: Spending | None = Additive(None)


class GetData(Whole):
    episodes: list[GetEpisodeItem] = []
    profiles: list[GetProfileItem] = []
    agent_cases: list[GetAgentCaseItem] = []
    agent_skills: list[GetAgentSkillItem] = []
    total_count: int
    count: int


class HistoryItem(Placed):
    """A statement and the time in which it held; `valid_until` null: it still does."""

    user_id: str | None = None
    agent_id: str | None = None
    memory_type: str
    content: str
    session_id: str
    episode_id: str | None
    timestamp: str
    valid_from: str
    valid_until: str | None
    superseded_by: str | None
    dated_ahead: bool = Additive(False, description="Its date is in the future, so it decides nothing.")


class HistoryData(BaseModel):
    memories: list[HistoryItem]
    total_count: int
    count: int


class ExportData(Whole):
    files: list[File]
    refused: list[str] = Additive([], description="What cannot be read, and why.")
    total_count: int
    count: int


class ImportData(BaseModel):
    written: int
    unchanged: int
    bin: str = Additive("", description="What `/bin/restore` takes to bring back what was overwritten.")


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

    @classmethod
    def of(cls, request_id: str, status: int, message: str, path: str, clock: Clock) -> Failure:
        """`HTTP_ERROR` is what the caller can change, `SYSTEM_ERROR` everything else. Without secrets."""
        error = ErrorInfo(
            code="HTTP_ERROR" if status < 500 else "SYSTEM_ERROR",
            message=redact(message),
            timestamp=clock.local(clock.now()).isoformat(timespec="seconds"),
            path=redact(path),
        )
        return cls(request_id=request_id, error=error)


class Health(BaseModel):
    status: Literal["ok", "degraded"]
    version: str
    model: dict[str, Any]
    index: dict[str, Any]
    messages_buffered: int | None
    problems: list[str]

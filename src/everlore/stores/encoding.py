"""How messages are written down and recognised again: the same in every buffer, so that they can move. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from everlore.stores.buffer import Kept
from everlore.types import Json, Message, Scope


def session_of(scope: Scope, session_id: str) -> tuple[str, str, str]:
    return scope.app, scope.project, session_id


def accepted(messages: Sequence[Message]) -> list[Kept]:
    """New messages as a buffer keeps them: in no cell yet."""
    return [Kept(digest, message) for message, digest in zip(messages, digests(messages), strict=True)]


def digests(messages: Sequence[Message]) -> list[bytes]:
    """What makes a message the same as one sent before. Two equal messages in one batch are meant twice."""
    occurrences: Counter[str] = Counter()
    found: list[bytes] = []
    for message in messages:
        said = [
            *session_of(message.scope, message.session_id),
            message.sender_id,
            message.timestamp,
            message.role,
            _given(message.content),
            message.tool_calls,
            message.tool_call_id,
        ]
        text = canonical(said)
        occurrences[text] += 1
        found.append(sha256(f"{occurrences[text]} {text}".encode()).digest())
    return found


def _given(content: str | Sequence[Mapping[str, Json]]) -> Json:
    """Some clients leave out what a content item has not, others, or the same ones later, write null."""
    if isinstance(content, str):
        return content
    return [{name: value for name, value in item.items() if value is not None} for item in content]


def body(message: Message) -> str:
    marked = {"project": message.project} if message.project else {}
    return canonical(
        marked
        | {
            "sender_id": message.sender_id,
            "sender_name": message.sender_name,
            "role": message.role,
            "timestamp": message.timestamp,
            "content": message.content,
            "text": message.text,
            "tool_calls": message.tool_calls,
            "tool_call_id": message.tool_call_id,
        }
    )


def from_body(app: str, project: str, session: str, message: str, body: str) -> Message:
    return Message(id=message, scope=Scope(app, project), session_id=session, **json.loads(body))


def canonical(said: Any) -> str:
    """Canonical, and plain ASCII: half a surrogate pair from a client's JSON must not stop us."""
    return json.dumps(said, sort_keys=True, separators=(",", ":"), default=_plain)


def _plain(said: Any) -> Any:
    """Tuples and mappings of other makes read as lists and objects."""
    return dict(said) if hasattr(said, "keys") else list(said)

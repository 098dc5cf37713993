"""Conversations as values, and what is done to all of them: hosts' own words, secrets, and what memory itself said are
taken out.

A turn that an agent has saved by a tool of ours is left out, too: it is in memory, under the session of that tool.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from everlore.masking import mask_secrets
from everlore.transcripts.text import json_object, trim
from everlore.types import Json

LONGEST_TEXT: Final = 8000
LONGEST_TOOL_TEXT: Final = 2000
LONGEST_NAME: Final = 100
_NOISE: Final = tuple((f"<{tag}>", f"</{tag}>") for tag in ("system-reminder", "hook_context"))
"""What a host adds begins and ends with these; a begin without its end begins nothing."""
_MACHINE: Final = (
    "<command-",
    "<local-command",
    "<environment_context>",
    "<session_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "# AGENTS.md instructions",
    "Caveat: The messages below",
    "This is the Gemini CLI.",
)
"""What hosts put into the user's mouth."""
_OURS: Final = re.compile(r"(?:^|[_./-])mem_(context|search|save_turn|save_fact)$")


@dataclass(frozen=True)
class Turn:
    """One message. `calls` are tool calls as (id, name, arguments)."""

    role: str
    at: int
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    answers: str = ""
    """The id of the tool call that this is the result of."""


@dataclass(frozen=True)
class Conversation:
    platform: str
    id: str
    turns: tuple[Turn, ...]
    folder: str = ""
    """In which it was held; it tells the project."""

    @property
    def session(self) -> str:
        """The server's session: the same for an import and for a hook, so nothing comes in twice."""
        plain = f"{self.platform}-{self.id}"
        if len(plain) <= LONGEST_NAME and plain.isprintable() and "/" not in plain and "\\" not in plain:
            return plain
        return f"{self.platform}-{hashlib.sha256(self.id.encode('utf-8', 'replace')).hexdigest()[:32]}"


def tidy(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """As they may be remembered."""
    found = list(turns)
    ours = {name for turn in found for name, tool, _ in turn.calls if _OURS.search(tool)}
    saved = {text for turn in found for _, tool, said in turn.calls if _OURS.search(tool) for text in _saved(said)}
    kept: list[Turn] = []
    for turn in found:
        calls = tuple((name, tool, _short(said)) for name, tool, said in turn.calls if name not in ours)
        if turn.role == "tool":
            if turn.answers not in ours:
                kept.append(replace(turn, text=_short(turn.text)))
            continue
        text = _clean(turn.text)
        if calls or (text and _plain(text) not in saved):
            kept.append(replace(turn, text=text, calls=calls))
    return tuple(kept)


def _saved(arguments: str) -> set[str]:
    """The texts of a call that saves."""
    given = json_object(arguments) or {}
    messages = given.get("messages") if isinstance(given.get("messages"), list) else []
    texts = [given.get("fact"), given.get("text"), given.get("content")]
    texts += [
        value for one in messages or [] if isinstance(one, dict) for value in (one.get("content"), one.get("text"))
    ]
    return {_plain(text) for text in map(joined, texts) if text}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _clean(text: str) -> str:
    for begin, end in _NOISE:
        *ended, rest = text.split(end)
        text = "".join(part.partition(begin)[0] if begin in part else part + end for part in ended) + rest
    text = text.strip()
    return "" if text.startswith(_MACHINE) else trim(mask_secrets(text), LONGEST_TEXT)


def _short(text: str) -> str:
    return trim(mask_secrets(text.strip()), LONGEST_TOOL_TEXT)


def joined(content: Json) -> str:
    """The text of a content, whichever of the common forms it has."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return str(content.get("text") or "")
    parts = [joined(part) for part in content] if isinstance(content, list) else []
    return "\n".join(part for part in parts if part)


def moment(value: Json, last: int) -> int:
    """Milliseconds; without a time of its own, a message follows the one before it."""
    if isinstance(value, int | float) and value > 0:
        return int(value if value >= 10**12 else value * 1000)
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return last + 1
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)
    return last + 1


def message(turn: Turn, user: str, platform: str) -> dict[str, Json]:
    """A turn as the memory API takes it."""
    sender = user if turn.role == "user" else platform
    sent: dict[str, Json] = {"sender_id": sender, "role": turn.role, "timestamp": max(turn.at, 1), "content": turn.text}
    if turn.calls:
        sent["tool_calls"] = [
            {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}
            for name, tool, arguments in turn.calls
        ]
    if turn.role == "tool":
        sent["tool_call_id"] = turn.answers
    return sent


def digests_of(messages: Sequence[Mapping[str, Json]]) -> list[bytes]:
    """One for each message; the second of two equal ones differs, as it does for the server."""
    seen: dict[bytes, int] = {}
    found: list[bytes] = []
    for one in messages:
        plain = hashlib.sha256(json.dumps(one, sort_keys=True).encode()).digest()
        seen[plain] = seen.get(plain, 0) + 1
        found.append(plain if seen[plain] == 1 else hashlib.sha256(plain + bytes([seen[plain] % 256])).digest())
    return found

"""What a model passes to the tools, made into the gateway's form: completed, and within its limits. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from everlore.clock import guessed_ms
from everlore.errors import InvalidInput
from everlore.types import Json

SESSION_MOST = 128
MESSAGES_MOST = 500
QUERY_MOST = 1024
CONTENT_MOST = 8000
TOP_K, TOP_K_MOST = 5, 50
HEAD_SHARE = 0.7
"""Of a text that is too long the beginning and the end are kept: results and reasons stand at the end."""


def turns(
    given: Sequence[Mapping[str, Json]] | None, role: str | None, single: Mapping[str, Json], now: int
) -> list[dict[str, Json]]:
    """For mem_save_turn: messages, or the single message of the older form."""
    parts = {name: part for name, part in single.items() if part is not None}
    if not given and not parts:
        raise InvalidInput("mem_save_turn requires a non-empty `messages` array, or `role` and `text`")
    return _converted(given or [{"role": role or "user", **parts}], now)


def statements(given: Sequence[Mapping[str, Json]] | None, fact: str | None, now: int) -> list[dict[str, Json]]:
    """For mem_save_fact: messages of people and assistants, one fact, or both."""
    if any(message.get("toolCalls") or message.get("toolCallId") for message in given or ()):
        raise InvalidInput("mem_save_fact accepts no tool calls; for turns with tools use mem_save_turn")
    stated = [{"role": "user", "content": fact}] if fact and fact.strip() else []
    if not given and not stated:
        raise InvalidInput("mem_save_fact requires either `fact` or a non-empty `messages` array")
    converted = _converted([*(given or ()), *stated], now)
    if not any(message["role"] == "user" for message in converted):
        raise InvalidInput("mem_save_fact needs something that the user said")
    return converted


def session(given: str | None) -> str:
    key = (given or "").strip() or "default"
    if len(key) > SESSION_MOST:
        raise InvalidInput(f"sessionKey must have at most {SESSION_MOST} characters")
    return key


def wanted(top_k: object, default: int) -> int:
    """How many results: a whole positive number as it is, up to the most; anything else is the default."""
    number = int(top_k) if isinstance(top_k, str) and top_k.strip().isdecimal() else top_k
    if isinstance(number, bool) or not isinstance(number, int | float) or number <= 0 or number % 1:
        return default
    return int(min(number, TOP_K_MOST))


def trim(text: str, most: int = CONTENT_MOST) -> str:
    """At most so many characters: 70 % from the beginning, 30 % from the end, and between them how many are missing."""
    if len(text) <= most:
        return text
    room = most - len(_missing(len(text)))
    if room < 1:
        return text[:most]
    head = int(room * HEAD_SHARE)
    return text[:head] + _missing(len(text) - room) + text[len(text) - room + head :]


def _missing(count: int) -> str:
    return f"\n[... {count} characters left out ...]\n"


def _converted(given: Sequence[Mapping[str, Json]], now: int) -> list[dict[str, Json]]:
    if len(given) > MESSAGES_MOST:
        raise InvalidInput(f"at most {MESSAGES_MOST} messages may be saved at once")
    converted = [message for at, one in enumerate(given) if (message := _message(f"messages[{at}]", one, now + at))]
    if not converted:
        raise InvalidInput("nothing to save: every message is empty")
    return converted


def _message(place: str, given: Mapping[str, Json], now: int) -> dict[str, Json] | None:
    """None for a message that says nothing."""
    role, moment = given.get("role") or "user", given.get("timestamp", now)
    if moment <= 0:
        raise InvalidInput(f"{place}.timestamp must be Unix milliseconds")
    message: dict[str, Json] = {"role": role, "timestamp": guessed_ms(moment)}
    content = _text(place, given["content"] if given.get("content") is not None else given.get("text"))
    if role == "tool":
        call = given.get("toolCallId") or given.get("tool_call_id")
        if not call:
            raise InvalidInput(f"{place}.toolCallId is required for role tool")
        return message | {"toolCallId": str(call), "content": content}
    said: dict[str, Json] = {"content": content} if content.strip() else {}
    if role == "assistant" and given.get("toolCalls"):
        said["toolCalls"] = [_call(call) for call in given["toolCalls"]]
    return message | said if said else None


def _text(place: str, content: Json) -> str:
    if content is None or isinstance(content, str):
        return trim(content or "")
    if not isinstance(content, list):
        raise InvalidInput(f"{place}.content must be text or a list of content items")
    parts = []
    for part in content:
        item = part if isinstance(part, Mapping) else {"type": type(part).__name__, "text": part}
        if not isinstance(item.get("text"), str):
            raise InvalidInput(f"{place}.content has an item without text ({item.get('type')}); describe it in words")
        parts.append(item["text"])
    return trim("\n".join(parts))


def _call(call: Mapping[str, Json]) -> dict[str, Json]:
    given = call.get("arguments", "{}")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return {"id": call["id"], "type": "function", "name": call["name"], "arguments": arguments}

"""What the Memory Server tools are sent, checked in the contract's words. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic_core import from_json

from everlore.errors import InvalidInput
from everlore.surfaces.mcp.records.environment import Environment
from everlore.types import Json

LONGEST_QUERY = 1000
LONGEST_NAME = 1000
TAG = re.compile(r"[a-z0-9:_-]{1,100}")

Arguments = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class NewRecord:
    type: str
    content: Json
    source: str
    tags: tuple[str, ...]
    confidence: float


def new_record(arguments: Arguments, environment: Environment) -> NewRecord:
    return NewRecord(
        type=_name(arguments, "type"),
        content=_content(arguments.get("content"), environment.max_content),
        source=_name(arguments, "source"),
        tags=tags(arguments.get("tags"), environment.max_tags),
        confidence=_confidence(arguments.get("confidence")),
    )


def query(arguments: Arguments) -> str:
    text = arguments.get("query")
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("query is required and must be a non-empty string")
    if len(text) > LONGEST_QUERY:
        raise InvalidInput(f"query length cannot exceed {LONGEST_QUERY} characters")
    return text.strip()


def wanted_type(arguments: Arguments) -> str | None:
    value = arguments.get("type")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InvalidInput("type must be a string")
    return value.strip() or None


def tags(value: Json, most: int) -> tuple[str, ...]:
    value = _unwrapped(value, list)
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InvalidInput("tags must be an array")
    if len(value) > most:
        raise InvalidInput(f"tags array cannot have more than {most} items")
    found = []
    for one in value:
        tag = one.strip().lower() if isinstance(one, str) else ""
        if not TAG.fullmatch(tag):
            raise InvalidInput(f"invalid tag: {json.dumps(one)[:120]}; tags match ^[a-z0-9:_-]{{1,100}}$")
        found.append(tag)
    return tuple(dict.fromkeys(found))


def limit(value: Json, default: int, most: int) -> int:
    """More than the maximum is the maximum."""
    if value is None:
        return default
    number = _number(value)
    if number is None or number < 1:
        raise InvalidInput("limit must be a positive number")
    return min(most, int(min(number, most)))


def _name(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name} is required and must be a non-empty string")
    if len(value.strip()) > LONGEST_NAME:
        raise InvalidInput(f"{name} is too long (max {LONGEST_NAME} characters)")
    return value.strip()


def _content(value: Json, most: int) -> Json:
    if value is None:
        raise InvalidInput("content is required")
    if isinstance(value, str) and not value.strip():
        raise InvalidInput("content is required and must not be empty")
    value = _unwrapped(value, dict)
    try:
        length = len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    except ValueError:
        raise InvalidInput("content must be JSON: NaN and Infinity are not") from None
    if length > most:
        raise InvalidInput(f"content is too large (max {most} characters)")
    return value


def _unwrapped(value: Json, kind: type) -> Json:
    """Clients send lists and objects as JSON text, too: the same thing must not become two."""
    if isinstance(value, str):
        try:
            parsed = from_json(value, allow_inf_nan=False)
        except ValueError:
            return value
        return parsed if isinstance(parsed, kind) else value
    return value


def _confidence(value: Json) -> float:
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        raise InvalidInput("confidence is required and must be a number between 0 and 1")
    return number


def _number(value: Json) -> float | None:
    """Clients send numbers as text, too."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None

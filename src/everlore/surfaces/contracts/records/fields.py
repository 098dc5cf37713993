"""What the Memory Server tools take: types whose readers speak in the contract's words."""

from __future__ import annotations

import json
import math
import re
from typing import Annotated

from pydantic_core import from_json

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.records.environment import ENVIRONMENT
from everlore.surfaces.contracts.signature import Read
from everlore.types import Json

LONGEST_QUERY = 1000
LONGEST_NAME = 1000
MOST_LISTED = 1000
TAG = re.compile(r"[a-z0-9:_-]{1,100}")
TAG_FORM = "Letters, digits, colon, _ and -; lower case, at most 100 characters each."


def query(value: Json, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name} is required and must be a non-empty string")
    if len(value) > LONGEST_QUERY:
        raise InvalidInput(f"{name} length cannot exceed {LONGEST_QUERY} characters")
    return value.strip()


def wanted_type(value: Json, name: str) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string")
    return value.strip() or None


def tags(value: Json, name: str = "tags") -> tuple[str, ...]:
    value = _unwrapped(value, list)
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InvalidInput(f"{name} must be an array")
    if len(value) > ENVIRONMENT.max_tags:
        raise InvalidInput(f"{name} array cannot have more than {ENVIRONMENT.max_tags} items")
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


def name_of(value: Json, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name} is required and must be a non-empty string")
    if len(value.strip()) > LONGEST_NAME:
        raise InvalidInput(f"{name} is too long (max {LONGEST_NAME} characters)")
    return value.strip()


def content(value: Json, name: str) -> Json:
    if value is None:
        raise InvalidInput(f"{name} is required")
    if isinstance(value, str) and not value.strip():
        raise InvalidInput(f"{name} is required and must not be empty")
    value = _unwrapped(value, dict)
    try:
        length = len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    except ValueError:
        raise InvalidInput(f"{name} must be JSON: NaN and Infinity are not") from None
    if length > ENVIRONMENT.max_content:
        raise InvalidInput(f"{name} is too large (max {ENVIRONMENT.max_content} characters)")
    return value


def confidence(value: Json, name: str) -> float:
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        raise InvalidInput(f"{name} is required and must be a number between 0 and 1")
    return number


def _unwrapped(value: Json, kind: type) -> Json:
    """Clients send lists and objects as JSON text, too: the same thing must not become two."""
    if isinstance(value, str):
        try:
            parsed = from_json(value, allow_inf_nan=False)
        except ValueError:
            return value
        return parsed if isinstance(parsed, kind) else value
    return value


def _number(value: Json) -> float | None:
    """Clients send numbers as text, too."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


Name = Annotated[str, Read(name_of)]
Body = Annotated[dict[str, Json], Read(content)]
Confidence = Annotated[float, "0 to 1", {"minimum": 0, "maximum": 1}, Read(confidence)]
Query = Annotated[str, "A short, specific question", {"minLength": 1, "maxLength": LONGEST_QUERY}, Read(query)]
Type = Annotated[str | None, "Only this type", Read(wanted_type)]
Tags = Annotated[tuple[str, ...], {"maxItems": ENVIRONMENT.max_tags}, Read(tags)]
WantedTags = Annotated[Tags, f"Tags such as project:alpha, all of which must be present. {TAG_FORM}"]

"""What the Memory Server tools take: types whose readers speak in the contract's words."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Annotated

from pydantic_core import from_json

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.records.environment import ENVIRONMENT
from everlore.surfaces.contracts.signature import Read
from everlore.types import Json

LONGEST = 1000
MOST_LISTED = 1000
TAG = re.compile(r"[a-z0-9:_-]{1,100}")
TAG_FORM = "Letters, digits, colon, _ and -; lower case, at most 100 characters each."


def text(value: Json, name: str, too_long: str = f"is too long (max {LONGEST} characters)") -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name} is required and must be a non-empty string")
    if len(value.strip()) > LONGEST:
        raise InvalidInput(f"{name} {too_long}")
    return value.strip()


def query(value: Json, name: str) -> str:
    return text(value, name, f"length cannot exceed {LONGEST} characters")


def tags(value: Json, name: str) -> tuple[str, ...]:
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
    number = _number(default if value is None else value)
    if not number >= 1:
        raise InvalidInput("limit must be a positive number")
    return int(min(number, most))


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
    if not 0 <= number <= 1:
        raise InvalidInput(f"{name} is required and must be a number between 0 and 1")
    return number


def _unwrapped(value: Json, kind: type) -> Json:
    """Clients send lists and objects as JSON text, too: the same thing must not become two."""
    if isinstance(value, str):
        with suppress(ValueError):
            parsed = from_json(value, allow_inf_nan=False)
            return parsed if isinstance(parsed, kind) else value
    return value


def _number(value: Json) -> float:
    """Clients send numbers as text, too. What is none is not a number either in Python's sense."""
    with suppress(TypeError, ValueError, OverflowError):
        return math.nan if isinstance(value, bool) else float(value)
    return math.nan


Name = Annotated[str, Read(text)]
Body = Annotated[dict[str, Json], Read(content)]
Confidence = Annotated[float, "0 to 1", {"minimum": 0, "maximum": 1}, Read(confidence)]
Query = Annotated[str, "A short, specific question", {"minLength": 1, "maxLength": LONGEST}, Read(query)]
Type = Annotated[str | None, "Only this type"]
Tags = Annotated[tuple[str, ...], {"maxItems": ENVIRONMENT.max_tags}, Read(tags)]
WantedTags = Annotated[Tags, f"Tags such as project:alpha, all of which must be present. {TAG_FORM}"]
_Limit = Annotated[int, f"Default {ENVIRONMENT.default_limit}, at most {ENVIRONMENT.max_limit}", {"type": "number"}]
Limit = Annotated[_Limit, Read(lambda value, _: limit(value, ENVIRONMENT.default_limit, ENVIRONMENT.max_limit))]
_Most = Annotated[int | None, f"At most {MOST_LISTED}", {"type": "number"}]
Most = Annotated[_Most, Read(lambda value, _: limit(value, MOST_LISTED, MOST_LISTED))]

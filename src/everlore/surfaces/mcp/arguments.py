"""A tool's arguments against its input schema: what can be read without loss is accepted, the rest is explained.

Models write numbers as strings and objects as JSON text, and send null for what they leave out. Arguments that the
schema does not name are passed over, unless it says `additionalProperties: false`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from everlore.errors import InvalidInput
from everlore.types import Json

SHOWN = 60
WHOLE = re.compile(r"\s*([+-]?\d{1,18})(?:\.0+)?\s*")
DECIMAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*")

Schema = Mapping[str, Json]
Check = Callable[[Mapping[str, Json]], dict[str, Json]]


def checker(schema: Schema, lenient: Collection[str] = ()) -> Check:
    """A function that completes and checks arguments; raises `InvalidInput` with the first thing that is wrong.

    Arguments that are `lenient` are passed on as they are, also when they are missing.
    """
    schema = _without(schema, lenient)
    validator = Draft202012Validator(_standard(schema))

    def check(arguments: Mapping[str, Json]) -> dict[str, Json]:
        complete = _read(schema, dict(arguments))
        problem = best_match(validator.iter_errors(complete))
        if problem is not None:
            raise InvalidInput(_sentence(problem))
        assert isinstance(complete, dict)
        return complete

    return check


def _without(schema: Schema, lenient: Collection[str]) -> Schema:
    """The schema with nothing said of these arguments but that they may be there."""
    properties = {name: {} if name in lenient else part for name, part in schema.get("properties", {}).items()}
    required = [name for name in schema.get("required", ()) if name not in lenient]
    return {**schema, "properties": properties, "required": required} if lenient else schema


def _standard(schema: Json) -> Json:
    """`nullable`, which is OpenAPI's word and not JSON Schema's, in the words that the validator knows."""
    if isinstance(schema, list | tuple):
        return [_standard(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {name: _standard(part) for name, part in schema.items() if name not in ("default", "enum", "const")}
    plain |= {name: schema[name] for name in ("enum", "const") if name in schema}
    if schema.get("nullable") is True and isinstance(schema.get("type"), str):
        plain["type"] = [schema["type"], "null"]
        if "enum" in schema:
            plain["enum"] = [*schema["enum"], None]
    return plain


def _types(schema: Schema) -> tuple[str, ...]:
    named = schema.get("type", ())
    types = (named,) if isinstance(named, str) else tuple(named)
    return (*types, "null") if schema.get("nullable") is True else types


def _read(schema: Json, value: Json) -> Json:
    if not isinstance(schema, Mapping):
        return value
    value = _as_type(_types(schema), value)
    if isinstance(value, dict):
        return _read_object(schema, value)
    if isinstance(value, list) and "items" in schema:
        return [_read(schema["items"], item) for item in value]
    return value


def _read_object(schema: Schema, value: dict[str, Json]) -> dict[str, Json]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    result: dict[str, Json] = {}
    for name, part in value.items():
        inner = properties.get(name)
        if part is None and isinstance(inner, Mapping) and name not in required:
            left_out = "default" in inner or (_types(inner) and "null" not in _types(inner))
            if left_out:
                continue
        result[name] = _read(inner, part)
    for name, inner in properties.items():
        if name not in result and isinstance(inner, Mapping) and inner.get("default") is not None:
            result[name] = json.loads(json.dumps(inner["default"]))  # a copy: the tool may change it
    return result


def _as_type(types: tuple[str, ...], value: Json) -> Json:
    """The value in one of the types, where that loses nothing; else as it is."""
    if isinstance(value, float) and "integer" in types and "number" not in types and value.is_integer():
        return int(value)
    if not isinstance(value, str) or not types or "string" in types:
        return value
    if "integer" in types and (whole := WHOLE.fullmatch(value)):
        return int(whole[1])
    if "number" in types and DECIMAL.fullmatch(value):
        return float(value)
    if "boolean" in types and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    for name, kind in (("object", dict), ("array", list)):
        if name in types:
            try:
                parsed = json.loads(value)
            except ValueError:
                continue
            if isinstance(parsed, kind):
                return parsed
    return value


def _sentence(problem: ValidationError) -> str:
    """Which argument, what is wrong with it, and what is allowed."""
    name = _path(problem)
    limit: Any = problem.validator_value
    shown = _shown(problem.instance)
    match problem.validator:
        case "required":
            missing = next(iter(part for part in limit if part not in problem.instance), "")
            inner = problem.schema.get("properties", {}).get(missing, {})
            kind = f" ({' or '.join(_types(inner))})" if _types(inner) else ""
            return f"{_join(name, missing)} is required{kind}"
        case "type":
            allowed = [part for part in ([limit] if isinstance(limit, str) else limit) if part != "null"]
            return f"{name or 'arguments'} must be {' or '.join(_article(part) for part in allowed)}, not {shown}"
        case "enum":
            words = ", ".join(str(part) for part in limit if part is not None)
            return f"{name} must be one of: {words}; not {shown}"
        case "minimum":
            return f"{name} must be at least {limit}, not {shown}"
        case "maximum":
            return f"{name} must be at most {limit}, not {shown}"
        case "exclusiveMinimum":
            return f"{name} must be more than {limit}, not {shown}"
        case "exclusiveMaximum":
            return f"{name} must be less than {limit}, not {shown}"
        case "minLength":
            return f"{name} must not be empty" if limit == 1 else f"{name} must have at least {limit} characters"
        case "maxLength":
            return f"{name} must have at most {limit} characters, not {len(problem.instance)}"
        case "minItems":
            return f"{name} must have at least {limit} items, not {len(problem.instance)}"
        case "maxItems":
            return f"{name} must have at most {limit} items, not {len(problem.instance)}"
        case "pattern":
            return f"{name} must match {limit}; {shown} does not"
        case "additionalProperties":
            known = problem.schema.get("properties", {})
            extra = ", ".join(sorted(part for part in problem.instance if part not in known))
            return f"unknown argument: {_join(name, extra)}; known are: {', '.join(known)}"
        case _:
            return f"{name or 'arguments'} is not as the tool's schema says: {shown}"


def _path(problem: ValidationError) -> str:
    path = ""
    for part in problem.absolute_path:
        path = f"{path}[{part}]" if isinstance(part, int) else _join(path, str(part))
    return path


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

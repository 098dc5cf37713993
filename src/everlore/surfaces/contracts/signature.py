"""A tool's JSON schema, and how its arguments are read, both from the signature of its function.

    def list_memories(ask: Caller, limit: Annotated[int, "Most results", {"minimum": 1}] = 20) -> dict[str, Json]: ...

Inside `Annotated`, a text is the description and stands before the type; a dictionary holds further keywords, which
stand behind it; `Read` replaces the reading. What has a default may be left out. `id_` is the argument `id`: names that
Python has taken end with an underscore.

Models write numbers as strings and objects as JSON text, and send null for what they leave out: what can be read
without loss is accepted, the rest is explained, and so are arguments that the tool does not have.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from pydantic_core import from_json

from everlore.errors import InvalidInput
from everlore.types import Json

SHOWN = 60
EMPTY = inspect.Parameter.empty
NAMES: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
TYPES: Mapping[str, Any] = {
    **{name: one for one, name in NAMES.items()},
    "number": int | float,
    "object": dict,
    "array": list,
}
INSIDE = ("items", "maxItems", "properties", "required")
"""Keywords that stand last."""

Schema = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Read:
    """Reads an argument in place of us: gets what was sent, None when nothing was, and the argument's name."""

    read: Callable[[Json, str], Any]


Parameters = dict[str, inspect.Parameter]


def parameters(function: Callable[..., Any]) -> Parameters:
    """Of a tool's function, by the names of arguments; its first one, who is asking, is none of them."""
    _, *rest = inspect.signature(function, eval_str=True).parameters.values()
    return {one.name.rstrip("_"): one for one in rest}


def input_schema(of: Parameters) -> Schema:
    return _object(
        {name: _argument(one) for name, one in of.items()}, [name for name in of if of[name].default is EMPTY]
    )


def _argument(one: inspect.Parameter) -> Schema:
    schema = schema_of(one.annotation)
    if one.default is None and "type" in schema:
        schema["type"] = _one_or_many([name for name in _types(schema) if name != "null"])
    elif one.default not in (EMPTY, None, ()):
        schema["default"] = one.default
    return schema


def output_schema(function: Callable[..., Any]) -> Schema | None:
    """None unless the function returns a `TypedDict`."""
    returned = inspect.signature(function, eval_str=True).return_annotation
    return schema_of(returned) if is_typeddict(returned) else None


def schema_of(annotation: Any) -> Schema:
    annotation, metadata = _apart(annotation)
    texts = [part for part in metadata if isinstance(part, str)]
    schema: Schema = ({"description": texts[-1]} if texts else {}) | _bare(annotation)
    for keywords in (part for part in metadata if isinstance(part, dict)):
        schema |= keywords
    return schema | {name: schema.pop(name) for name in INSIDE if name in schema}


def _apart(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    parts = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    return parts[0], parts[1:]


def _bare(annotation: Any) -> Schema:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        parts = [_bare(part) for part in arguments]
        merged = {name: value for part in parts for name, value in part.items()}
        return merged | {"type": _one_or_many([name for part in parts for name in _types(part)])}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (list, tuple):
        return {"type": "array", "items": schema_of(arguments[0])}
    if is_typeddict(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        needed = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
        fields = {name: schema_of(hint if name in needed else get_args(hint)[0]) for name, hint in hints.items()}
        return _object(fields, needed)
    if origin in (dict, Mapping):
        return {"type": "object"}
    return {} if annotation is Any else {"type": NAMES[annotation]}


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _one_or_many(names: list[str]) -> Json:
    return names[0] if len(names) == 1 else names


def _types(schema: Schema) -> list[str]:
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else named


def read_arguments(of: Parameters, schema: Mapping[str, Json], given: Mapping[str, Json]) -> dict[str, Any]:
    """The arguments by their names in Python; raises `InvalidInput` with the first thing that is wrong."""
    if unknown := sorted(given.keys() - of.keys()):
        raise InvalidInput(f"unknown argument: {', '.join(unknown)}; known are: {', '.join(of) or 'none'}")
    read: dict[str, Any] = {}
    for name, one in of.items():
        shape, own = schema["properties"][name], [part for part in _apart(one.annotation)[1] if isinstance(part, Read)]
        if own:
            read[one.name] = own[0].read(given.get(name), name)
        elif one.default is EMPTY or given.get(name) is not None:
            read[one.name] = read_value(shape, _sent(given, name, name, shape), name)
    return read


def _sent(given: Mapping[str, Json], name: str, path: str, schema: Schema) -> Json:
    if name not in given:
        raise InvalidInput(f"{path} is required" + (f" ({' or '.join(_types(schema))})" if _types(schema) else ""))
    return given[name]


def read_value(schema: Schema, value: Json, path: str) -> Json:
    types = _types(schema)
    value = _as_type(types, value)
    if types and not any(
        isinstance(value, TYPES[one]) and (type(value) is not bool or one == "boolean") for one in types
    ):
        allowed = " or ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in types)
        raise InvalidInput(f"{path} must be {allowed}, not {_shown(value)}")
    if problem := _problem(schema, value):
        raise InvalidInput(f"{path} must {problem}")
    if isinstance(value, dict) and "properties" in schema:
        return _read_object(schema, value, path)
    if isinstance(value, list) and "items" in schema:
        return [read_value(schema["items"], item, f"{path}[{at}]") for at, item in enumerate(value)]
    return value


def _read_object(schema: Schema, value: dict[str, Json], path: str) -> dict[str, Json]:
    """Fields that the schema does not name are kept as they are."""
    properties, required = schema["properties"], schema.get("required", [])
    for name in required:
        _sent(value, name, f"{path}.{name}", properties[name])
    return {
        name: read_value(properties.get(name, {}), part, f"{path}.{name}")
        for name, part in value.items()
        if part is not None or name in required or not _types(properties.get(name, {}))
    }


def _problem(schema: Schema, value: Json) -> str:
    if isinstance(value, str | list):
        most = schema.get("maxLength", schema.get("maxItems"))
        if len(value) < schema.get("minLength", 0):
            return "not be empty"
        if most is not None and len(value) > most:
            return f"have at most {most} {'characters' if isinstance(value, str) else 'items'}, not {len(value)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"be one of: {', '.join(schema['enum'])}; not {_shown(value)}"
    if "minimum" in schema and value < schema["minimum"]:
        return f"be at least {schema['minimum']}, not {_shown(value)}"
    if "maximum" in schema and value > schema["maximum"]:
        return f"be at most {schema['maximum']}, not {_shown(value)}"
    return ""


def _as_type(types: list[str], value: Json) -> Json:
    """JSON in a text, where no text is wanted, and whole numbers with a point; else the value as it is."""
    if isinstance(value, str) and types and "string" not in types:
        try:
            value = from_json(value.lower() if types == ["boolean"] else value, allow_inf_nan=False)
        except ValueError:
            return value
    if isinstance(value, float) and value.is_integer() and "integer" in types and "number" not in types:
        return int(value)
    return value


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def limited(limit: float, most: int) -> int:
    """More than the maximum is the maximum."""
    if limit < 1:
        raise InvalidInput(f"limit must be between 1 and {most}")
    return int(min(limit, most))

"""The filter language of requests, compiled to `Filter` values. Pure.

A node is an object. Its keys are `AND` and `OR` (arrays of nodes) and the names of filterable fields; everything
at one level must hold. A field's value is a scalar (equality) or a map of operators, all of which must hold.
Null or empty `AND` and `OR` say nothing. Depth and number of predicates are bounded, so that no request can make
an index build an absurd query.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, get_args

from everlore.clock import Clock
from everlore.errors import InvalidInput
from everlore.types import AllOf, AnyOf, Filter, FilterField, FilterOp, Json, Message, Predicate

MAX_DEPTH: Final = 16
MAX_PREDICATES: Final = 500
MAX_IN_VALUES: Final = 1000
MAX_VALUES: Final = 10_000
"""In all lists together: databases bind only so many values to one query."""

RESERVED: Final = ("owner_id", "owner_type", "app_id", "project_id")
_EQUALITY: Final[tuple[FilterOp, ...]] = ("eq", "ne", "in")
_OPERATORS: Final[Mapping[FilterField, tuple[FilterOp, ...]]] = {
    "session_id": _EQUALITY,
    "parent_type": _EQUALITY,
    "parent_id": _EQUALITY,
    "sender_id": ("eq", "in"),
    "timestamp": ("eq", "ne", "gt", "gte", "lt", "lte"),
}
_COMPARISONS: Final[Mapping[FilterOp, Callable[[Any, Any], bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda known, values: known in values,
}


def compile_filter(node: Json, clock: Clock) -> Filter | None:
    """The filter a request asks for; None when it asks for nothing."""
    if node is None:
        return None
    compiled = _node(node, clock, "filters", 1)
    sizes = [len(one.value) if isinstance(one.value, tuple) else 1 for one in _predicates(compiled)]
    if len(sizes) > MAX_PREDICATES:
        raise InvalidInput(f"filters hold more than {MAX_PREDICATES} predicates; use `in` for long lists")
    if sum(sizes) > MAX_VALUES:
        raise InvalidInput(f"filters hold more than {MAX_VALUES} values in their lists; ask in parts")
    return compiled if compiled.nodes else None


def holds(node: Filter, message: Message) -> bool:
    """Whether a filter, as an index would apply it, lets a message through that is no memory yet."""
    match node:
        case AllOf():
            return all(holds(child, message) for child in node.nodes)
        case AnyOf():
            return any(holds(child, message) for child in node.nodes)
        case Predicate(field, op, value):
            known = {"session_id": message.session_id, "sender_id": message.sender_id, "timestamp": message.timestamp}
            known["project"] = message.project
            return field in known and _COMPARISONS[op](known[field], value)


def in_project(project: str, further: Filter | None) -> Filter:
    """Memories of a project, and those that were told in none."""
    here = Predicate("project", "in", ("", project))
    return here if further is None else AllOf((here, further))


def session_of(node: Json) -> str | None:
    """The session that a filter names outright, at its top and as a plain string."""
    value = node.get("session_id") if isinstance(node, dict) else None
    return value if isinstance(value, str) else None


def _node(node: Json, clock: Clock, place: str, depth: int) -> AllOf:
    if not isinstance(node, dict):
        raise InvalidInput(f"{place} must be an object, not {_kind(node)}")
    if depth > MAX_DEPTH:
        raise InvalidInput(f"filters are nested more than {MAX_DEPTH} levels deep")
    parts: list[Filter] = []
    for name, value in node.items():
        if name in ("AND", "OR"):
            children = _children(value, clock, f"{place}.{name}", depth)
            if children:
                parts.append(AllOf(children) if name == "AND" else AnyOf(children))
        else:
            parts.extend(_field(name, value, clock))
    return AllOf(tuple(parts))


def _children(value: Json, clock: Clock, place: str, depth: int) -> tuple[Filter, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidInput(f"{place} must be an array of objects, not {_kind(value)}")
    return tuple(_node(child, clock, f"{place}.{number}", depth + 1) for number, child in enumerate(value))


def _field(name: str, value: Json, clock: Clock) -> Iterator[Predicate]:
    field = _known(name)
    if not isinstance(value, dict):
        yield _predicate(field, "eq", value, clock)
        return
    if not value:
        raise InvalidInput(f"filter field '{name}' has an empty operator map; give an operator such as eq")
    for op, operand in value.items():
        yield _predicate(field, _operator(field, op), operand, clock)


def _known(name: str) -> FilterField:
    for field in _OPERATORS:
        if field == name:
            return field
    if name in RESERVED:
        raise InvalidInput(f"filter field '{name}' is reserved; set it at the top of the request")
    raise InvalidInput(f"unknown filter field '{_brief(name)}'; allowed: {', '.join(_OPERATORS)}")


def _operator(field: FilterField, name: str) -> FilterOp:
    for op in _OPERATORS[field]:
        if op == name:
            return op
    allowed = ", ".join(_OPERATORS[field])
    if name in get_args(FilterOp):
        raise InvalidInput(f"operator '{name}' does not apply to filter field '{field}'; allowed: {allowed}")
    raise InvalidInput(f"unknown operator '{_brief(name)}' on filter field '{field}'; allowed: {allowed}")


def _predicate(field: FilterField, op: FilterOp, value: Json, clock: Clock) -> Predicate:
    if op == "in":
        return Predicate(field, op, _texts(field, value))
    return Predicate(field, op, _moment(op, value, clock) if field == "timestamp" else _text(field, op, value))


def _text(field: FilterField, op: FilterOp, value: Json) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"filter field '{field}' with '{op}' needs a string, not {_kind(value)}")
    return value


def _texts(field: FilterField, value: Json) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise InvalidInput(
            f"filter field '{field}' with 'in' needs a non-empty list of strings; leave it out to match all"
        )
    if len(value) > MAX_IN_VALUES:
        raise InvalidInput(f"filter field '{field}' with 'in' takes at most {MAX_IN_VALUES} values")
    return tuple(_text(field, "in", item) for item in value)


def _moment(op: FilterOp, value: Json, clock: Clock) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # to JSON 5.0 is 5
    # a bool is an int in Python and must not pass for a time
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidInput(
            f"filter field 'timestamp' with '{op}' needs epoch milliseconds (integer) or an ISO-8601 string, "
            f"not {_kind(value)}"
        )
    try:
        return clock.parse(value)
    except InvalidInput as error:
        quoted = "; epoch milliseconds are a number, without quotes" if isinstance(value, str) else ""
        raise InvalidInput(f"filter field 'timestamp' with '{op}': {_brief(str(error))}{quoted}") from None


def _predicates(node: Filter) -> Iterator[Predicate]:
    if isinstance(node, Predicate):
        yield node
    else:
        for child in node.nodes:
            yield from _predicates(child)


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array"}
    return names.get(type(value), "an object")


def _brief(text: str) -> str:
    """A client's own text in a message, kept short."""
    return text if len(text) <= 200 else text[:200] + "…"

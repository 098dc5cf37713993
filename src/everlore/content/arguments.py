"""What may be asked of a site: the arguments of every tool, checked. Pure, and free of any database library.

A number may come as a string of digits, a list or an object as JSON text, as some clients send them. Anything the
contract does not name is refused, so that a raw query in another field's clothes is never taken for granted. Ranges
are never clamped.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import from_json

from everlore.errors import InvalidInput
from everlore.types import Json

MAX_DEPTH: Final = 6
MAX_OFFSET: Final = 5000
MAX_LISTED: Final = 100
"""Entries of one list in the arguments: filters, names, values."""
LARGEST: Final = 2**31 - 1
COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip

Operator = Literal["=", "!=", ">", ">=", "<", "<=", "in", "not_in", "like", "like-l", "like-r", "null", "!null"]
Scalar = str | int | float | bool

_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?")
_DECIMAL = re.compile(r"DECIMAL\((\d{1,2}),(\d{1,2})\)")
_SWITCHES: Final = {"0": False, "1": True, "false": False, "true": True, 0: False, 1: True}
"""False == 0 and True == 1, so that the numbers are found too."""


def _digits(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a whole number")  # noqa: TRY004 - pydantic turns a ValueError into a reason
    if isinstance(value, float) and value.is_integer():
        return int(value)
    whole = re.fullmatch(r"\s*(-?\d{1,18})(?:\.0+)?\s*", value) if isinstance(value, str) else None
    return int(whole[1]) if whole else value


def _unwrapped(value: Any) -> Any:
    """A list or an object that came as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return from_json(value)
        except ValueError:
            return value
    return value


def _lowered(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _switch(value: Any) -> Any:
    return _SWITCHES.get(_lowered(value), value) if isinstance(value, str | int) else value


Count = Annotated[int, Field(strict=True, ge=0, le=LARGEST), BeforeValidator(_digits)]
Id = Annotated[int, Field(strict=True, ge=1, le=LARGEST), BeforeValidator(_digits)]
Depth = Annotated[int, Field(strict=True, ge=1, le=MAX_DEPTH), BeforeValidator(_digits)]
Offset = Annotated[int, Field(strict=True, ge=0, le=MAX_OFFSET), BeforeValidator(_digits)]
Switch = Annotated[bool, Field(strict=True), BeforeValidator(_switch)]
Unwrapped = BeforeValidator(_unwrapped)
Lowered = BeforeValidator(_lowered)
Way = Annotated[Literal["asc", "desc"], Lowered]
OrderedBy = Literal["id", "pagetitle", "menuindex", "createdon", "pub_date"]
TvName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$", description="Name of a template variable.")]
TvNames = Annotated[
    list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}(:d)?$")]],
    Field(
        max_length=MAX_LISTED,
        description="Template variables to return; `name:d` gives the variable's default where a document has none.",
    ),
]


def _told(description: str, most: int | None = None) -> Any:
    """A field that may be left out."""
    return Field(None, description=description, max_length=most)


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Paging(Arguments):
    limit: Id = Field(description="Most items of this page.")
    offset: Offset | None = Field(0, description="Items to leave out first.")


class WithTvs(Arguments):
    with_tvs: Annotated[TvNames | None, Unwrapped] = None

    @property
    def tvs(self) -> dict[str, bool]:
        """Names in the order given, with whether the default counts. `name` beside `name:d` asks for the default."""
        found: dict[str, bool] = {}
        for entry in self.with_tvs or ():
            name, _, default = entry.partition(":")
            found[name] = found.get(name, False) or bool(default)
        return found


class Condition(Arguments):
    op: Operator
    value: Scalar | list[Scalar] | None = None

    @property
    def texts(self) -> list[str]:
        """What is compared with, as texts: one, or those of `in` and `not_in`, an array or text with commas."""
        if self.op in ("null", "!null"):
            return []
        if isinstance(self.value, list):
            return [spoken(one) for one in self.value]
        whole = spoken(self.value)
        return [one.strip() for one in whole.split(",")] if self.op in ("in", "not_in") else [whole]

    @property
    def also(self) -> list[str]:
        """Other texts that equal what is asked for: 100.0 is 100 to a client, and either may be stored."""
        given = self.value if isinstance(self.value, list) else [self.value]
        return [str(one) for one in given if isinstance(one, float) and one.is_integer()]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        texts = self.texts
        if texts and isinstance(self.value, list) and self.op not in ("in", "not_in"):
            raise ValueError(f"operator {self.op} takes one value, not a list")
        if len(texts) > MAX_LISTED:
            raise ValueError(f"{self.op} takes at most {MAX_LISTED} values")
        if self.op not in ("null", "!null") and not (texts and all(texts)):
            raise ValueError(f"operator {self.op} needs a value")
        if any(len(text) > 1000 or "\x00" in text for text in texts):
            raise ValueError("a value is too long or holds a zero byte")
        return self


def spoken(value: Scalar | None) -> str:
    """A value as the text that a database holds."""
    if value is None:
        return ""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    return value.strip() if isinstance(value, str) else str(value)


def _cast(value: Any) -> Any:
    if isinstance(value, str):
        value = value.replace(" ", "").upper()
        if value == "":
            return None
        found = _DECIMAL.fullmatch(value)
        digits, places = (int(found[1]), int(found[2])) if found else (0, 0)
        if value not in ("UNSIGNED", "SIGNED") and not (1 <= digits <= 65 and places <= min(30, digits)):
            raise ValueError("must be UNSIGNED, SIGNED or DECIMAL(p,s)")
    return value


Cast = Annotated[str | None, BeforeValidator(_cast)]


class TvFilter(Condition):
    tv: TvName
    cast: Cast = _told("Compare as numbers: UNSIGNED, SIGNED or DECIMAL(p,s).")
    use_default: Switch | None = Field(False, description="The variable's default counts where a document has none.")

    @model_validator(mode="after")
    def _numeric(self) -> Self:
        if any(mark in text for text in self.texts for mark in ":;"):
            raise ValueError("a value may not contain ':' or ';'")
        if self.cast and self.texts:
            if self.op not in COMPARISONS:
                raise ValueError(f"a cast goes only with {', '.join(COMPARISONS)}")
            if not _NUMBER.fullmatch(self.texts[0]):
                raise ValueError(f"cast {self.cast} needs a number as value")
        return self


class TvOrder(Arguments):
    tv: TvName
    dir: Way | None = "asc"
    cast: Cast = _told("Order as numbers: UNSIGNED or SIGNED.")
    use_default: Switch | None = False

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.cast and self.cast.startswith("DECIMAL"):
            raise ValueError("DECIMAL is not supported in tv_order; use SIGNED or UNSIGNED")
        return self


class TagsData(Arguments):
    tv_id: Id
    tags: list[str] = Field(min_length=1, max_length=MAX_LISTED, description="A document with any of them matches.")

    @model_validator(mode="after")
    def _plain(self) -> Self:
        for tag in self.tags:
            if not tag.strip() or len(tag) > 255 or any(mark in tag for mark in ":;\x00"):
                raise ValueError("a tag may not be empty, long, or contain ':' or ';'")
        return self


class Search(WithTvs, Paging):
    parent: Count | None = _told("Only documents below this one, at any depth up to `depth`; 0 is the site's root.")
    published: Switch | None = None
    deleted: Switch | None = _told("Default false.")
    template: Count | None = None
    hidemenu: Switch | None = None
    depth: Depth | None = _told("Levels below `parent`; default 6.")
    tv_filters: Annotated[list[TvFilter] | None, Unwrapped] = _told("All of them must hold.", 20)
    tv_order: Annotated[list[TvOrder] | None, Unwrapped] = _told("Comes before `order_by`.", 5)
    tags_data: Annotated[TagsData | None, Unwrapped] = None
    order_by: Annotated[OrderedBy | None, Lowered] = None
    order_dir: Way | None = None
    order_by_date: Way | None = _told("By pub_date, else createdon; in place of `order_by`.")


class Get(WithTvs):
    id: Id


class RootTree(WithTvs, Paging):
    depth: Depth | None = _told("Levels below the root documents; default 1.")


class Node(WithTvs, Paging):
    id: Id


class DeepNode(Node):
    depth: Depth | None = _told("Levels below; default 1.")


class Ancestors(Node):
    depth: Depth | None = _told("The nearest so many; default all.")


class Range(Node):
    from_: Count = Field(alias="from", description="Smallest menuindex.")
    to: Count | None = _told("Largest menuindex.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.to is not None and self.to < self.from_:
            raise ValueError("to must be greater than or equal to from.")
        return self


ModelName = Annotated[str, Field(min_length=1, max_length=200, description="Name of a model, e.g. SiteTemplate.")]


class Where(Condition):
    field: Annotated[str, Field(min_length=1, max_length=64)]


class Filters(Arguments):
    where: Annotated[list[Where] | None, Unwrapped] = _told("All of them must hold.", 20)


class ModelList(Paging):
    model: ModelName
    filters: Annotated[Filters | None, Unwrapped] = None
    order_by: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    order_dir: Way | None = None


class ModelGet(Arguments):
    model: ModelName
    id: Id

    @property
    def listing(self) -> ModelList:
        """The list that has only this one."""
        return ModelList(model=self.model, limit=1, filters=Filters(where=[Where(field="id", op="=", value=self.id)]))


A = TypeVar("A", bound=Arguments)


def check(shape: type[A], given: Json, max_items: int) -> A:
    """The arguments as a value, or a sentence that says which of them is wrong."""
    if not isinstance(given, Mapping):
        raise InvalidInput("arguments must be an object")
    try:
        checked = shape.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            known = ", ".join(field.alias or name for name, field in shape.model_fields.items())
            raise InvalidInput(f"unknown argument: {place}; known are: {known}") from None
        reason = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(f"{place}: {reason}" if place else reason) from None
    if isinstance(checked, Paging) and checked.limit > max_items:
        raise InvalidInput(f"limit: must be between 1 and {max_items}")
    return checked


def schema(shape: type[Arguments], max_items: int) -> dict[str, Json]:
    """The JSON Schema that clients see, without pydantic's titles."""
    made: dict[str, Json] = _untitled(shape.model_json_schema(by_alias=True))
    if "limit" in made["properties"]:
        made["properties"]["limit"]["maximum"] = max_items
    return made


def _untitled(value: Json) -> Json:
    if isinstance(value, dict):
        # a property may itself be called "title"; ours are texts
        return {key: _untitled(item) for key, item in value.items() if not (key == "title" and isinstance(item, str))}
    return [_untitled(item) for item in value] if isinstance(value, list) else value

"""The other records of a site that may be read: a list of models, and for each the fields that are public.

What is not listed here does not exist for a caller: not in results, not in filters, not in orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.access import SENSITIVE, Asking
from everlore.content.arguments import ModelList, Where
from everlore.content.variables import compare, hidden
from everlore.errors import InvalidInput, NotFound
from everlore.types import Json

VARIABLE: Final = {"SiteTmplvar": "id", "SiteTmplvarContentvalue": "tmplvarid"}
"""Models that tell of a template variable, and the field with its number."""

CATALOGUE: Final[Mapping[str, tuple[str, str]]] = {
    "SiteTemplate": ("site_templates", "id templatename description editor_type icon category locked"),
    "SiteTmplvar": (
        "site_tmplvars",
        "id name caption description type default_text display elements rank category locked",
    ),
    "SiteTmplvarContentvalue": ("site_tmplvar_contentvalues", "id contentid tmplvarid value"),
    "SiteSnippet": ("site_snippets", "id name description category locked disabled createdon editedon"),
    "SitePlugin": ("site_plugins", "id name description category locked disabled createdon editedon"),
    "SiteModule": ("site_modules", "id name description category disabled createdon editedon"),
    "Category": ("categories", "id category"),
    "User": ("users", "id username isfrontend createdon editedon blocked blockeduntil blockedafter"),
    "UserAttribute": (
        "user_attributes",
        "id internalKey fullname email phone mobilephone blocked blockeduntil blockedafter failedlogincount "
        "logincount lastlogin",
    ),
    "UserRole": ("user_roles", "id name description frames home rank locked"),
    "Permissions": ("permissions", "id name description"),
    "PermissionsGroups": ("permissions_groups", "id name"),
    "RolePermissions": ("role_permissions", "id role_id permission"),
}


@dataclass(frozen=True, slots=True)
class Model:
    """`table` is None when the site has none: it has no such records then."""

    name: str
    table: sa.TableClause | None
    fields: tuple[str, ...]

    def column(self, name: str, place: str) -> sa.ColumnElement[Any]:
        if name not in self.fields:
            raise InvalidInput(f"{place}: {self.name} has no public field {name!r}; it has {', '.join(self.fields)}")
        if self.table is None:
            return sa.null()
        column = self.table.c[name]
        # a flag is compared as 0 and 1, whatever the database keeps
        return sa.cast(column, sa.Integer) if isinstance(column.type, sa.Boolean) else column


def find(ask: Asking, name: str) -> Model:
    """By its name in any case, or by its PHP class."""
    wanted = name.strip().lower().removeprefix("\\").removeprefix("evolutioncms\\models\\")
    for known, (table_name, fields) in CATALOGUE.items():
        if known.lower() == wanted:
            table = ask.site.find(table_name)
            there = table.c if table is not None else fields.split()
            public = tuple(one for one in fields.split() if one in there and one not in SENSITIVE)
            return Model(known, table, public)
    raise NotFound(f"there is no model {name[:100]!r}; there are {', '.join(CATALOGUE)}")


def records(ask: Asking, model: Model, wanted: ModelList) -> list[dict[str, Json]]:
    conditions = [
        _holds(model.column(one.field, f"filters.where.{number}.field"), one, f"filters.where.{number}.value")
        for number, one in enumerate((wanted.filters and wanted.filters.where) or ())
    ]
    by = model.column(wanted.order_by or "id", "order_by")
    if model.table is None:
        return []
    order = (by.desc() if wanted.order_dir == "desc" else by.asc(), model.table.c.id.asc())
    query = sa.select(*(model.table.c[name] for name in model.fields)).where(*conditions, *_seen(ask, model))
    rows = ask.connection.execute(query.order_by(*order).limit(wanted.limit).offset(wanted.offset or 0))
    return [{name: _plain(value) for name, value in row._mapping.items()} for row in rows]


def _seen(ask: Asking, model: Model) -> Iterator[sa.ColumnElement[bool]]:
    """Conditions that hold for what the caller may see."""
    assert model.table is not None
    if model.name in VARIABLE and (unseen := hidden(ask)):
        yield model.table.c[VARIABLE[model.name]].not_in(unseen)
    if model.name == "SiteTmplvarContentvalue" and ask.shown:
        # a value is a part of its document, and is hidden with it; asked for each value of a page, not for all at once
        document = sa.select(sa.literal(1)).where(ask.document.c.id == model.table.c.contentid, *ask.shown).limit(1)
        yield document.correlate(model.table).scalar_subquery() == 1


def _holds(column: sa.ColumnElement[Any], wanted: Where, place: str) -> sa.ColumnElement[bool]:
    if isinstance(column.type, sa.Text):
        return compare(column, wanted)
    if wanted.op.startswith("like"):
        return compare(sa.cast(column, sa.Text), wanted)
    return compare(column, wanted, lambda text: _number(text, place))


def _number(text: str, place: str) -> int | float:
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return float(text)
    raise InvalidInput(f"{place}: the field holds numbers; {text[:50]!r} is none")


def _plain(value: Any) -> Json:
    if isinstance(value, bool | Decimal):
        return int(value) if value == int(value) else float(value)
    return value if isinstance(value, str | int | float | None) else str(value)

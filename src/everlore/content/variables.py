"""Template variables: their values as expressions of a query, compared and cast alike on every database.

MySQL is where Evolution CMS comes from, so its reading of text as a number holds everywhere: the leading digits
count, and text without any is 0. A negative number cast to UNSIGNED is 0.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from everlore.content.access import SENSITIVE
from everlore.content.arguments import COMPARISONS, Condition, TvFilter, TvOrder, spoken
from everlore.content.connect import Site
from everlore.errors import InvalidInput

ESCAPE: Final = "!"
_LEADING_NUMBER: Final = r"^\s*[-+]?\d+(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class Variable:
    id: int
    name: str
    default: str | None


def look_up(site: Site, connection: sa.Connection, names: Iterable[str]) -> dict[str, Variable]:
    """The variables of these names that the site has and that may be shown."""
    wanted = sorted({name for name in names if name.lower() not in SENSITIVE})
    table = site.find("site_tmplvars")
    if not wanted or table is None:
        return {}
    default = table.c.default_text if "default_text" in table.c else sa.null()
    rows = connection.execute(sa.select(table.c.id, table.c.name, default).where(table.c.name.in_(wanted)))
    found: dict[str, Variable] = {}
    # some databases find names of another case too; the oldest of several by one name counts
    for id_, name, text in sorted(rows, key=lambda row: -int(row[0])):
        if name in wanted:
            found[name] = Variable(int(id_), name, text)
    return found


def hidden(site: Site, connection: sa.Connection) -> list[int]:
    """The variables that may not be shown."""
    table = site.find("site_tmplvars")
    if table is None:
        return []
    named = sa.select(table.c.id).where(sa.func.lower(table.c.name).in_(sorted(SENSITIVE)))
    return [int(id_) for (id_,) in connection.execute(named)]


def values(
    site: Site, connection: sa.Connection, documents: Sequence[int], wanted: Mapping[str, bool]
) -> dict[int, dict[str, str | None]]:
    """For each document the values of the variables `wanted`, None where there is none. True asks for the default."""
    known = look_up(site, connection, wanted)
    blank = {
        name: known[name].default if use_default and name in known else None for name, use_default in wanted.items()
    }
    found = {document: dict(blank) for document in documents}
    table = site.find("site_tmplvar_contentvalues")
    if known and documents and table is not None:
        names = {variable.id: variable.name for variable in known.values()}
        rows = connection.execute(
            sa.select(table.c.contentid, table.c.tmplvarid, table.c.value).where(
                table.c.contentid.in_(documents), table.c.tmplvarid.in_(list(names)), table.c.value.is_not(None)
            )
        )
        for document, variable, value in rows:
            found[int(document)][names[int(variable)]] = value
    return found


def value_of(
    site: Site, document: sa.FromClause, variable: Variable, cast: str | None, *, use_default: bool
) -> sa.ColumnElement[Any]:
    """A document's value as an expression: found by the pair of ids, which every installation has an index for."""
    table = site.table("site_tmplvar_contentvalues").alias()
    value = as_number(site.dialect, table.c.value, cast) if cast else table.c.value
    own = (
        sa.select(value)
        .where(table.c.tmplvarid == variable.id, table.c.contentid == document.c.id)
        .limit(1)
        .scalar_subquery()
    )
    if not use_default or variable.default is None:
        return own
    default: sa.ColumnElement[Any] = sa.literal(variable.default, sa.Text)
    return sa.func.coalesce(own, as_number(site.dialect, default, cast) if cast else default)


def bearers(site: Site, variable: Variable, wanted: TvFilter) -> sa.Select[Any] | None:
    """The ids of the documents whose own value fits; None when documents without a value may fit too."""
    if wanted.op == "null" or (wanted.use_default and variable.default is not None):
        return None
    table = site.table("site_tmplvar_contentvalues")
    value = as_number(site.dialect, table.c.value, wanted.cast) if wanted.cast else table.c.value
    return sa.select(table.c.contentid).where(table.c.tmplvarid == variable.id, holds(site, value, wanted))


def named(known: Mapping[str, Variable], name: str, place: str) -> Variable:
    if name not in known:
        raise InvalidInput(f"{place}: the site has no template variable {name!r}")
    return known[name]


def holds(site: Site, value: sa.ColumnElement[Any], wanted: TvFilter) -> sa.ColumnElement[bool]:
    """`value` is already cast as the filter says."""
    if wanted.cast:
        return compare(value, wanted.op, _bound(site.dialect, spoken(_one(wanted))))
    return compare_text(value, wanted)


def compare_text(
    value: sa.ColumnElement[Any], wanted: Condition, read: Callable[[str], Any] = str
) -> sa.ColumnElement[bool]:
    """Every operator of the contract on text, or on what `read` makes of it. What stands in `like` is never a pattern.

    As text, 100.0 equals what is stored as "100" or as "100.0"."""
    also = wanted.also if read is str else []
    match wanted.op:
        case "null":
            return value.is_(None)
        case "!null":
            return value.is_not(None)
        case "in":
            return value.in_([*map(read, wanted.listed), *also])
        case "not_in":
            return value.not_in([*map(read, wanted.listed), *also])
        case "like" | "like-l" | "like-r":
            before = "" if wanted.op == "like-r" else "%"
            after = "" if wanted.op == "like-l" else "%"
            return value.ilike(f"{before}{_escaped(spoken(_one(wanted)))}{after}", escape=ESCAPE)
        case "=" | "!=" if also:
            either = [spoken(_one(wanted)), *also]
            return value.in_(either) if wanted.op == "=" else value.not_in(either)
        case _:
            return compare(value, wanted.op, read(spoken(_one(wanted))))


_OPERATORS: Final = (operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le)
_COMPARED: Final = dict(zip(COMPARISONS, _OPERATORS, strict=True))


def compare(value: sa.ColumnElement[Any], how: str, other: Any) -> sa.ColumnElement[bool]:
    compared: sa.ColumnElement[bool] = _COMPARED[how](value, other)
    return compared


def ordering(site: Site, value: sa.ColumnElement[Any], wanted: TvOrder) -> sa.ColumnElement[Any]:
    """Documents without a value are the smallest, as on MySQL."""
    ordered = value.desc() if wanted.dir == "desc" else value.asc()
    if site.dialect == "postgresql":
        return ordered.nulls_last() if wanted.dir == "desc" else ordered.nulls_first()
    return ordered


def by_value(site: Site, document: sa.FromClause, variable: Variable, wanted: TvOrder) -> Sequence[sa.Select[Any]]:
    """Queries that together give all documents' ids ordered by the variable and then by id, read from the values
    instead of looking up the value of each document. None when a default stands among the values."""
    if wanted.use_default and variable.default is not None:
        return ()
    table = site.table("site_tmplvar_contentvalues")
    value = as_number(site.dialect, table.c.value, wanted.cast) if wanted.cast else table.c.value
    valued = (
        sa.select(table.c.contentid)
        .where(table.c.tmplvarid == variable.id, table.c.value.is_not(None))
        .order_by(value.desc() if wanted.dir == "desc" else value.asc(), table.c.contentid)
    )
    lacking = value_of(site, document, variable, None, use_default=False).is_(None)
    others = sa.select(document.c.id).where(lacking).order_by(document.c.id)
    return (valued, others) if wanted.dir == "desc" else (others, valued)


def as_number(dialect: str, value: sa.ColumnElement[Any], cast: str) -> sa.ColumnElement[Any]:
    """None stays None. `value` is repeated in the expression, so it should be a plain column."""
    if cast.startswith("DECIMAL"):
        digits, places = (int(part) for part in cast[len("DECIMAL(") : -1].split(","))
        if dialect == "mysql":
            return sa.cast(value, sa.Numeric(digits, places))
        number = _leading_number(value) if dialect == "postgresql" else sa.cast(value, sa.REAL)
        return sa.func.round(number, places)
    if dialect == "mysql":
        whole: sa.ColumnElement[Any] = sa.cast(value, mysql.INTEGER())
    elif dialect == "postgresql":
        whole = sa.func.trunc(_leading_number(value))
    else:
        whole = sa.cast(value, sa.BigInteger)
    return sa.case((whole < 0, 0), else_=whole) if cast == "UNSIGNED" else whole


def _leading_number(value: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """PostgreSQL refuses to cast text that is not a number."""
    digits = sa.func.substring(value, _LEADING_NUMBER)
    return sa.case((value.is_(None), None), else_=sa.cast(sa.func.coalesce(digits, "0"), sa.Numeric))


def _bound(dialect: str, digits: str) -> sa.ColumnElement[Any]:
    if dialect != "sqlite":
        return sa.literal(Decimal(digits), sa.Numeric)
    whole = re.fullmatch(r"-?\d{1,18}", digits)
    return sa.literal(int(digits), sa.BigInteger) if whole else sa.literal(float(digits), sa.Float)


def _one(wanted: Condition) -> Any:
    assert not isinstance(wanted.value, list)
    return wanted.value


def _escaped(text: str) -> str:
    return re.sub(f"[{ESCAPE}%_]", lambda mark: ESCAPE + mark[0], text)

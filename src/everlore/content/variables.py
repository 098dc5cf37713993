"""Template variables: their values as expressions of a query, compared and cast alike on every database.

MySQL is where Evolution CMS comes from, so its reading of text as a number holds everywhere: the leading digits
count, and text without any is 0. A negative number cast to UNSIGNED is 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from everlore.content.access import SENSITIVE, Asking
from everlore.content.arguments import COMPARISONS, Condition, TvFilter, TvOrder
from everlore.errors import InvalidInput

ESCAPE: Final = "!"
VALUES: Final = "site_tmplvar_contentvalues"
_LEADING_NUMBER: Final = r"^\s*[-+]?\d+(?:\.\d+)?"
V = TypeVar("V", TvFilter, TvOrder)


@dataclass(frozen=True, slots=True)
class Variable:
    """As a filter or an order speaks of it. `default` is None unless it counts where a document has no value."""

    ask: Asking
    id: int
    default: str | None
    cast: str | None

    @property
    def of_each(self) -> sa.ColumnElement[Any]:
        """The value of a document, found by the pair of ids, which every installation has an index for."""
        table = self.ask.site.table(VALUES).alias()
        mine = (table.c.tmplvarid == self.id, table.c.contentid == self.ask.document.c.id)
        own = sa.select(self._read(table.c.value)).where(*mine).limit(1).scalar_subquery()
        return own if self.default is None else sa.func.coalesce(own, self._read(sa.literal(self.default, sa.Text)))

    def fitting(self, wanted: TvFilter) -> sa.ColumnElement[bool]:
        """The condition that a document's value is as the filter wants it."""
        return self._holds(self.of_each, wanted)

    def bearers(self, wanted: TvFilter) -> sa.Select[Any] | None:
        """The ids of the documents whose own value fits; None when documents without a value may fit too."""
        if wanted.op == "null" or self.default is not None:
            return None
        table = self.ask.site.table(VALUES)
        fits = self._holds(self._read(table.c.value), wanted)
        return sa.select(table.c.contentid).where(table.c.tmplvarid == self.id, fits)

    def ordering(self, *, down: bool) -> sa.ColumnElement[Any]:
        """Documents without a value are the smallest, as on MySQL."""
        ordered = _directed(self.of_each, down=down)
        if self.ask.site.dialect == "postgresql":
            return ordered.nulls_last() if down else ordered.nulls_first()
        return ordered

    def in_order(self, *, down: bool) -> Sequence[sa.Select[Any]]:
        """Queries that together give all documents' ids ordered by the value and then by id, read from the values
        instead of looking up the value of each document. None when a default stands among the values."""
        if self.default is not None:
            return ()
        table, document = self.ask.site.table(VALUES), self.ask.document
        valued = sa.select(table.c.contentid).where(table.c.tmplvarid == self.id, table.c.value.is_not(None))
        valued = valued.order_by(_directed(self._read(table.c.value), down=down), table.c.contentid)
        others = sa.select(document.c.id).where(replace(self, cast=None).of_each.is_(None)).order_by(document.c.id)
        return (valued, others) if down else (others, valued)

    def _read(self, value: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        return as_number(self.ask.site.dialect, value, self.cast) if self.cast else value

    def _holds(self, value: sa.ColumnElement[Any], wanted: TvFilter) -> sa.ColumnElement[bool]:
        if not (self.cast and wanted.texts):
            return compare(value, wanted)
        digits = wanted.texts[0]
        number: sa.ColumnElement[Any] = sa.literal(Decimal(digits), sa.Numeric)
        if self.ask.site.dialect == "sqlite":
            whole = re.fullmatch(r"-?\d{1,18}", digits)
            number = sa.literal(int(digits), sa.BigInteger) if whole else sa.literal(float(digits), sa.Float)
        return _compared(value, wanted.op, number)


def variables(ask: Asking, wanted: Sequence[V] | None, place: str) -> Iterator[tuple[V, Variable]]:
    """What filters or orders speak of."""
    known = _look_up(ask, [one.tv for one in wanted or ()])
    for number, one in enumerate(wanted or ()):
        if one.tv not in known:
            raise InvalidInput(f"{place}.{number}.tv: the site has no template variable {one.tv!r}")
        id_, default = known[one.tv]
        yield one, Variable(ask, id_, default if one.use_default else None, one.cast)


def _look_up(ask: Asking, names: Iterable[str]) -> dict[str, tuple[int, str | None]]:
    """Id and default of those variables that the site has and that may be shown."""
    wanted = sorted({name for name in names if name.lower() not in SENSITIVE})
    table = ask.site.find("site_tmplvars")
    if not wanted or table is None:
        return {}
    default = table.c.default_text if "default_text" in table.c else sa.null()
    rows = ask.connection.execute(sa.select(table.c.id, table.c.name, default).where(table.c.name.in_(wanted)))
    # some databases find names of another case too; the oldest of several by one name counts
    found = sorted(((int(id_), name, text) for id_, name, text in rows), reverse=True)
    return {name: (id_, text) for id_, name, text in found if name in wanted}


def hidden(ask: Asking) -> list[int]:
    """The variables that may not be shown."""
    table = ask.site.find("site_tmplvars")
    if table is None:
        return []
    return ask.numbers(sa.select(table.c.id).where(sa.func.lower(table.c.name).in_(sorted(SENSITIVE))))


def values(ask: Asking, documents: Sequence[int], wanted: Mapping[str, bool]) -> dict[int, dict[str, str | None]]:
    """For each document the values of the variables `wanted`, None where there is none. True asks for the default."""
    known = _look_up(ask, wanted)
    blank = {name: known[name][1] if use_default and name in known else None for name, use_default in wanted.items()}
    found = {document: dict(blank) for document in documents}
    table = ask.site.find(VALUES)
    if known and documents and table is not None:
        names = {id_: name for name, (id_, _) in known.items()}
        asked = (table.c.contentid.in_(documents), table.c.tmplvarid.in_(list(names)), table.c.value.is_not(None))
        for row in ask.connection.execute(sa.select(table.c.contentid, table.c.tmplvarid, table.c.value).where(*asked)):
            found[int(row.contentid)][names[int(row.tmplvarid)]] = row.value
    return found


def compare(
    value: sa.ColumnElement[Any], wanted: Condition, read: Callable[[str], Any] = str
) -> sa.ColumnElement[bool]:
    """Every operator of the contract on text, or on what `read` makes of it. What stands in `like` is never a pattern.

    As text, 100.0 equals what is stored as "100" or as "100.0"."""
    several = [*map(read, wanted.texts), *(wanted.also if read is str else [])]
    match wanted.op:
        case "null":
            return value.is_(None)
        case "!null":
            return value.is_not(None)
        case "like" | "like-l" | "like-r":
            before = "" if wanted.op == "like-r" else "%"
            after = "" if wanted.op == "like-l" else "%"
            plain = re.sub(f"[{ESCAPE}%_]", lambda mark: ESCAPE + mark[0], wanted.texts[0])
            return value.ilike(f"{before}{plain}{after}", escape=ESCAPE)
        case "in" | "=" if wanted.op == "in" or len(several) > 1:
            return value.in_(several)
        case "not_in" | "!=" if wanted.op == "not_in" or len(several) > 1:
            return value.not_in(several)
        case _:
            return _compared(value, wanted.op, several[0])


def _compared(value: sa.ColumnElement[Any], how: str, other: Any) -> sa.ColumnElement[bool]:
    compared: sa.ColumnElement[bool] = COMPARISONS[how](value, other)
    return compared


def _directed(value: sa.ColumnElement[Any], *, down: bool) -> sa.ColumnElement[Any]:
    return value.desc() if down else value.asc()


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

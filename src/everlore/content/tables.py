"""The tables of an Evolution CMS 3 installation, as its own installer makes them.

Two uses: they are created for the embedded site, and they say what may be read of somebody else's. A site may lack
columns or whole tables (older versions, other extensions), so nothing here is taken for granted when reading.

The closure table has no index in a real installation, and sites repair it by hand now and then. The tree is
therefore read from `parent`, which is indexed and is what the site's own manager shows; the closure table is only
written, for those who read the embedded site with other tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

ID, INT, FLAG, LINE, TEXT = "id", "int", "flag", "line", "text"

LINE_LENGTH: Final = 255

_TABLES: Final = (files("everlore.content") / "tables.txt").read_text(encoding="utf-8")
"""Each with its columns: `:id` counts up, `:line` is a short text, `:flag` a boolean, a plain name a whole number."""


def _read(described: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Tables, each from the beginning of a line, by name, with the kinds of their columns."""
    for table in re.split(r"\n(?! )", described.strip()):
        name, _, columns = table.partition(": ")
        yield name, {column: kind or INT for column, _, kind in (word.partition(":") for word in columns.split())}


TABLES: Final[Mapping[str, Mapping[str, str]]] = dict(_read(_TABLES))


def _indexes(described: str) -> list[tuple[str, list[str], bool]]:
    """(table, columns, unique): `users: id !name+role` has one on `id`, and a unique one on both others."""
    tables = (line.partition(": ") for line in described.strip().split("\n"))
    return [
        (table, index.lstrip("!").split("+"), index[0] == "!")
        for table, _, listed in tables
        for index in listed.split()
    ]


INDEXES: Final = _indexes("""
site_content: type alias parent pub_date+unpub_date+published pub_date+unpub_date unpub_date pub_date
site_tmplvar_contentvalues: tmplvarid contentid !tmplvarid+contentid
site_tmplvar_templates: !tmplvarid+templateid
site_tmplvars: rank
document_groups: document_group document !document_group+document
member_groups: !user_group+member
user_attributes: internalKey
users: !username
""")
"""What a real installation has. Queries must be quick with these alone."""

MORE_INDEXES: Final = _indexes("""
site_content: menuindex createdon pagetitle
site_content_closure: ancestor+depth+descendant !descendant+ancestor
site_content_tags: !tag_id+tv_id+doc_id doc_id
tags: !name
site_tmplvars: !name
""")
"""What the embedded site has besides: nobody else decides about its tables."""


def describe(prefix: str = "", *, more_indexes: bool = False) -> sa.MetaData:
    """The tables to create, with the installer's indexes, or with ours too."""
    metadata = sa.MetaData()
    for name, columns in TABLES.items():
        made = [_column(column, kind) for column, kind in columns.items()]
        # ids are never used twice, also not after a document was removed
        sa.Table(_quoted(prefix + name), metadata, *made, sqlite_autoincrement=columns.get("id") == ID)
    for name, on, unique in INDEXES + (MORE_INDEXES if more_indexes else []):
        table = metadata.tables[prefix + name]
        sa.Index("_".join(("ix", prefix + name, *on)), *(table.c[column] for column in on), unique=unique)
    return metadata


def _column(name: str, kind: str) -> sa.Column[object]:
    if kind == ID:
        return sa.Column(_quoted(name), sa.Integer, primary_key=True, autoincrement=True)
    if kind == TEXT:
        long = sa.Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
        return sa.Column(_quoted(name), long, nullable=True)
    if kind == FLAG:
        return sa.Column(_quoted(name), sa.Boolean, nullable=False, server_default=sa.false())
    if kind == INT:
        return sa.Column(_quoted(name), sa.Integer, nullable=False, server_default="0")
    return sa.Column(_quoted(name), sa.String(LINE_LENGTH), nullable=True, server_default="")


def _quoted(name: str) -> sa.quoted_name:
    # always in quotes: `rank` is a reserved word on some databases, and case matters on others
    return sa.quoted_name(name, quote=True)

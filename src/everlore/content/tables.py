"""The tables of an Evolution CMS 3 installation, as its own installer makes them, for the embedded site.

The closure table has no index in a real installation, and sites repair it by hand now and then. The tree is
therefore read from `parent`, which is indexed and is what the site's own manager shows; the closure table is only
written, for those who read the embedded site with other tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

ID, INT, FLAG, LINE, TEXT = "id", "int", "flag", "line", "text"

LINE_LENGTH: Final = 255


def _read(described: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Tables, each from the beginning of a line, by name, with the kinds of their columns."""
    for table in re.split(r"\n(?! )", described.strip()):
        name, _, columns = table.partition(": ")
        yield name, {column: kind or INT for column, _, kind in (word.partition(":") for word in columns.split())}


TABLES: Final[Mapping[str, Mapping[str, str]]] = dict(
    _read((files("everlore.content") / "tables.txt").read_text(encoding="utf-8"))
)
"""Each with its columns: `:id` counts up, `:line` is a short text, `:flag` a boolean, a plain name a whole number."""


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

_TYPES: Final = {
    ID: "INTEGER PRIMARY KEY AUTOINCREMENT",  # ids are never used twice, also not after a document was removed
    INT: "INTEGER NOT NULL DEFAULT 0",
    FLAG: "BOOLEAN NOT NULL DEFAULT 0",
    LINE: f"VARCHAR({LINE_LENGTH}) DEFAULT ''",
    TEXT: "TEXT",
}


def embedded() -> Iterator[str]:
    """The statements that make the tables of the embedded site where they are missing."""
    for table, columns in TABLES.items():
        # always in quotes: `rank` and `key` mean something to some databases
        described = ", ".join(f'"{name}" {_TYPES[kind]}' for name, kind in columns.items())
        yield f'CREATE TABLE IF NOT EXISTS "{table}" ({described})'
    for table, on, unique in INDEXES + MORE_INDEXES:
        index = f'"{"_".join(("ix", table, *on))}" ON "{table}" ({", ".join(on)})'
        yield f"CREATE {'UNIQUE ' if unique else ''}INDEX IF NOT EXISTS {index}"

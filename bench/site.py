"""An Evolution CMS site made up by rule: a tree of documents with template variables, tags, groups and users.

The same numbers give the same site, on every database. Tests use a few hundred documents, the benchmark many.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from everlore.content.tables import FLAG, ID, INDEXES, INT, LINE_LENGTH, TABLES, TEXT

START: Final = 1_700_000_000
ROOTS: Final = 6
DEEPEST: Final = 6
CHUNK: Final = 5_000
COLOURS: Final = ("red", "green", "blue", "Red wine", "100%_pure", "жовтий", "O'Brien")
AUTHORS: Final = ("Ada Lovelace", "Леся Українка", "Grace Hopper", "Ян Чохральський", "Björk", "Łukasz")
TAGS: Final = ("news", "sale", "новини", "archive", "guide")
WORDS: Final = [
    "site",
    "page",
    "content",
    "menu",
    "price",
    "colour",
    "weather",
    "river",
    "stone",
    "market",
    "winter",
    "light",
    "garden",
    "paper",
]
SECRET: Final = "never-to-be-shown"
MEMBER_GROUP, DOCUMENT_GROUP = 7, 3
ADMIN, MEMBER, STRANGER = 1, 2, 3
"""Users: an administrator, one with access to the protected documents, one without."""
TAG_VARIABLE: Final = 7


@dataclass(slots=True)
class Made:
    """What was put into the database, for those who want to check an answer."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    variables: list[dict[str, Any]] = field(default_factory=list)
    values: dict[tuple[int, int], str | None] = field(default_factory=dict)
    """(document, variable): only kept for small sites."""
    tags: dict[int, set[str]] = field(default_factory=dict)
    protected: set[int] = field(default_factory=set)


def fill(
    engine: sa.Engine, n: int, prefix: str = "", *, variables: int = 20, text: int = 200, keep: bool = True
) -> Made:
    """Create the tables with the indexes of a real installation, and fill them."""
    metadata = describe(prefix)
    metadata.create_all(engine)
    made = Made()
    with engine.begin() as connection:

        def insert(table: str, rows: list[dict[str, Any]]) -> None:
            for start in range(0, len(rows), CHUNK):
                connection.execute(metadata.tables[prefix + table].insert(), rows[start : start + CHUNK])

        made.documents = list(_documents(n, text))
        insert("site_content", made.documents)
        insert("site_content_closure", list(_closure(made.documents)))
        made.variables = list(_variables(variables))
        insert("site_tmplvars", made.variables)
        insert("site_templates", [{"id": t, "templatename": f"Template {t}", "locked": t == 1} for t in range(1, 6)])
        pending: list[dict[str, Any]] = []
        for document in made.documents:
            for variable in made.variables:
                value = value_of(document["id"], variable["id"])
                if value is None:
                    continue
                pending.append({"tmplvarid": variable["id"], "contentid": document["id"], "value": value})
                if keep:
                    made.values[document["id"], variable["id"]] = value
            if len(pending) >= CHUNK:
                insert("site_tmplvar_contentvalues", pending)
                pending = []
        insert("site_tmplvar_contentvalues", pending)
        insert("tags", [{"id": number + 1, "name": name} for number, name in enumerate(TAGS)])
        made.tags = {document["id"]: _tags(document["id"]) for document in made.documents if _tags(document["id"])}
        links = [
            {"doc_id": document, "tag_id": TAGS.index(name) + 1, "tv_id": TAG_VARIABLE}
            for document, names in made.tags.items()
            for name in sorted(names)
        ]
        insert("site_content_tags", links)
        made.protected = {document["id"] for document in made.documents if document["privateweb"]}
        insert(
            "document_groups", [{"document_group": DOCUMENT_GROUP, "document": one} for one in sorted(made.protected)]
        )
        for table, rows in _others():
            insert(table, rows)
    return made


def describe(prefix: str = "") -> sa.MetaData:
    """The tables of a real installation, with its indexes."""
    metadata = sa.MetaData()
    for name, columns in TABLES.items():
        made = [_column(column, kind) for column, kind in columns.items()]
        sa.Table(_quoted(prefix + name), metadata, *made, sqlite_autoincrement=columns.get("id") == ID)
    for name, on, unique in INDEXES:
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


def value_of(document: int, variable: int) -> str | None:
    """Price, colour, rating, author, then numbered ones. Some documents have none, some something odd."""
    chance = random.Random(document * 131 + variable)
    if chance.random() < 0.2:
        return None
    match variable:
        case 1:
            return chance.choice(
                (str(chance.randint(0, 999)), str(chance.randint(0, 999)), "-5", "12.50", "on request")
            )
        case 2:
            return chance.choice(COLOURS)
        case 3:
            return f"{chance.randint(0, 50) / 10:.1f}"
        case 4:
            return chance.choice(AUTHORS)
        case _:
            return f"{chance.choice(WORDS)} {chance.randint(0, 9999)}"


def _variables(count: int) -> Iterator[dict[str, Any]]:
    names = ["price", "color", "rating", "author"]
    defaults: list[str | None] = ["50", "white", None, ""]
    for number in range(1, count + 1):
        named = number <= len(names)
        yield {
            "id": number,
            "type": "text",
            "name": names[number - 1] if named else f"tv_{number:02}",
            "caption": f"Variable {number}",
            "rank": number,
            "default_text": defaults[number - 1] if named else f"default {number}",
        }


def _documents(n: int, text: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(n)
    depth = {0: 0}
    folders: list[int] = []
    children: dict[int, int] = {}
    for id_ in range(1, n + 1):
        parent = 0 if id_ <= ROOTS else chance.choice(folders)
        depth[id_] = depth[parent] + 1
        folder = id_ <= ROOTS or (depth[id_] <= DEEPEST and chance.random() < 0.06)
        if folder:
            folders.append(id_)
        place = children.get(parent, 0)
        # now and then two documents share a place in the menu
        children[parent] = place + (chance.random() > 0.1)
        title = f"{chance.choice(WORDS).title()} {chance.choice(WORDS)} {id_}"
        yield {
            "id": id_,
            "type": "reference" if id_ % 40 == 0 else "document",
            "contentType": "text/html",
            "pagetitle": title,
            "longtitle": f"{title}: long" if id_ % 3 else "",
            "description": "Опис сторінки" if id_ % 5 == 0 else "",
            "alias": f"page-{id_}",
            "published": int(chance.random() < 0.9),
            "pub_date": START + chance.randint(0, 10**7) if chance.random() < 0.2 else 0,
            "unpub_date": 0,
            "parent": parent,
            "isfolder": int(folder),
            "introtext": "intro",
            "content": " ".join(chance.choice(WORDS) for _ in range(text // 6)),
            "template": id_ % 5 + 1,
            "menuindex": place,
            "createdon": START + chance.randint(0, 10**7),
            "editedon": START + 10**7 + id_,
            "deleted": int(id_ > ROOTS and not folder and chance.random() < 0.04),
            "hidemenu": chance.random() < 0.15,
            "privateweb": id_ > ROOTS and not folder and chance.random() < 0.04,
        }


def _closure(documents: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    parents = {document["id"]: document["parent"] for document in documents}
    for document in documents:
        ancestor, depth = document["id"], 0
        while ancestor:
            yield {"ancestor": ancestor, "descendant": document["id"], "depth": depth}
            ancestor, depth = parents[ancestor], depth + 1


def _tags(document: int) -> set[str]:
    chance = random.Random(document)
    return {name for name in TAGS if chance.random() < 0.15}


def _others() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    users = range(1, 4)
    yield "documentgroup_names", [{"id": DOCUMENT_GROUP, "name": "Members only", "private_webgroup": 1}]
    yield "membergroup_names", [{"id": MEMBER_GROUP, "name": "Members"}]
    yield "membergroup_access", [{"membergroup": MEMBER_GROUP, "documentgroup": DOCUMENT_GROUP}]
    yield "member_groups", [{"user_group": MEMBER_GROUP, "member": MEMBER}]
    hidden = dict.fromkeys(("password", "cachepwd", "refresh_token", "access_token", "verified_key"), SECRET)
    yield "users", [{"id": user, "username": f"user{user}", **hidden} for user in users]
    yield (
        "user_attributes",
        [
            {
                "id": user + 10,
                "internalKey": user,
                "fullname": f"User {user}",
                "role": user,
                "email": f"user{user}@example.org",
                "sessionid": SECRET,
            }
            for user in users
        ],
    )
    yield "user_roles", [{"id": 1, "name": "Administrator"}, {"id": 2, "name": "Editor"}, {"id": 3, "name": "Guest"}]
    yield "categories", [{"id": number, "category": f"Category {number}", "rank": number} for number in range(1, 4)]
    for table in ("site_snippets", "site_plugins", "site_modules"):
        yield (
            table,
            [{"id": one, "name": f"{table} {one}", "locked": one == 2, "disabled": one == 3} for one in (1, 2, 3)],
        )
    yield "permissions", [{"id": 1, "name": "View", "key": "view"}]
    yield "permissions_groups", [{"id": 1, "name": "General"}]
    yield "role_permissions", [{"id": 1, "permission": "view", "role_id": 2}]

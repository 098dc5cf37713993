"""The tables of an Evolution CMS 3 installation, as its own installer makes them.

Two uses: they are created for the embedded site, and they say what may be read of somebody else's. A site may lack
columns or whole tables (older versions, other extensions), so nothing here is taken for granted when reading.

The closure table has no index in a real installation, and sites repair it by hand now and then. The tree is
therefore read from `parent`, which is indexed and is what the site's own manager shows; the closure table is only
written, for those who read the embedded site with other tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

ID, INT, FLAG, LINE, TEXT = "id", "int", "flag", "line", "text"

LINE_LENGTH: Final = 255

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "site_content": {
        "id": ID,
        "type": LINE,
        "contentType": LINE,
        "pagetitle": LINE,
        "longtitle": LINE,
        "description": LINE,
        "alias": LINE,
        "link_attributes": LINE,
        "published": INT,
        "pub_date": INT,
        "unpub_date": INT,
        "parent": INT,
        "isfolder": INT,
        "introtext": TEXT,
        "content": TEXT,
        "richtext": FLAG,
        "template": INT,
        "menuindex": INT,
        "searchable": INT,
        "cacheable": INT,
        "createdby": INT,
        "createdon": INT,
        "editedby": INT,
        "editedon": INT,
        "deleted": INT,
        "deletedon": INT,
        "deletedby": INT,
        "publishedon": INT,
        "publishedby": INT,
        "menutitle": LINE,
        "hide_from_tree": FLAG,
        "privateweb": FLAG,
        "privatemgr": FLAG,
        "content_dispo": FLAG,
        "hidemenu": FLAG,
        "alias_visible": INT,
    },
    "site_content_closure": {"closure_id": ID, "ancestor": INT, "descendant": INT, "depth": INT},
    "site_templates": {
        "id": ID,
        "templatename": LINE,
        "templatealias": LINE,
        "description": LINE,
        "editor_type": INT,
        "category": INT,
        "icon": LINE,
        "template_type": INT,
        "content": TEXT,
        "locked": FLAG,
        "selectable": FLAG,
        "createdon": INT,
        "editedon": INT,
    },
    "site_tmplvars": {
        "id": ID,
        "type": LINE,
        "name": LINE,
        "caption": LINE,
        "description": LINE,
        "editor_type": INT,
        "category": INT,
        "locked": FLAG,
        "elements": TEXT,
        "rank": INT,
        "display": LINE,
        "display_params": TEXT,
        "default_text": TEXT,
        "createdon": INT,
        "editedon": INT,
        "properties": TEXT,
    },
    "site_tmplvar_contentvalues": {"id": ID, "tmplvarid": INT, "contentid": INT, "value": TEXT},
    "site_tmplvar_templates": {"tmplvarid": INT, "templateid": INT, "rank": INT},
    "site_tmplvar_access": {"id": ID, "tmplvarid": INT, "documentgroup": INT},
    "tags": {"id": ID, "name": LINE},
    "site_content_tags": {"doc_id": INT, "tag_id": INT, "tv_id": INT},
    "document_groups": {"id": ID, "document_group": INT, "document": INT},
    "documentgroup_names": {"id": ID, "name": LINE, "private_memgroup": INT, "private_webgroup": INT},
    "member_groups": {"id": ID, "user_group": INT, "member": INT},
    "membergroup_access": {"id": ID, "membergroup": INT, "documentgroup": INT},
    "membergroup_names": {"id": ID, "name": LINE},
    "site_snippets": {
        "id": ID,
        "name": LINE,
        "description": LINE,
        "editor_type": INT,
        "category": INT,
        "cache_type": INT,
        "snippet": TEXT,
        "locked": FLAG,
        "properties": TEXT,
        "moduleguid": LINE,
        "createdon": INT,
        "editedon": INT,
        "disabled": FLAG,
    },
    "site_plugins": {
        "id": ID,
        "name": LINE,
        "description": LINE,
        "editor_type": INT,
        "category": INT,
        "cache_type": FLAG,
        "plugincode": TEXT,
        "locked": FLAG,
        "properties": TEXT,
        "disabled": FLAG,
        "moduleguid": LINE,
        "createdon": INT,
        "editedon": INT,
    },
    "site_modules": {
        "id": ID,
        "name": LINE,
        "description": LINE,
        "editor_type": INT,
        "disabled": FLAG,
        "category": INT,
        "locked": FLAG,
        "icon": LINE,
        "createdon": INT,
        "editedon": INT,
        "guid": LINE,
        "properties": TEXT,
        "modulecode": TEXT,
    },
    "categories": {"id": ID, "category": LINE, "rank": INT},
    "users": {
        "id": ID,
        "username": LINE,
        "password": LINE,
        "cachepwd": LINE,
        "refresh_token": LINE,
        "access_token": LINE,
        "verified_key": LINE,
    },
    "user_attributes": {
        "id": ID,
        "internalKey": INT,
        "fullname": LINE,
        "role": INT,
        "email": LINE,
        "phone": LINE,
        "mobilephone": LINE,
        "blocked": INT,
        "blockeduntil": INT,
        "blockedafter": INT,
        "logincount": INT,
        "lastlogin": INT,
        "thislogin": INT,
        "failedlogincount": INT,
        "sessionid": LINE,
        "createdon": INT,
        "editedon": INT,
    },
    "user_roles": {"id": ID, "name": LINE, "description": LINE, "frames": INT, "home": INT, "rank": INT, "locked": INT},
    "permissions": {"id": ID, "name": LINE, "key": LINE, "lang_key": LINE, "group_id": INT, "disabled": INT},
    "permissions_groups": {"id": ID, "name": LINE, "lang_key": LINE},
    "role_permissions": {"id": ID, "permission": LINE, "role_id": INT},
}

INDEXES: Final = (
    ("site_content", ("type",), False),
    ("site_content", ("alias",), False),
    ("site_content", ("parent",), False),
    ("site_content", ("pub_date", "unpub_date", "published"), False),
    ("site_content", ("pub_date", "unpub_date"), False),
    ("site_content", ("unpub_date",), False),
    ("site_content", ("pub_date",), False),
    ("site_tmplvar_contentvalues", ("tmplvarid",), False),
    ("site_tmplvar_contentvalues", ("contentid",), False),
    ("site_tmplvar_contentvalues", ("tmplvarid", "contentid"), True),
    ("site_tmplvar_templates", ("tmplvarid", "templateid"), True),
    ("site_tmplvars", ("rank",), False),
    ("document_groups", ("document_group",), False),
    ("document_groups", ("document",), False),
    ("document_groups", ("document_group", "document"), True),
    ("member_groups", ("user_group", "member"), True),
    ("user_attributes", ("internalKey",), False),
    ("users", ("username",), True),
)
"""(table, columns, unique): what a real installation has. Queries must be quick with these alone."""

MORE_INDEXES: Final = (
    ("site_content", ("menuindex",), False),
    ("site_content", ("createdon",), False),
    ("site_content", ("pagetitle",), False),
    ("site_content_closure", ("ancestor", "depth", "descendant"), False),
    ("site_content_closure", ("descendant", "ancestor"), True),
    ("site_content_tags", ("tag_id", "tv_id", "doc_id"), True),
    ("site_content_tags", ("doc_id",), False),
    ("tags", ("name",), True),
    ("site_tmplvars", ("name",), True),
)
"""What the embedded site has besides: nobody else decides about its tables."""


def describe(prefix: str = "", *, more_indexes: bool = False) -> sa.MetaData:
    """The tables to create, with the installer's indexes, or with ours too."""
    metadata = sa.MetaData()
    for name, columns in TABLES.items():
        made = [_column(column, kind) for column, kind in columns.items()]
        # ids are never used twice, also not after a document was removed
        sa.Table(_quoted(prefix + name), metadata, *made, sqlite_autoincrement=columns.get("id") == ID)
    for name, on, unique in INDEXES + (MORE_INDEXES if more_indexes else ()):
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

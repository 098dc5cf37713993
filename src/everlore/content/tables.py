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
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

ID, INT, FLAG, LINE, TEXT = "id", "int", "flag", "line", "text"

LINE_LENGTH: Final = 255

_TABLES: Final = """
site_content: id:id type:line contentType:line pagetitle:line longtitle:line description:line alias:line
  link_attributes:line published pub_date unpub_date parent isfolder introtext:text content:text richtext:flag
  template menuindex searchable cacheable createdby createdon editedby editedon deleted deletedon deletedby
  publishedon publishedby menutitle:line hide_from_tree:flag privateweb:flag privatemgr:flag content_dispo:flag
  hidemenu:flag alias_visible
site_content_closure: closure_id:id ancestor descendant depth
site_templates: id:id templatename:line templatealias:line description:line editor_type category icon:line
  template_type content:text locked:flag selectable:flag createdon editedon
site_tmplvars: id:id type:line name:line caption:line description:line editor_type category locked:flag elements:text
  rank display:line display_params:text default_text:text createdon editedon properties:text
site_tmplvar_contentvalues: id:id tmplvarid contentid value:text
site_tmplvar_templates: tmplvarid templateid rank
site_tmplvar_access: id:id tmplvarid documentgroup
tags: id:id name:line
site_content_tags: doc_id tag_id tv_id
document_groups: id:id document_group document
documentgroup_names: id:id name:line private_memgroup private_webgroup
member_groups: id:id user_group member
membergroup_access: id:id membergroup documentgroup
membergroup_names: id:id name:line
site_snippets: id:id name:line description:line editor_type category cache_type snippet:text locked:flag
  properties:text moduleguid:line createdon editedon disabled:flag
site_plugins: id:id name:line description:line editor_type category cache_type:flag plugincode:text locked:flag
  properties:text disabled:flag moduleguid:line createdon editedon
site_modules: id:id name:line description:line editor_type disabled:flag category locked:flag icon:line createdon
  editedon guid:line properties:text modulecode:text
categories: id:id category:line rank
users: id:id username:line password:line cachepwd:line refresh_token:line access_token:line verified_key:line
user_attributes: id:id internalKey fullname:line role email:line phone:line mobilephone:line blocked blockeduntil
  blockedafter logincount lastlogin thislogin failedlogincount sessionid:line createdon editedon
user_roles: id:id name:line description:line frames home rank locked
permissions: id:id name:line key:line lang_key:line group_id disabled
permissions_groups: id:id name:line lang_key:line
role_permissions: id:id permission:line role_id
"""
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

"""Who asks, and which documents that caller may see.

A document is protected when it is marked private or belongs to a document group. It is shown to members of a group
with access to one of its document groups, and to the site's administrators; to nobody else, through no tool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.connect import Site

ADMINISTRATOR: Final = 1
"""The role that Evolution CMS lets see everything."""

SENSITIVE: Final = frozenset({"password", "cachepwd", "verified_key", "refresh_token", "access_token", "sessionid"})
"""Fields that are shown to nobody and compared with nothing, be they columns or template variables."""


@dataclass(frozen=True, slots=True)
class Caller:
    """`user_id` is a user of the site, 0 a visitor."""

    user_id: int = 0


VISITOR: Final = Caller()


def switched(column: sa.ColumnElement[Any], on: bool) -> sa.ColumnElement[bool]:
    """Whether a flag is set: some databases keep it as a number, where anything but 0 is yes, others as a boolean.

    Said in the column's own type, so that the database can estimate how often it holds.
    """
    if isinstance(column.type, sa.Boolean):
        return column == sa.literal(on, sa.Boolean)
    return column != 0 if on else column == 0


def visible(
    site: Site, connection: sa.Connection, caller: Caller, document: sa.TableClause
) -> list[sa.ColumnElement[bool]]:
    """Conditions that hold for those rows of `document` (site_content or an alias) that the caller may see."""
    if _administrator(site, connection, caller):
        return []
    private = [switched(document.c[name], False) for name in ("privateweb", "privatemgr") if name in document.c]
    members = site.find("document_groups")
    if members is None or connection.execute(sa.select(1).select_from(members).limit(1)).first() is None:
        return private
    open_to_all = sa.and_(*private, document.c.id.not_in(sa.select(members.c.document)))
    groups = _groups(site, connection, caller)
    if not groups:
        return [open_to_all]
    allowed = sa.select(members.c.document).where(members.c.document_group.in_(groups))
    return [sa.or_(open_to_all, document.c.id.in_(allowed))]


def _administrator(site: Site, connection: sa.Connection, caller: Caller) -> bool:
    users = site.find("user_attributes")
    if not caller.user_id or users is None or "role" not in users.c:
        return False
    role = sa.select(users.c.role).where(users.c.internalKey == caller.user_id)
    return connection.execute(role).scalar() == ADMINISTRATOR


def _groups(site: Site, connection: sa.Connection, caller: Caller) -> list[int]:
    """The document groups that the caller's user groups have access to."""
    members, access = site.find("member_groups"), site.find("membergroup_access")
    if not caller.user_id or members is None or access is None:
        return []
    joined = access.join(members, members.c.user_group == access.c.membergroup)
    found = sa.select(access.c.documentgroup).select_from(joined).where(members.c.member == caller.user_id)
    return sorted({int(group) for (group,) in connection.execute(found)})

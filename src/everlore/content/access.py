"""Who asks, and which documents that caller may see.

A document is protected when it is marked private or belongs to a document group. It is shown to members of a group
with access to one of its document groups, and to the site's administrators; to nobody else, through no tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.connect import Site

VISITOR: Final = 0
"""The number of a caller who is no user of the site."""
ADMINISTRATOR: Final = 1
"""The role that Evolution CMS lets see everything."""
SENSITIVE: Final = frozenset({"password", "cachepwd", "verified_key", "refresh_token", "access_token", "sessionid"})
"""Fields that are shown to nobody and compared with nothing, be they columns or template variables."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What every tool works with: the site, a connection that sees one moment of it, and what hides the rest."""

    site: Site
    connection: sa.Connection
    document: sa.TableClause
    """site_content."""
    shown: Sequence[sa.ColumnElement[bool]]
    """Conditions on `document`: the caller may see it."""

    def there(self, *where: sa.ColumnElement[bool], deleted: bool = False) -> sa.Select[Any]:
        """The ids of documents for which this holds, also of those that the caller may not see."""
        return sa.select(self.document.c.id).where(self.switch("deleted", deleted), *where)

    def numbers(self, query: sa.Select[Any]) -> list[int]:
        """What a query of one column of ids gives."""
        return [int(id_) for (id_,) in self.connection.execute(query)]

    def switch(self, name: str, wanted: bool) -> sa.ColumnElement[bool]:
        """Whether a flag of the document is so. A site without the column has it unset everywhere."""
        if name not in self.document.c:
            return sa.false() if wanted else sa.true()
        return _switched(self.document.c[name], wanted)


@contextmanager
def asking(site: Site, user_id: int) -> Iterator[Asking]:
    document = site.table("site_content")
    with site.reading() as connection:
        yield Asking(site, connection, document, _visible(site, connection, user_id, document))


def _switched(column: sa.ColumnElement[Any], on: bool) -> sa.ColumnElement[bool]:
    """Some databases keep a flag as a number, where anything but 0 is yes, others as a boolean.

    Said in the column's own type, so that the database can estimate how often it holds.
    """
    if isinstance(column.type, sa.Boolean):
        return column == sa.literal(on, sa.Boolean)
    return column != 0 if on else column == 0


def _visible(
    site: Site, connection: sa.Connection, user_id: int, document: sa.TableClause
) -> list[sa.ColumnElement[bool]]:
    users = site.find("user_attributes")
    if user_id and users is not None and "role" in users.c:
        role = sa.select(users.c.role).where(users.c.internalKey == user_id)
        if connection.execute(role).scalar() == ADMINISTRATOR:
            return []
    private = [_switched(document.c[name], False) for name in ("privateweb", "privatemgr") if name in document.c]
    protected = site.find("document_groups")
    if protected is None or connection.execute(sa.select(1).select_from(protected).limit(1)).first() is None:
        return private
    open_to_all = sa.and_(*private, document.c.id.not_in(sa.select(protected.c.document)))
    members, access = site.find("member_groups"), site.find("membergroup_access")
    if not user_id or members is None or access is None:
        return [open_to_all]
    joined = access.join(members, members.c.user_group == access.c.membergroup)
    found = sa.select(access.c.documentgroup).select_from(joined).where(members.c.member == user_id)
    groups = sorted({int(group) for (group,) in connection.execute(found)})
    allowed = sa.select(protected.c.document).where(protected.c.document_group.in_(groups))
    return [sa.or_(open_to_all, document.c.id.in_(allowed)) if groups else open_to_all]

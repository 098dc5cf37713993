"""Protected documents are shown to members of their groups and to administrators, to nobody else."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from bench.site import describe
from everlore.config import EmcpSection
from everlore.content.access import asking
from everlore.content.connect import open_site

MEMBER, OTHER, ADMINISTRATOR = 5, 6, 7
ROWS: dict[str, list[dict[str, object]]] = {
    "site_content": [{"id": 1}, {"id": 2}, {"id": 3, "privateweb": True}],
    "document_groups": [{"document": 2, "document_group": 9}],
    "membergroup_access": [{"membergroup": 4, "documentgroup": 9}],
    "member_groups": [{"member": MEMBER, "user_group": 4}],
    "user_attributes": [{"internalKey": ADMINISTRATOR, "role": 1}, {"internalKey": MEMBER, "role": 2}],
}


def test_who_sees_what(tmp_path: Path) -> None:
    path = tmp_path / "site.db"
    metadata = describe()
    engine = sa.create_engine(f"sqlite:///{path}")
    metadata.create_all(engine)
    with engine.begin() as connection:
        for table, rows in ROWS.items():
            for row in rows:
                connection.execute(metadata.tables[table].insert().values(row))
    engine.dispose()
    site = open_site(EmcpSection(), path)
    seen = {}
    for user in (0, OTHER, MEMBER, ADMINISTRATOR):
        with asking(site, user) as ask:
            seen[user] = ask.numbers(sa.select(ask.document.c.id).where(*ask.shown).order_by(ask.document.c.id))
    site.close()
    assert seen == {0: [1], OTHER: [1], MEMBER: [1, 2], ADMINISTRATOR: [1, 2, 3]}

"""How much is in a site: for its owner, not for callers."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from everlore.content.connect import Site

COUNTED: Final = {
    "documents": "site_content",
    "template variables": "site_tmplvars",
    "values": "site_tmplvar_contentvalues",
    "templates": "site_templates",
    "tags": "tags",
    "protected": "document_groups",
}


def counts(site: Site) -> dict[str, int]:
    site.table("site_content")
    tables = {name: site.find(table) for name, table in COUNTED.items()}
    with site.reading() as connection:
        return {
            name: int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
            for name, table in tables.items()
            if table is not None
        }

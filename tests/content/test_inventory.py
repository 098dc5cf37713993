"""What is in a site, for its owner."""

from __future__ import annotations

from pathlib import Path

from everlore.config import EmcpSection
from everlore.content.connect import open_site
from everlore.content.importing import import_folder
from everlore.content.inventory import documents


def test_texts_for_others(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    site = open_site(EmcpSection(), database)
    try:
        found = {one.title: one.text for one in documents(site)}
    finally:
        site.close()
    assert found["Install"] == "Run it."
    assert "Draft" not in found

"""What is in a site, for its owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.config import EmcpSection
from everlore.content.connect import open_site
from everlore.content.importing import import_folder
from everlore.content.inventory import documents

FILES = {
    "index.md": "---\ntitle: Home\n---\nWelcome.",
    "02-second.md": "# The second page\n\nText.",
    "10-tenth.md": "Only text.",
    "guide/README.md": "---\nlongtitle: All of the guide\nauthor: Ада\n---\n# Guide",
    "guide/install.md": "---\ntitle: Install\nprice: 12.5\ntags: [setup, linux]\ntemplate: Manual\n---\nRun it.",
    "guide/deep/er/page.md": "Deep down.",
    "draft.md": "---\ndraft: true\nhidemenu: true\norder: 99\ndate: 2026-05-28\nslug: my-draft\n---\nNot yet.",
    ".hidden/secret.md": "no",
    "notes.txt": "no",
    "empty/nothing.txt": "no",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "docs"
    for name, text in FILES.items():
        write(top, name, text)
    return top


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "vault" / ".everlore" / "content.db"


def write(top: Path, name: str, text: str) -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_texts_for_others(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    site = open_site(EmcpSection(), database)
    try:
        found = {one.title: one.text for one in documents(site)}
    finally:
        site.close()
    assert found["Install"] == "Run it."
    assert "Draft" not in found

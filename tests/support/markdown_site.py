"""A folder of markdown that becomes a site, and what its content tools say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from everlore.config import EmcpSection
from everlore.content import arguments as a
from everlore.content import tools
from everlore.content.connect import open_site

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


def write(top: Path, name: str, text: str) -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def titles(database: Path) -> dict[str, dict[str, Any]]:
    found = ask(database, "evo.content.search", a.Search, limit=100, with_tvs=["author", "price", "tags"])["items"]
    return {one["pagetitle"]: one for one in found}


def ask(database: Path, name: str, shape: type[a.Arguments], **arguments: Any) -> dict[str, Any]:
    site = open_site(EmcpSection(), database)
    try:
        return tools.answer(site, 0, name, a.check(shape, arguments, 100))
    finally:
        site.close()

"""How a file becomes a page."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from everlore.config import EmcpSection
from everlore.content import arguments as a
from everlore.content import tools
from everlore.content.access import Caller
from everlore.content.connect import open_site
from everlore.content.importing import import_folder

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


def titles(database: Path) -> dict[str, dict[str, Any]]:
    found = ask(database, "evo.content.search", a.Search, limit=100, with_tvs=["author", "price", "tags"])["items"]
    return {one["pagetitle"]: one for one in found}


def ask(database: Path, name: str, shape: type[a.Arguments], **arguments: Any) -> dict[str, Any]:
    site = open_site(EmcpSection(), database)
    try:
        return tools.TOOLS[name](site, Caller(), a.check(shape, arguments, 100))
    finally:
        site.close()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_not_followed(folder: Path, database: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", "secret.md", "# Outside")
    (folder / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (folder / "linked").symlink_to(tmp_path / "outside")
    import_folder(database, folder)
    assert "Outside" not in titles(database)


def test_names_of_variables_in_any_script(folder: Path, database: Path) -> None:
    keys = [
        "цена",
        "вес",
        "größe",
        "grosse",
        "my field",
        "my.field",
        "価格",
        "重さ",
        "Щит",
        "x" * 60,
        "x" * 61,
        "€",
        "%",
    ]
    front = "".join(f"{json.dumps(key, ensure_ascii=False)}: v{at}\n" for at, key in enumerate(keys))
    write(folder, "names.md", f"---\ntitle: Names\n{front}---\n")
    import_folder(database, folder)
    listed = ask(database, "evo.model.list", a.ModelList, model="SiteTmplvar", limit=100)["items"]
    names = {one["caption"]: one["name"] for one in listed}
    found = ask(database, "evo.content.search", a.Search, limit=100, with_tvs=[names[key] for key in keys])["items"]
    (page,) = [one for one in found if one["pagetitle"] == "Names"]
    assert [page["tvs"][names[key]] for key in keys] == [f"v{at}" for at in range(len(keys))], "nothing is lost"
    assert [names[key] for key in ("цена", "вес", "größe", "my field", "Щит")] == [
        "tsena", "ves", "grosse", "my_field", "Shchit",
    ]  # fmt: skip
    assert names["grosse"].startswith("grosse_")
    assert import_folder(database, folder).changed == 0

"""How a file becomes a page."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from markdown_site import ask, titles, write

from everlore.content import arguments as a
from everlore.content.importing import import_folder


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

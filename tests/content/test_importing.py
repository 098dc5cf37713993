"""A folder of markdown as a site: what becomes of files, folders and front matter, and of changes to them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_site import ask, titles, write
from serving import clean_env, running

from everlore.config import EmcpSection
from everlore.content import arguments as a
from everlore.content.connect import open_site
from everlore.content.importing import forget_folder, import_folder, sources
from everlore.errors import InvalidInput, Misconfigured


def closure(database: Path) -> set[tuple[int, int, int]]:
    connection = sqlite3.connect(database)
    try:
        return set(connection.execute("SELECT ancestor, descendant, depth FROM site_content_closure"))
    finally:
        connection.close()


def closure_of_parents(database: Path) -> set[tuple[int, int, int]]:
    connection = sqlite3.connect(database)
    parents = dict(connection.execute("SELECT id, parent FROM site_content"))
    connection.close()
    found = set()
    for document in parents:
        above, depth = document, 0
        while above:
            found.add((above, document, depth))
            above, depth = parents[above], depth + 1
    return found


def test_files_and_folders_become_a_tree(folder: Path, database: Path) -> None:
    report = import_folder(database, folder)
    assert (report.added, report.removed, report.unreadable) == (9, 0, {})
    found = titles(database)
    assert set(found) == {"Home", "The second page", "Tenth", "Guide", "Install", "Deep", "Er", "Page", "Draft"}
    assert found["Guide"]["isfolder"] == 1
    assert found["Guide"]["longtitle"] == "All of the guide"
    assert found["Install"]["parent"] == found["Guide"]["id"]
    assert found["Er"]["parent"] == found["Deep"]["id"]
    assert found["Page"]["parent"] == found["Er"]["id"]
    roots = ask(database, "evo.content.search", a.Search, limit=100, parent=0, depth=1, order_by="menuindex")["items"]
    assert [one["pagetitle"] for one in roots] == ["Home", "The second page", "Tenth", "Guide", "Draft"]
    assert closure(database) == closure_of_parents(database)


def test_front_matter_is_fields_and_variables(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    found = titles(database)
    draft = found["Draft"]
    assert (draft["published"], draft["hidemenu"], draft["menuindex"]) == (0, True, 99)
    assert (draft["alias"], draft["createdon"]) == ("my-draft", 1_779_926_400)
    assert found["Install"]["tvs"] == {"author": None, "price": "12.5", "tags": "setup||linux"}
    assert found["Guide"]["tvs"]["author"] == "Ада"
    assert found["Install"]["template"] != found["Home"]["template"]
    filters = [{"tv": "price", "op": ">", "value": "12", "cast": "DECIMAL(6,2)"}]
    assert ask(database, "evo.content.search", a.Search, limit=5, tv_filters=filters)["meta"]["count"] == 1
    variable = ask(database, "evo.model.list", a.ModelList, model="SiteTmplvar", limit=50)["items"]
    tags = {"tv_id": next(one["id"] for one in variable if one["name"] == "tags"), "tags": ["linux"]}
    assert ask(database, "evo.content.search", a.Search, limit=5, tags_data=tags)["meta"]["count"] == 1


def test_importing_again_updates_and_removes(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    before = titles(database)
    assert import_folder(database, folder).unchanged == 9
    write(folder, "guide/install.md", "---\ntitle: Install\n---\nShorter.")
    (folder / "guide/deep/er/page.md").unlink()
    (folder / "10-tenth.md").unlink()
    write(folder, "guide/usage.md", "# Usage")
    report = import_folder(database, folder)
    assert (report.added, report.removed) == (1, 4)
    after = titles(database)
    assert after["Install"]["id"] == before["Install"]["id"]
    assert after["Install"]["tvs"] == {"author": None, "price": None, "tags": None}
    assert "Page" not in after
    assert "Deep" not in after
    assert after["Usage"]["id"] > max(one["id"] for one in before.values())
    assert closure(database) == closure_of_parents(database)


def test_an_id_is_never_used_twice(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    last = max(one["id"] for one in titles(database).values())
    forget_folder(database, folder)
    assert titles(database) == {}
    import_folder(database, folder)
    assert min(one["id"] for one in titles(database).values()) > last


def test_a_file_that_cannot_be_read_keeps_its_document(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    write(folder, "guide/install.md", "---\ntitle: [\n---\nbroken")
    (folder / "02-second.md").write_bytes(b"\xff\xfe not utf-8")
    write(folder, "guide/flags.md", "---\npublished: perhaps\n---\n")
    report = import_folder(database, folder)
    assert set(report.unreadable) == {"guide/install.md", "02-second.md", "guide/flags.md"}
    assert "line" in report.unreadable["guide/install.md"]
    assert report.removed == 0
    found = titles(database)
    assert found["Install"]["tvs"]["price"] == "12.5"
    assert "The second page" in found


def test_folders_do_not_touch_each_others_documents(folder: Path, database: Path, tmp_path: Path) -> None:
    import_folder(database, folder)
    write(tmp_path / "other", "a.md", "# Another")
    import_folder(database, tmp_path / "other")
    assert len(titles(database)) == 10
    forget_folder(database, folder)
    assert list(titles(database)) == ["Another"]
    assert sources(database) == {str((tmp_path / "other").resolve()): 1}


def test_what_is_not_there_is_said(database: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a folder"):
        import_folder(database, tmp_path / "nowhere")
    assert not database.exists()
    with pytest.raises(Misconfigured, match="everlore content import"):
        ask(database, "evo.content.get", a.Get, id=1)
    for url in ("oracle://x/y", "not a url", "sqlite://", "mysql//x"):
        with pytest.raises(Misconfigured, match="EVEROS_EMCP__DATABASE_URL"):
            open_site(EmcpSection(database_url=url), database)


def everlore(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everlore", "content", *words],
        env=clean_env(root),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_command_and_a_running_server(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    with running(root) as server:
        get = {"name": "evo.content.search", "arguments": {"limit": 50}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": get}
        before = server.client.post("/api/v1/mcp/content", json=body).json()
        assert before["error"]["code"] == -32603
        done = everlore(root, "import", str(folder), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["added"] == 9
        after = server.client.post("/api/v1/mcp/content", json=body).json()
        assert after["result"]["structuredContent"]["meta"]["count"] == 9
    write(folder, "bad.md", "---\n- x\n---\n")
    broken = everlore(root, "import", str(folder))
    assert broken.returncode == 1
    assert "bad.md" in broken.stdout
    status = json.loads(everlore(root, "status", "--json").stdout)
    assert status["documents"] == 9
    assert status["folders"] == {str(folder.resolve()): 9}
    assert everlore(root, "import", str(tmp_path / "nowhere")).returncode == 1
    assert json.loads(everlore(root, "forget", str(folder), "--json").stdout)["removed"] == 9

"""Projects keep their ids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from code_tools_client import call, names, put

from everlore.code import chunk_count, delete_all
from everlore.code.projects import Projects
from everlore.engine import Engine
from everlore.errors import NotFound


def test_a_project_keeps_its_id_and_a_namesake_gets_another(tmp_path: Path) -> None:
    projects = Projects(tmp_path / "projects.db")
    one, two = tmp_path / "1" / "app", tmp_path / "2" / "app"
    first, second = projects.register(one, False), projects.register(two, True)
    assert first.id == "app"
    assert second.id.startswith("app-")
    assert (projects.register(one, True).watch, projects.register(two, False).watch) == (True, True)
    projects.remove("app")
    assert projects.register(two, False).id == second.id
    assert projects.register(tmp_path / "3" / "app", False).id == "app"
    projects.close()
    again = Projects(tmp_path / "projects.db")
    assert [project.id for project in again.all()] == sorted(["app", second.id])
    again.close()


def test_a_second_folder_of_the_same_name_gets_an_id_of_its_own(engine: Engine, tmp_path: Path) -> None:
    put(tmp_path, "one/app/a.py", "def first(): pass\n")
    put(tmp_path, "two/app/b.py", "def second(): pass\n")
    ids = [call(engine, "index_project", path=str(tmp_path / side / "app"))["project_id"] for side in ("one", "two")]
    assert ids[0] == "app"
    assert re.fullmatch(r"app-[0-9a-f]{6}", ids[1])
    assert [
        call(engine, "index_project", path=str(tmp_path / side / "app"))["project_id"] for side in ("one", "two")
    ] == ids
    assert call(engine, "list_projects") == {"projects": sorted(ids), "count": 2}
    assert names(engine, "second", project_id=ids[1])[0] == "second"
    assert "second" not in names(engine, "second", project_id=ids[0])
    assert {hit["name"] for hit in call(engine, "search_code", query="first second")["results"]} == {"first", "second"}


def test_a_deleted_project_is_gone(engine: Engine, shop: Path, tmp_path: Path) -> None:
    put(tmp_path, "other/b.py", "def elsewhere(): pass\n")
    created = call(engine, "index_project", path=str(shop))["chunks_created"]
    call(engine, "index_project", path=str(tmp_path / "other"))
    assert call(engine, "delete_project", project_id="shop") == {"chunks_deleted": created}
    assert call(engine, "list_projects")["projects"] == ["other"]
    assert names(engine, "add_item") in ([], ["elsewhere"])
    assert (shop / "src/cart.py").exists(), "the sources stay"
    with pytest.raises(NotFound, match=r"^Project not found: shop$"):
        call(engine, "delete_project", project_id="shop")
    assert call(engine, "index_project", path=str(shop))["chunks_created"] == created
    total = chunk_count(engine)
    assert delete_all(engine) == total == created + 1
    assert call(engine, "list_projects") == {"projects": [], "count": 0}

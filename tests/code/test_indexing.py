"""The five tools on a real vault: indexing, searching, progress, deleting, errors."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from code_tools_client import BY_NAME, CART, call, completed, names, put
from embeddings import Endpoint

from everlore.code import chunk_count, code_hits, open_code
from everlore.engine import Engine
from everlore.errors import InvalidInput


def test_a_project_is_indexed_and_found(engine: Engine, shop: Path) -> None:
    answer = call(engine, "index_project", path=str(shop))
    assert answer == {"project_id": "shop", "files_indexed": 3, "chunks_created": answer["chunks_created"]}
    assert answer["chunks_created"] == 8
    done = completed(engine, "shop")
    assert done["total_files"] == done["indexed_files"] == 3
    assert done["total_chunks"] == 8 == chunk_count(engine)
    assert (done["progress_percent"], done["eta_seconds"]) == (100.0, 0)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", done["started_at"])
    assert done["completed_at"] >= done["started_at"]
    assert set(done) == {
        "project_id", "status", "total_files", "indexed_files", "total_chunks", "progress_percent", "eta_seconds",
        "started_at", "completed_at",
    }  # fmt: skip
    found = call(engine, "search_code", query="put an article into the cart", project_id="shop")
    assert found["count"] == len(found["results"])
    best = found["results"][0]
    assert set(best) == {
        "id", "file_path", "content", "language", "start_line", "end_line", "chunk_type", "name", "score",
    }  # fmt: skip
    assert (best["name"], best["chunk_type"], best["language"]) == ("add_item", "method", "python")
    assert (best["file_path"], best["start_line"], best["end_line"]) == ("src/cart.py", 7, 9)
    assert best["content"] == "\n".join(CART.split("\n")[6:9])
    assert re.fullmatch(r"[0-9a-f]{20}", best["id"])
    assert all(0 <= hit["score"] <= 1 for hit in found["results"])
    scores = [hit["score"] for hit in found["results"]]
    assert scores == sorted(scores, reverse=True)


def test_only_changed_files_are_touched(engine: Engine, shop: Path, vectors: Endpoint) -> None:
    first = call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    assert call(engine, "index_project", path=str(shop)) == first | {"files_indexed": 0, "chunks_created": 0}
    code = engine.part(open_code)
    before = {hit.name: hit.id for hit in code_hits(engine, "shop cart price config", limit=50)}
    vectors.texts.clear()
    put(shop, "src/cart.py", CART.replace('"""A shop."""\n', '"""A shop."""\n\nTAX = 19\n').replace("toml", "json"))
    (shop / "README.md").unlink()
    changed = call(engine, "index_project", path=str(shop))
    assert changed["files_indexed"] == 1
    done = completed(engine, "shop")
    assert (done["total_files"], done["total_chunks"]) == (2, 7)
    assert "parse_config" in names(engine, "jsonlib loads")
    assert not any("tomllib" in hit.content for hit in code_hits(engine, "tomllib", limit=50))
    after = {hit.name: hit.id for hit in code_hits(engine, "shop cart price config", limit=50)}
    assert after["add_item"] == before["add_item"], "a chunk that only moved is the same chunk"
    assert after["parse_config"] == before["parse_config"]
    assert sum(text.startswith("src/") for text in vectors.texts) == 2, "only what differs is embedded"
    assert code.index.upkeep.check() == []


def test_a_touched_file_that_says_the_same_costs_nothing(engine: Engine, shop: Path, vectors: Endpoint) -> None:
    call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    vectors.texts.clear()
    os.utime(shop / "src/cart.py", ns=(1, 1))
    assert call(engine, "index_project", path=str(shop))["chunks_created"] == 0
    completed(engine, "shop")
    assert not vectors.texts


@pytest.mark.parametrize("path", ["", "   ", "/no/such/folder", "no-such", "nul\0byte", "~no-such-user/x", "x" * 5000])
def test_a_bad_path_is_named(engine: Engine, path: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        call(engine, "index_project", path=path)
    assert str(raised.value) == f"Invalid path: {path}"
    assert call(engine, "list_projects")["count"] == 0


def test_a_file_is_no_project(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Invalid path"):
        call(engine, "index_project", path=str(put(tmp_path, "a.py")))


def test_an_empty_folder_is_an_empty_project(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert call(engine, "index_project", path=str(tmp_path / "empty"))["files_indexed"] == 0
    done = completed(engine, "empty")
    assert (done["total_files"], done["total_chunks"], done["progress_percent"]) == (0, 0, 100.0)
    assert call(engine, "search_code", query="anything", project_id="empty") == {"results": [], "count": 0}


def test_odd_files_are_indexed_with_exact_lines(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "odd"
    root.mkdir()
    (root / "crlf.py").write_bytes(
        b"\xef\xbb\xbfdef windows():\r\n    return 1\r\n\r\n\r\ndef second():\r\n    pass\r\n"
    )
    (root / "latin.py").write_bytes("def straße():\n    return 'ü'\n".encode("latin-1"))
    (root / "binary.py").write_bytes(b"\0\1\2")
    (root / "empty.py").write_bytes(b"")
    (root / "min.js").write_bytes(b"var a=1;" * 62_500)
    call(engine, "index_project", path=str(root))
    done = completed(engine, "odd")
    assert (done["total_files"], done["indexed_files"]) == (3, 3)
    [hit] = [hit for hit in code_hits(engine, "second") if hit.name == "second"]
    assert (hit.start_line, hit.end_line, hit.content) == (5, 6, "def second():\n    pass")
    assert "straße" in names(engine, "straße")


def test_the_tools_are_those_of_the_contract() -> None:
    assert list(BY_NAME) == ["index_project", "search_code", "get_index_status", "list_projects", "delete_project"]
    required = {name: tool.input_schema.get("required", []) for name, tool in BY_NAME.items()}
    assert required == {
        "index_project": ["path"],
        "search_code": ["query"],
        "get_index_status": ["project_id"],
        "list_projects": [],
        "delete_project": ["project_id"],
    }
    assert BY_NAME["index_project"].input_schema["properties"]["watch"]["default"] is False
    assert BY_NAME["search_code"].input_schema["properties"]["limit"] == {
        "description": "Maximum results (default: 10, max: 50)",
        "type": "integer",
        "default": 10,
    }
    assert [tool.description for tool in BY_NAME.values()] == [
        "Index a codebase for semantic search.",
        "Semantic search over indexed code.",
        "Get indexing status for a project.",
        "List all indexed projects.",
        "Delete all indexed code chunks for a project.",
    ]
    assert BY_NAME["search_code"].input_schema["properties"]["project_id"]["nullable"] is True
    assert [name for name, tool in BY_NAME.items() if tool.destroys] == ["delete_project"]

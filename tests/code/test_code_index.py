"""The five tools on a real vault: indexing, searching, progress, deleting, errors."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from code_tools_client import BY_NAME, call, completed, names, put, status
from embeddings import Endpoint, endpoint
from vaults import open_vault, within

from everlore.code import chunk_count, code_hits, delete_all, open_code
from everlore.code.projects import Project
from everlore.code.rows import owner_of
from everlore.code.status import progress
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound

CART = '''"""A shop."""


class ShoppingCart:
    """Collects what a customer wants to buy."""

    def add_item(self, item, quantity=1):
        """Put an article into the cart."""
        self.items.append((item, quantity))

    def totalPrice(self):
        return sum(item.price * quantity for item, quantity in self.items)


def parse_config(path):
    """Read the settings from a TOML file."""
    return tomllib.loads(path.read_text())
'''
MAIN_RS = """fn main() {
    println!("hello");
}

pub struct Engine {
    cylinders: u32,
}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    put(root, "src/cart.py", CART)
    put(root, "src/main.rs", MAIN_RS)
    put(root, "README.md", "# Shop\n\nHow refunds are handled by the accounting people.\n")
    put(root, "node_modules/left/pad.js", "function leftPad() {}\n")
    return root


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


IDENTIFIERS = {
    "add_item": "add_item",
    "totalPrice": "totalPrice",
    "totalprice": "totalPrice",
    "total price": "totalPrice",
    "main": "main",
    "ShoppingCart": "ShoppingCart",
    "ShoppingCart.add_item": "add_item",
    "Engine": "Engine",
    "where is parse_config?": "parse_config",
}
ODD = ["'", '"', "AND OR NOT", "*", "a" * 10_000, "日本語", "\0", "def f(x): -> [] {}", "; DROP"]


def test_identifiers_hit_and_odd_queries_are_answered(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    assert {query: names(engine, query)[0] for query in IDENTIFIERS} == IDENTIFIERS
    for query in ODD:
        assert call(engine, "search_code", query=query)["count"] >= 0


def test_vendored_code_is_not_found(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    assert "leftPad" not in names(engine, "leftPad")


def test_a_limit_and_a_language_narrow_the_answer(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    assert len(names(engine, "the shop", limit=2)) == 2
    assert {hit.language for hit in code_hits(engine, "main", language="rust", limit=50)} == {"rust"}
    assert code_hits(engine, "main", language="cobol") == []
    hits = code_hits(engine, "cart add item", "shop", limit=50)
    assert all(0 <= score <= 1 for hit in hits for score in (hit.vector_score, hit.bm25_score, hit.ppr_score))
    [method] = [hit for hit in hits if hit.name == "add_item"]
    assert method.breadcrumb == "class ShoppingCart > method add_item"
    assert method.bm25_score == max(hit.bm25_score for hit in hits)


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
    assert code.index.check() == []


def test_a_touched_file_that_says_the_same_costs_nothing(engine: Engine, shop: Path, vectors: Endpoint) -> None:
    call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    vectors.texts.clear()
    os.utime(shop / "src/cart.py", ns=(1, 1))
    assert call(engine, "index_project", path=str(shop))["chunks_created"] == 0
    completed(engine, "shop")
    assert not vectors.texts


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


@pytest.mark.parametrize("name", ["get_index_status", "delete_project"])
def test_an_unknown_project_is_named(engine: Engine, name: str) -> None:
    with pytest.raises(NotFound, match=r"^Project not found: nobody$"):
        call(engine, name, project_id="nobody")
    with pytest.raises(NotFound, match=r"^Project not found: nobody$"):
        call(engine, "search_code", query="x", project_id="nobody")


def test_an_empty_query_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="query"):
        call(engine, "search_code", query="  ")


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


def test_code_is_found_by_its_words_while_the_embedder_is_down(tmp_path: Path, shop: Path) -> None:
    with endpoint() as vectors:
        vectors.broken = True
        engine = open_vault(tmp_path / "vault", vectors.url)
        try:
            call(engine, "index_project", path=str(shop))
            assert names(engine, "add_item")[0] == "add_item"
            assert names(engine, "settings from a TOML file")[0] == "parse_config"
            within(20, lambda: status(engine, "shop")["status"] == "failed")
            failed = status(engine, "shop")
            assert failed["error"]
            assert failed["completed_at"] is None
            assert failed["progress_percent"] < 100
            assert failed["eta_seconds"] is None
            vectors.broken = False
            done = completed(engine, "shop")
            assert "error" not in done
        finally:
            engine.close()


def test_a_call_does_not_wait_for_slow_embeddings(tmp_path: Path) -> None:
    root = tmp_path / "large"
    for number in range(40):
        put(root, f"m{number}.py", "\n\n".join(f"def f_{number}_{n}():\n    return {n}" for n in range(10)))
    with endpoint() as vectors:
        vectors.delay = 0.3
        engine = open_vault(tmp_path / "vault", vectors.url)
        try:
            answer = call(engine, "index_project", path=str(root))
            assert answer["files_indexed"] == 40
            assert names(engine, "f_39_9")[0] == "f_39_9", "found by its words before it has a vector"
            now = status(engine, "large")
            assert now["status"] == "indexing"
            assert now["completed_at"] is None
            assert 0 < now["progress_percent"] < 100
            assert now["eta_seconds"] >= 1
            vectors.delay = 0
            completed(engine, "large")
        finally:
            engine.close()


def test_progress_is_honest() -> None:
    begun = Project("p", "/p", state="indexing", total_files=100, indexed_files=50, backlog=500)
    assert progress(begun, 500) == pytest.approx(0.05)
    assert progress(begun, 0) == pytest.approx(0.5), "half of the files are still to be read and embedded"
    read = Project("p", "/p", state="indexing", total_files=100, indexed_files=100, backlog=1000, read=True)
    assert progress(read, 1000) == pytest.approx(0.1)
    assert progress(read, 500) == pytest.approx(0.55)
    assert progress(read, 0) == pytest.approx(1.0)
    assert progress(Project("p", "/p"), 0) == 0.0


def test_a_folder_that_is_gone_takes_nothing_with_it(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    code = engine.part(open_code)
    shop.rename(shop.with_name("moved"))
    run = code._run("shop")
    assert run.over.wait(60)
    failed = status(engine, "shop")
    assert failed["status"] == "failed"
    assert str(shop) in failed["error"]
    assert failed["total_chunks"] == 8


def test_an_index_that_was_lost_is_filled_again(tmp_path: Path, shop: Path, vectors: Endpoint) -> None:
    root = tmp_path / "vault"
    engine = open_vault(root, vectors.url)
    call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    engine.close()
    for path in (root / ".everlore").glob("code.db*"):
        path.unlink()
    engine = open_vault(root, vectors.url)
    try:
        within(10, lambda: status(engine, "shop")["total_chunks"] == 8)
        completed(engine, "shop")
    finally:
        engine.close()


def test_chunks_of_no_project_are_cleared_away(tmp_path: Path, shop: Path, vectors: Endpoint) -> None:
    root = tmp_path / "vault"
    engine = open_vault(root, vectors.url)
    call(engine, "index_project", path=str(shop))
    engine.close()
    for path in (root / ".everlore").glob("projects.db*"):
        path.unlink()
    engine = open_vault(root, vectors.url)
    try:
        assert call(engine, "search_code", query="add_item")["count"] == 0
        index = engine.part(open_code).index
        within(10, lambda: not dict(index.owners()).get(owner_of("shop")))
    finally:
        engine.close()


def test_code_and_memories_do_not_mix(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    assert engine.index.status().rows == {}
    assert not (engine.settings.memory.root / "shop").exists()


def test_nothing_is_opened_before_it_is_used(engine: Engine) -> None:
    assert not (engine.settings.memory.root / ".everlore" / "code.db").exists()
    assert call(engine, "list_projects")["count"] == 0
    assert (engine.settings.memory.root / ".everlore" / "code.db").exists()


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


def test_what_the_best_hits_call_is_near_to_them(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "calls"
    put(root, "a.py", "def settle_invoice(bill):\n    return round_amount(bill) + lookup(bill)\n")
    put(root, "b.py", "def round_amount(value):\n    return int(value)\n")
    put(root, "c.py", "def unrelated_thing(value):\n    return int(value)\n")
    put(root, "d.py", "\n\n".join(f"class C{n}:\n    def lookup(self): return int(value)" for n in range(5)))
    call(engine, "index_project", path=str(root))
    completed(engine, "calls")
    near = {hit.name: hit.ppr_score for hit in code_hits(engine, "settle invoice value", "calls", limit=50)}
    assert near["settle_invoice"] == 1.0
    assert 0 < near["round_amount"] <= 1
    assert near["round_amount"] > near["unrelated_thing"]


def test_another_model_gets_vectors_of_its_own(tmp_path: Path, shop: Path) -> None:
    root = tmp_path / "vault"
    with endpoint() as first, endpoint(32) as second:
        engine = open_vault(root, first.url)
        call(engine, "index_project", path=str(shop))
        completed(engine, "shop")
        engine.close()
        settings = {"base_url": second.url, "model": "other", "dimension": 32, "timeout_seconds": 2}
        engine = open_vault(root, second.url, embedding=settings)
        try:
            call(engine, "list_projects")
            within(10, lambda: second.texts.total() >= 8)
            completed(engine, "shop")
            assert engine.part(open_code).index.status().unembedded == 0
        finally:
            engine.close()

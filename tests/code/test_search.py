"""Finding code."""

from __future__ import annotations

from pathlib import Path

import pytest
from code_tools_client import call, completed, names, status
from embeddings import endpoint
from vaults import open_vault, within

from everlore.code import code_hits
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound

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


@pytest.mark.parametrize("name", ["get_index_status", "delete_project"])
def test_an_unknown_project_is_named(engine: Engine, name: str) -> None:
    with pytest.raises(NotFound, match=r"^Project not found: nobody$"):
        call(engine, name, project_id="nobody")
    with pytest.raises(NotFound, match=r"^Project not found: nobody$"):
        call(engine, "search_code", query="x", project_id="nobody")


def test_an_empty_query_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="query"):
        call(engine, "search_code", query="  ")


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


def test_code_and_memories_do_not_mix(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    assert engine.index.upkeep.status().rows == {}
    assert not (engine.settings.memory.root / "shop").exists()

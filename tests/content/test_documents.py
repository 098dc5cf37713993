"""A large site is searched in other ways than a small one, and answers the same.

What counts as large is set so low that a few hundred documents are; the answers are compared with those that the
same database gives in the ways for small sites, which the contract's tests check against the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sites import PREFIX, Stand

from bench.site import ADMIN, MEMBER, TAG_VARIABLE
from everlore.config import EmcpSection
from everlore.content import arguments, documents, tools, tree
from everlore.content.connect import Site, open_site
from everlore.content.importing import import_folder

LIMIT = 45
PRICE = {"tv": "price", "cast": "UNSIGNED"}
SEARCHES: list[dict[str, Any]] = [
    {"parent": 1},
    {"parent": 1, "depth": 2, "order_by_date": "desc"},
    {"parent": 3, "order_by": "pagetitle"},
    {"parent": 0, "order_by": "menuindex", "order_dir": "desc"},
    {"order_by": "pagetitle", "published": True},
    {"order_by_date": "asc", "deleted": True},
    {"tv_order": [PRICE | {"dir": "desc"}]},
    {"tv_order": [PRICE | {"dir": "asc"}]},
    {"tv_order": [{"tv": "author", "dir": "desc"}], "parent": 2},
    {"tv_order": [{"tv": "color", "dir": "asc", "use_default": True}]},
    {"tv_order": [PRICE | {"dir": "desc"}], "order_by": "createdon"},
    {"tv_order": [PRICE | {"dir": "desc"}], "tv_filters": [{"tv": "color", "op": "=", "value": "red"}]},
    {"tv_order": [PRICE | {"dir": "asc"}], "tags_data": {"tv_id": TAG_VARIABLE, "tags": ["sale"]}, "parent": 1},
    {"tags_data": {"tv_id": TAG_VARIABLE, "tags": ["sale", "news"]}, "parent": 1},
    {"parent": 1_999_999, "order_by": "pagetitle"},
]
WALKS: list[tuple[str, type[arguments.Arguments], dict[str, Any]]] = [
    ("evo.content.descendants", arguments.DeepNode, {"id": 1, "depth": 6}),
    ("evo.content.descendants", arguments.DeepNode, {"id": 2, "depth": 2}),
    ("evo.content.descendants", arguments.DeepNode, {"id": 1}),
    ("evo.content.descendants", arguments.DeepNode, {"id": 1_999_999, "depth": 3}),
]


@pytest.fixture
def site(stand: Stand) -> Iterator[Site]:
    section = EmcpSection.model_validate({"database_url": stand.url, "table_prefix": PREFIX})
    opened = open_site(section, Path("none"))
    yield opened
    opened.close()


@pytest.mark.parametrize("user", [0, MEMBER, ADMIN])
def test_the_ways_for_large_sites_find_the_same(site: Site, user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [("evo.content.search", arguments.Search, given) for given in SEARCHES] + WALKS
    expected = [_all_pages(site, user, *one) for one in asked]
    assert sum(map(bool, expected)) > len(asked) - 4
    monkeypatch.setattr(documents, "FEW", 5)
    monkeypatch.setattr(tree, "FEW", 5)
    monkeypatch.setattr(tree, "PARENTS", 2)
    for looked_at, at_most in ((0, 3000), (40, 3000), (40, 200)):
        monkeypatch.setattr(documents, "FIRST", looked_at)
        monkeypatch.setattr(documents, "MOST_FIRST", at_most)
        for one, found in zip(asked, expected, strict=True):
            assert _all_pages(site, user, *one) == found, one


def _all_pages(site: Site, user: int, tool: str, shape: type[arguments.Arguments], given: dict[str, Any]) -> list[int]:
    found: list[int] = []
    while True:
        checked = arguments.check(shape, given | {"limit": LIMIT, "offset": len(found)}, 100)
        items: Any = tools.answer(site, user, tool, checked)["items"]
        found += [item["id"] for item in items]
        if len(items) < LIMIT:
            assert len(set(found)) == len(found)
            return found


def test_texts_for_others(folder: Path, database: Path) -> None:
    import_folder(database, folder)
    site = open_site(EmcpSection(), database)
    try:
        found = {one.title: one.text for one in documents.documents(site)}
    finally:
        site.close()
    assert found["Install"] == "Run it."
    assert "Draft" not in found

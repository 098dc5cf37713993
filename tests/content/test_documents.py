"""A large site is searched in other ways than a small one, and answers the same.

What counts as large is set so low that a few hundred documents are; the answers are compared with those that the
same database gives in the ways for small sites, which the contract's tests check against the rows themselves; below
are its sentences about the tree, over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sites import PREFIX, Doc, Evo, Stand

from bench.site import ADMIN, MEMBER, TAG_VARIABLE
from everlore.config import EmcpSection
from everlore.content import arguments, documents, tools
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
    monkeypatch.setattr(documents, "PARENTS", 2)
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


@pytest.mark.parametrize("depth", [None, 1, 3, 6])
def test_root_tree_is_flat_and_in_order_of_id(evo: Evo, stand: Stand, depth: int | None) -> None:
    given = {} if depth is None else {"depth": depth}
    below = stand.below(0, (depth or 1) + 1)
    expected = [one["id"] for one in stand.visible() if one["id"] in below]
    assert evo.all_ids("content.root_tree", **given) == expected


@pytest.mark.parametrize("depth", [None, 1, 2, 6])
def test_descendants(evo: Evo, stand: Stand, depth: int | None) -> None:
    given = {} if depth is None else {"depth": depth}
    below = stand.below(1, depth or 1)
    ordered = sorted(stand.visible(), key=lambda one: (one["parent"], one["menuindex"], one["id"]))
    expected = [one["id"] for one in ordered if one["id"] in below]
    assert evo.all_ids("content.descendants", id=1, **given) == expected


def test_ancestors_are_the_root_first(evo: Evo, stand: Stand) -> None:
    parents = {one["id"]: one["parent"] for one in stand.made.documents}
    deepest = max(stand.visible(), key=lambda one: len(_path(parents, one["id"])))["id"]
    path = _path(parents, deepest)
    assert len(path) >= 3
    assert evo.ids("content.ancestors", id=deepest) == path
    assert evo.ids("content.ancestors", id=deepest, depth=2) == path[-2:]
    assert evo.ids("content.ancestors", id=deepest, limit=1, offset=1) == path[1:2]
    assert evo.ids("content.ancestors", id=1) == []
    assert evo.ids("content.ancestors", id=2_000_000) == []


def _path(parents: dict[int, int], document: int) -> list[int]:
    found: list[int] = []
    while parents[document]:
        document = parents[document]
        found.insert(0, document)
    return found


def family(stand: Stand, document: int) -> tuple[Doc, list[Doc]]:
    itself = next(one for one in stand.made.documents if one["id"] == document)
    same = [one for one in stand.visible() if one["parent"] == itself["parent"] and one["id"] != document]
    return itself, sorted(same, key=lambda one: (one["menuindex"], one["id"]))


def test_children_and_their_ranges(evo: Evo, stand: Stand) -> None:
    children = sorted(
        (one for one in stand.visible() if one["parent"] == 1), key=lambda one: (one["menuindex"], one["id"])
    )
    assert len(children) > 5
    assert evo.ids("content.children", id=1) == [one["id"] for one in children]
    within = [one["id"] for one in children if 2 <= one["menuindex"] <= 5]
    assert evo.ids("content.children_range", id=1, **{"from": 2, "to": 5}) == within
    assert evo.ids("content.children_range", id=1, **{"from": 2}) == [o["id"] for o in children if o["menuindex"] >= 2]


def test_siblings_neighbours_and_ranges(evo: Evo, stand: Stand) -> None:
    for document in [one["id"] for one in stand.visible()][:40:4]:
        itself, same = family(stand, document)
        place = (itself["menuindex"], document)
        assert evo.all_ids("content.siblings", id=document) == [one["id"] for one in same]
        before = [one["id"] for one in same if (one["menuindex"], one["id"]) < place]
        after = [one["id"] for one in same if (one["menuindex"], one["id"]) > place]
        assert evo.all_ids("content.prev_siblings", id=document) == before[::-1]
        assert evo.all_ids("content.next_siblings", id=document) == after
        near = [one["id"] for one in same if abs(one["menuindex"] - itself["menuindex"]) == 1]
        assert evo.ids("content.neighbors", id=document) == near
        within = [one["id"] for one in same if 1 <= one["menuindex"] <= 4]
        assert evo.ids("content.siblings_range", id=document, **{"from": 1, "to": 4}) == within


@pytest.mark.parametrize(
    "tool", ["children", "siblings", "neighbors", "prev_siblings", "next_siblings", "descendants", "ancestors"]
)
def test_an_unknown_document_has_no_relatives(evo: Evo, tool: str) -> None:
    assert evo.ids(f"content.{tool}", id=1_999_999) == []
    if tool in ("children", "siblings"):
        assert evo.ids(f"content.{tool}_range", id=1_999_999, **{"from": 0}) == []

"""Each sentence of the content contract about the tree, over HTTP, on every database."""

from __future__ import annotations

import pytest
from sites import Doc, Evo, Stand


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

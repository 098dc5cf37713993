"""What leads from one memory to others, on every store."""

from __future__ import annotations

from typing import Any

from stored import ALICE, BOB, alike, embed, fill, found, row, rows_of, text, where

from everlore.stores.base import Asked, Index, Link
from everlore.types import Edge, Key, Owner, Scope, Validity, Where


def test_edges_lead_from_targets_to_rows_and_back(index: Index) -> None:
    strong, weak = Edge("mentions", "lisbon", 2.0), Edge("mentions", "lisbon", 0.5)
    fill(index, row("af_1", "a", edges=(weak, Edge("about", "tea"))), row("af_2", "b", edges=(strong,)))
    fill(index, row("af_3", "c", owner=BOB, edges=(strong,)), path="bob.md")
    number = {
        key.local_id: stored.id for key, stored in index.rows.find(Key(o, "fact", e) for o, e in _three()).items()
    }
    assert sorted(index.links.to(["lisbon", "lisbon"], where(ALICE)), key=lambda link: link.row) == [
        Link(number["af_1"], "fact", weak),
        Link(number["af_2"], "fact", strong),
    ]
    assert {link.row for link in index.links.to(["lisbon"], where(None))} == set(number.values())
    assert index.links.to(["lisbon"], where(None, scope=Scope("other"))) == []
    assert index.links.to(["lisbon"], where(ALICE, "episode")) == []
    assert index.links.to(["lisbon", "tea"], where(ALICE), ("about",)) == [
        Link(number["af_1"], "fact", Edge("about", "tea"))
    ]
    assert index.links.of([number["af_1"]]) == [(number["af_1"], weak), (number["af_1"], Edge("about", "tea"))]
    assert index.links.degrees(["lisbon", "tea", "oslo"], where(None), 2) == {"lisbon": 2, "tea": 1}
    assert index.links.degrees(["lisbon"], where(None, scope=Scope("other")), 2) == {}
    assert index.links.degrees(["lisbon"], where(BOB), 2) == {"lisbon": 1}
    fill(index, row("af_2", "b"))
    assert [link.edge for link in index.links.to(["lisbon"], where(None))] == [strong]


def test_a_handle_names_one_memory_among_all(index: Index) -> None:
    fill(index, row("af_1", "a"), row("af_1", "b", kind="note"), row("af_1", "c", owner=BOB))
    keys = [Key(ALICE, "fact", "af_1"), Key(ALICE, "note", "af_1"), Key(BOB, "fact", "af_1")]
    found = index.rows.by_global_id([key.global_id for key in keys] + ["nothing"])
    assert {handle: stored.key for handle, stored in found.items()} == {key.global_id: key for key in keys}
    assert all(len(key.global_id) == 20 for key in keys)


def test_the_newest_of_a_scope(index: Index) -> None:
    there = Owner(Scope("other"), "user", "alice")
    fill(
        index,
        row("nt_1", "a", kind="note", timestamp=1),
        row("nt_2", "b", kind="note", timestamp=3, owner=BOB, validity=Validity(3, 9)),
        row("af_1", "c", timestamp=2),
        row("af_2", "d", timestamp=4, parent="c1"),
        row("nt_3", "e", kind="note", timestamp=5, owner=there),
    )

    def entries(*given: str, **rest: Any) -> list[str]:
        wanted = Where(None, ("note",), scope=Scope(), **rest)
        return [one.key.local_id for one in index.rows.newest(wanted, given).rows]

    assert entries("fact") == ["nt_2", "af_1", "nt_1"]
    assert entries() == ["nt_2", "nt_1"]
    assert entries("fact", valid_at=10) == ["af_1", "nt_1"]
    page = index.rows.newest(Where(None, ("note",), scope=Scope()), ("fact",), offset=1, limit=1)
    assert ([one.key.local_id for one in page.rows], page.total) == (["af_1"], 3)
    assert index.rows.newest(Where(ALICE, ("note",)), ("fact",)).total == 2
    assert index.rows.count(Where(None, ("note",), scope=Scope())) == 2
    assert index.rows.count(Where(BOB, ("note", "fact"))) == index.rows.count(Where(there, ("note",))) == 1
    assert index.rows.count(Where(Owner(Scope(), "user", "nobody"), ("note",))) == 0


def test_a_scope_hides_the_others(index: Index) -> None:
    there = Owner(Scope("default", "other"), "user", "alice")
    fill(index, row("af_1", "tea"), row("af_2", "tea", owner=BOB), row("af_3", "tea", owner=there))
    index.upkeep.use_model("m", 16)
    embed(index, {"tea": 1})
    scoped = where(None, scope=Scope())
    assert sorted(found(index, "tea", scoped)) == sorted(alike(index, 1, scoped)) == ["af_1", "af_2"]
    assert found(index, "tea", where(None, scope=there.scope)) == ["af_3"]
    assert sorted(one.key.local_id for one in index.rows.page(scoped).rows) == ["af_1", "af_2"]
    every = [one.id for one in rows_of(index, text(index, ["tea"], where(None), 5))]
    assert len(index.search.permitted(every, scoped)) == 2


def test_facts_lead_to_their_episode_and_rows_to_their_units(index: Index) -> None:
    fill(index, row("ep_1", "a", "b", "c", kind="episode", parent="c1"), row("af_1", "d", parent="c1"))
    stored = {one.key.local_id: one.id for one in index.rows.page(where(ALICE)).rows}
    assert index.search.episodes_of(stored.values()) == dict.fromkeys(stored.values(), stored["ep_1"])
    asked = Asked(where(ALICE), rows=[stored["ep_1"]], first=2)
    assert [piece.turn for piece in index.search.candidates(asked).pieces] == [0, 1]


def _three() -> list[tuple[Owner, str]]:
    return [(ALICE, "af_1"), (ALICE, "af_2"), (BOB, "af_3")]

"""What every index keeps of files: rows, problems, the queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored import ALICE, BOB, STAMP, alike, embed, fill, found, row, text, where

from everlore.stores.base import Applied, Index, Source, Stamp
from everlore.types import AllOf, AnyOf, Filter, IndexRow, Key, Owner, Predicate, Problem, Scope, Validity


def test_a_row_comes_back_as_it_was_stored(index: Index) -> None:
    given_row = row(
        "af_1", "likes tea", session="s9", parent="c1", timestamp=77, senders=("bob", "alice"),
        validity=Validity(5, 900), nested={"a": [1, None, "ü"]},
    )  # fmt: skip
    index.files.replace("users/alice/facts.md", STAMP, [given_row])
    [stored] = index.rows.find([given_row.key]).values()
    assert (stored.key, stored.path) == (given_row.key, "users/alice/facts.md")
    assert (stored.session_id, stored.parent_type, stored.parent_id) == ("s9", "memcell", "c1")
    assert (stored.timestamp, stored.updated, stored.validity) == (77, 82, Validity(5, 900))
    assert (stored.sender_ids, stored.data) == (("bob", "alice"), given_row.data)
    assert index.rows.stored([stored.id, 999_999]) == {stored.id: stored}
    assert index.rows.find([Key(BOB, "fact", "af_1"), Key(ALICE, "episode", "af_1")]) == {}


def test_replacing_a_file_adds_changes_and_removes(index: Index) -> None:
    one, two = row("af_1", "first", parent="c1"), row("af_2", "second", parent="c2")
    assert index.files.replace("a.md", STAMP, [one, two]) == Applied(added=2)
    assert index.files.replace("a.md", STAMP, [one, two]) == Applied()
    changed = row("af_1", "first, corrected", parent="c3")
    applied = index.files.replace("a.md", Stamp(2, 2), [changed])
    assert (applied.added, applied.changed, applied.removed) == (0, 1, 1)
    assert index.files.known() == index.files.known("a.") == {"a.md": Stamp(2, 2)}
    assert index.files.known("a_") == index.files.known("b") == index.files.known("%") == {}
    assert found(index, "corrected second") == ["af_1"]
    assert index.files.remove("a.md").removed == 1
    assert (index.files.known(), index.rows.owners(), found(index, "corrected")) == ({}, [], [])
    assert index.files.remove("a.md") == Applied()
    assert index.upkeep.check() == []


def test_what_cannot_be_read_is_not_taken_for_deleted(index: Index) -> None:
    fill(index, row("af_1", "first"), row("af_2", "second"))
    problem = Problem("a.md", 12, "entry af_2 has no **timestamp**")
    assert index.files.replace("a.md", STAMP, [row("af_1", "first")], [problem]) == Applied()
    assert found(index, "second") == ["af_2"]
    assert index.files.problems() == [problem]
    assert index.upkeep.status().problems == 1
    fill(index, row("af_1", "first"))
    assert (found(index, "second"), index.files.problems()) == ([], [])


def test_an_untouched_row_keeps_its_number_and_vectors(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "first"), row("af_2", "second"))
    embed(index, {"first": 1, "second": 2})
    before = index.rows.find([Key(ALICE, "fact", "af_1")])
    fill(index, row("af_1", "first"), row("af_2", "second"), row("af_3", "third"))
    assert index.rows.find([Key(ALICE, "fact", "af_1")]) == before
    assert [piece.dense for piece in index.upkeep.unembedded(10)] == ["third"]


def test_units_that_wait_for_a_vector_are_counted_for_each_owner(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "first"))
    embed(index, {"first": 1})
    fill(index, row("af_1", "second", owner=BOB), row("af_2", "third", owner=BOB), path="b.md")
    assert [index.upkeep.waiting(owner) for owner in (ALICE, BOB)] == [0, 2]
    embed(index, {"second": 2, "third": 3})
    assert index.upkeep.waiting(BOB) == 0


def test_a_row_that_changes_only_in_what_surrounds_its_text_keeps_its_vectors(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "likes tea"))
    embed(index, {"likes tea": 1})
    fill(index, row("af_1", "likes tea", validity=Validity(1000, 2000)))
    assert index.upkeep.status().unembedded == 0
    assert alike(index, 1) == ["af_1"]
    assert alike(index, 1, where(valid_at=3000)) == []


def test_a_memory_that_moved_belongs_to_the_file_read_last(index: Index) -> None:
    fill(index, row("af_1", "first"), path="old.md")
    fill(index, row("af_1", "first"), path="new.md")
    assert index.files.remove("old.md") == Applied()
    [stored] = index.rows.find([Key(ALICE, "fact", "af_1")]).values()
    assert stored.path == "new.md"


def test_what_is_known_of_one_file(index: Index) -> None:
    index.files.replace("a.md", Stamp(3, 4), [row("af_1", "a", parent="c1"), row("af_2", "b")])
    fill(index, row("af_3", "c", parent="c3"), path="b.md")
    assert (index.files.stamp("a.md"), index.files.stamp("nowhere.md")) == (Stamp(3, 4), None)
    assert (index.files.parents("a.md"), index.files.parents("nowhere.md")) == ({"af_1": "c1", "af_2": ""}, {})


def test_of_two_rows_with_one_key_the_later_counts(index: Index) -> None:
    fill(index, row("af_1", "early"), row("af_1", "late"))
    assert (found(index, "early"), found(index, "late")) == ([], ["af_1"])
    assert index.rows.owners() == [(ALICE, 1)]


def extended(index: Index, before: Stamp | None, after: Stamp, rows: list[IndexRow]) -> bool:
    return index.files.apply([Source("a.md", after, rows, appended=True, before=before)])[0] is not None


def test_extending_a_file_needs_the_file_as_it_was(index: Index) -> None:
    assert extended(index, None, Stamp(1, 1), [row("af_1", "first")])
    assert not extended(index, None, Stamp(2, 2), [row("af_2", "second")])
    assert not extended(index, Stamp(9, 9), Stamp(2, 2), [row("af_2", "second")])
    assert extended(index, Stamp(1, 1), Stamp(2, 2), [row("af_2", "second")])
    assert found(index, "first") == ["af_1"]
    assert found(index, "second") == ["af_2"]
    assert index.files.known() == {"a.md": Stamp(2, 2)}
    index.files.replace("a.md", Stamp(3, 3), [], [Problem("a.md", 1, "bad")])
    assert not extended(index, Stamp(3, 3), Stamp(4, 4), [row("af_3", "third")])
    assert index.upkeep.check() == []


def test_a_partial_look_at_a_file_deletes_nothing(index: Index) -> None:
    assert index.files.stamp("a.md") is None
    index.files.replace("a.md", Stamp(1, 1), [row("af_1", "first", parent="p1"), row("af_2", "second", parent="p2")])
    assert index.files.stamp("a.md") == Stamp(1, 1)
    assert index.files.parents("a.md") == {"af_1": "p1", "af_2": "p2"}
    index.files.replace("a.md", Stamp(2, 2), [row("af_3", "third", parent="p3")], partial=True)
    assert index.files.parents("a.md") == {"af_1": "p1", "af_2": "p2", "af_3": "p3"}
    assert found(index, "first") == ["af_1"]
    bad = [Problem("a.md", 1, "bad")]
    applied = index.files.replace("a.md", Stamp(3, 3), [], bad, gone=[row("af_1", "first").key, row("af_9", "no").key])
    assert (applied.removed, index.files.parents("a.md")) == (1, {"af_2": "p2", "af_3": "p3"})
    assert found(index, "first") == []
    index.files.replace("a.md", Stamp(4, 4), [row("af_3", "third", parent="p3")])
    assert index.files.parents("a.md") == {"af_3": "p3"}
    assert index.files.parents("b.md") == {}
    assert index.upkeep.check() == []


def test_scopes_tracks_and_owners_are_apart(index: Index) -> None:
    owners = [
        Owner(Scope("app", "one"), "user", "x"),
        Owner(Scope("app", "two"), "user", "x"),
        Owner(Scope("app", "one"), "agent", "x"),
        Owner(Scope("app", "one"), "user", "y"),
    ]
    for number, owner in enumerate(owners):
        fill(index, row("af_1", f"word{number} shared", owner=owner), path=f"{number}.md")
    for number, owner in enumerate(owners):
        assert [stored.data["text"] for stored in index.rows.page(where(owner)).rows] == [f"word{number} shared"]
        assert len(text(index, ["share"], where(owner), 10)) == 1
    assert len(text(index, ["share"], where(None), 10)) == 4
    assert dict(index.rows.owners()) == dict.fromkeys(owners, 1)
    assert [owner for owner, _ in index.rows.owners(Scope("app", "one"))] == [owners[2], owners[0], owners[3]]
    assert index.rows.owners(Scope("app", "one"), 1) == [(owners[2], 1)]
    assert index.rows.owners(Scope("app", "none")) == []


def test_pages_are_ordered_and_never_overlap(index: Index) -> None:
    rows = [row(f"af_{number:02}", "text", timestamp=1000 + number // 4) for number in range(20)]
    fill(index, *rows[::-1])
    newest_first = [r.key.local_id for r in rows[::-1]]
    seen: list[str] = []
    for offset in range(0, 20, 3):
        page = index.rows.page(where(), offset=offset, limit=3)
        assert page.total == 20
        seen += [stored.key.local_id for stored in page.rows]
    assert seen == newest_first
    oldest = index.rows.page(where(), sort_by="updated", descending=False, limit=5)
    assert [stored.key.local_id for stored in oldest.rows] == newest_first[::-1][:5]
    assert index.rows.page(where(ALICE, "episode")).total == 0
    assert index.rows.page(where(BOB)).rows == []


def test_children_and_slots(index: Index) -> None:
    fill(
        index,
        row("af_1", "a", parent="c1", slot="alice: tea"),
        row("af_2", "b", parent="c2", slot="alice: tea", validity=Validity(1, 2)),
        row("af_3", "c", parent="c1", timestamp=5),
        row("ep_1", "d", kind="episode", parent="c1", slot="alice: tea"),
        row("af_4", "e", owner=BOB, parent="c1", slot="alice: tea"),
    )
    assert [r.key.local_id for r in index.rows.children(ALICE, "fact", ["c1", "c1"])] == ["af_3", "af_1"]
    assert [r.key.local_id for r in index.rows.children(ALICE, "fact", ["c2", "nowhere"])] == ["af_2"]
    assert index.rows.children(ALICE, "case", ["c1"]) == []
    over = row("af_9", "one", parent="c1", slot="alice: home", validity=Validity(1, 2))
    index.files.replace("over.md", STAMP, [over, row("af_8", "two", parent="c9", validity=Validity(1, 2))])
    [episode] = index.rows.children(ALICE, "episode", ["c1"])
    [fact] = index.rows.children(ALICE, "fact", ["c2"])
    mine, ended = index.rows.with_ended([episode.id, fact.id], ("fact",))
    assert mine == {episode.id: episode, fact.id: fact}
    assert [(one.key.local_id, one.slot) for one in ended] == [("af_2", "alice: tea"), ("af_9", "alice: home")]
    assert index.rows.with_ended([episode.id], ()) == ({episode.id: episode}, [])
    assert index.rows.with_ended([], ("fact",)) == ({}, [])
    assert [r.key.local_id for r in index.rows.in_slot(ALICE, "fact", "alice: tea")] == ["af_1", "af_2"]
    assert len(index.rows.in_slot(ALICE, "fact", "alice: tea", "", "alice: none")) == 2
    assert index.rows.in_slot(ALICE, "fact", "") == []


FILTERED = [
    (Predicate("session_id", "eq", "s1"), {"af_1", "af_2"}),
    (Predicate("session_id", "ne", "s1"), {"af_3"}),
    (Predicate("session_id", "in", ("s2", "s7")), {"af_3"}),
    (Predicate("session_id", "in", ()), set()),
    (Predicate("session_id", "eq", "s1' OR '1'='1"), set()),
    (Predicate("parent_id", "eq", "c2"), {"af_2"}),
    (Predicate("parent_type", "eq", "memcell"), {"af_1", "af_2", "af_3"}),
    (Predicate("timestamp", "gte", 20), {"af_2", "af_3"}),
    (Predicate("timestamp", "lt", 20), {"af_1"}),
    (Predicate("timestamp", "gt", 20), {"af_3"}),
    (Predicate("timestamp", "lte", 20), {"af_1", "af_2"}),
    (Predicate("timestamp", "eq", 20), {"af_2"}),
    (Predicate("sender_id", "eq", "bob"), {"af_2", "af_3"}),
    (Predicate("sender_id", "ne", "bob"), {"af_1"}),
    (Predicate("sender_id", "in", ("alice", "carol")), {"af_1", "af_2"}),
    (Predicate("sender_id", "in", ()), set()),
    (Predicate("project", "in", ("", "tool")), {"af_1", "af_2"}),
    (Predicate("project", "eq", "*"), {"af_3"}),
    (AllOf(), {"af_1", "af_2", "af_3"}),
    (AnyOf(), set()),
    (AnyOf(tuple(Predicate("session_id", "eq", f"x{n}") for n in range(900))), set()),
    (
        AnyOf((AllOf((Predicate("session_id", "eq", "s1"), Predicate("sender_id", "eq", "bob"))),
               Predicate("timestamp", "eq", 30))),
        {"af_2", "af_3"},
    ),
]  # fmt: skip


def test_what_is_related_is_there_once(index: Index) -> None:
    told = [row(f"af_{at}", f"said {at}", slot="alice: tea" if at < 2 else "", timestamp=at) for at in range(6)]
    fill(index, *told, row("af_9", "of another", owner=BOB, slot="alice: tea", timestamp=9))
    ids = {one.key.local_id: one.id for one in index.rows.page(where(ALICE, "fact"), limit=20).rows}

    def related(slots: list[str], entries: list[str], newest: int) -> list[str]:
        found = index.rows.related(ALICE, "fact", slots, {ids[entry] for entry in entries}, newest)
        return sorted(one.key.local_id for one in found)

    assert related([], [], 2) == ["af_4", "af_5"]
    assert related(["alice: tea", "", "alice: none"], ["af_1", "af_5", "af_2"], 1) == ["af_0", "af_1", "af_2", "af_5"]


@pytest.mark.parametrize(("node", "expected"), FILTERED)
def test_filters_mean_the_same_everywhere(index: Index, node: Filter, expected: set[str]) -> None:
    fill(
        index,
        row("af_1", "tea time", session="s1", parent="c1", timestamp=10, senders=("alice",)),
        row("af_2", "tea time", session="s1", parent="c2", timestamp=20, senders=("alice", "bob"), project="tool"),
        row("af_3", "tea time", session="s2", parent="c3", timestamp=30, senders=("bob",), project="*"),
    )
    index.upkeep.use_model("m", 16)
    embed(index, {"tea time": 1})
    within = where(filter=node)
    page = index.rows.page(within)
    assert ({r.key.local_id for r in page.rows}, page.total) == (expected, len(expected))
    assert set(found(index, "tea", within)) == expected
    assert set(alike(index, 1, within)) == expected


def test_validity_is_a_half_open_interval(index: Index) -> None:
    fill(index, row("af_1", "tea", validity=Validity(10, 20)), row("af_2", "tea", validity=Validity()))
    for moment, expected in ((9, ["af_2"]), (10, ["af_1", "af_2"]), (19, ["af_1", "af_2"]), (20, ["af_2"])):
        assert sorted(found(index, "tea", where(valid_at=moment))) == expected
        assert index.rows.page(where(valid_at=moment)).total == len(expected)


def test_status_counts(index: Index) -> None:
    fill(index, row("af_1", "a", "b"), row("af_2", "c"), row("ep_1", "d", kind="episode"))
    status = index.upkeep.status()
    assert status.rows == {"fact": 2, "episode": 1}
    assert (status.units, status.unembedded, status.files, status.queued) == (4, 4, 1, 0)
    index.upkeep.use_model("m", 16)
    embed(index, {"a": 1, "b": 2, "c": 3, "d": 4})
    assert index.upkeep.status().unembedded == 0
    index.upkeep.use_model("other", 16)
    assert index.upkeep.status().unembedded == 4


def test_two_openers_see_each_other(open_index: Callable[[], Index]) -> None:
    one, two = open_index(), open_index()
    fill(one, row("af_1", "first"))
    assert found(two, "first") == ["af_1"]
    fill(two)
    assert found(one, "first") == []


texts = st.lists(st.sampled_from(["tea", "cake with tea", "run", "a b c", ""]), max_size=3)
files = st.dictionaries(
    st.sampled_from(["a.md", "b.md"]), st.dictionaries(st.integers(0, 5), texts, max_size=5), max_size=2
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(files, min_size=1, max_size=4))
def test_whatever_is_replaced_the_parts_agree_and_the_last_state_counts(
    index: Index, steps: list[dict[str, dict[int, list[str]]]]
) -> None:
    for path in index.files.known():
        index.files.remove(path)
    index.upkeep.use_model("m", 16)
    for step in steps:
        for path, entries in step.items():
            fill(index, *[row(f"{path}_{n}", *said) for n, said in entries.items()], path=path)
        embed(index, {"tea": 1, "cake with tea": 2, "run": 3, "a b c": 4})
    assert index.upkeep.check() == []
    last = {path: entries for step in steps for path, entries in step.items()}
    expected = {
        f"{path}_{n}" for path, entries in last.items() for n, said in entries.items() if "tea" in " ".join(said)
    }
    assert set(found(index, "tea", limit=100)) == expected
    assert set(alike(index, 1, limit=100)) >= {
        f"{path}_{n}" for path, entries in last.items() for n, said in entries.items() if "tea" in said
    }


def test_a_row_may_be_copied_with_other_fields(index: Index) -> None:
    first = row("af_1", "tea")
    fill(index, first, replace(first, key=Key(ALICE, "note", "n_1")))
    assert sorted(found(index, "tea")) == ["af_1", "n_1"]
    assert found(index, "tea", where(ALICE, "note")) == ["n_1"]

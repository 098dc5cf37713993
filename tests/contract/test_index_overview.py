"""What every index says of the whole: how much there is when, what ended, which sessions and names there are."""

from __future__ import annotations

from dataclasses import replace

from stored import ALICE, BOB, STAMP, fill, row, where

from everlore.stores.base import Index
from everlore.types import Edge, Validity

TEA, OOLONG, BERLIN = Edge("names", "tea"), Edge("is", "oolong"), Edge("names", "berlin")


def test_how_many_rows_there_are_in_each_stretch_of_time(index: Index) -> None:
    told = [
        row(f"af_{at}", "x", timestamp=at, validity=Validity(at, at + 95 if at > 20 else None))
        for at in (5, 12, 19, 31)
    ]
    fill(index, *told)
    fill(index, row("af_9", "y", owner=BOB, timestamp=12), path="bob.md")
    assert index.overview.density(where(ALICE), 10) == {0: 1, 1: 2, 3: 1}
    assert index.overview.density(where(ALICE), 10, ended=True) == {12: 1}
    assert index.overview.density(replace(where(ALICE), valid_at=6), 10) == {0: 1}
    assert index.overview.density(where(BOB), 10) == {1: 1}


def test_what_ended_and_what_changed_comes_latest_first(index: Index) -> None:
    ends = {"af_1": 200, "af_2": 400, "af_3": None, "af_4": 300}
    fill(
        index,
        *(
            row(entry, "x", timestamp=100 + at, validity=Validity(100, end))
            for at, (entry, end) in enumerate(ends.items())
        ),
    )
    ended = index.overview.ended(where(ALICE), 200, 400, 10)
    assert [one.key.local_id for one in ended] == ["af_4", "af_1"]
    assert index.overview.ended(where(BOB), 0, 1000, 10) == []
    changed = index.overview.changed(where(ALICE), 106, 2)
    assert [one.key.local_id for one in changed] == ["af_4", "af_3"], (
        "rows say when their file was written: 5 later here"
    )
    assert index.overview.changed(where(ALICE), 108, 2) == []


def test_sessions_with_their_first_and_last_moment(index: Index) -> None:
    told = [("one", 10), ("one", 30), ("two", 20), ("", 99)]
    fill(index, *(row(f"af_{at}", "x", session=name, timestamp=moment) for at, (name, moment) in enumerate(told)))
    assert index.overview.sessions(where(ALICE), 0, 9) == [("one", 2, 10, 30), ("two", 1, 20, 20)]
    assert index.overview.sessions(where(ALICE), 1, 9) == [("two", 1, 20, 20)]
    assert index.overview.sessions(where(BOB), 0, 9) == []


def test_names_and_which_of_them_stand_together(index: Index) -> None:
    edges = [(TEA, OOLONG), (TEA, BERLIN), (TEA, OOLONG, Edge("about", "nothing"))]
    rows = [row(f"ep_{at}", "x", kind="episode", edges=some) for at, some in enumerate(edges)]
    index.files.replace("a.md", STAMP, rows)
    fill(index, row("af_1", "y", owner=BOB, edges=(TEA, BERLIN)), path="bob.md")
    found = index.overview.names(ALICE, 5)
    assert [(name, number) for name, number, _ in found] == [("tea", 3), ("oolong", 2), ("berlin", 1)]
    [newest] = index.rows.stored([found[2][2]]).values()
    assert newest.key == rows[1].key
    assert index.overview.names(ALICE, 1)[0][:2] == ("tea", 3)
    assert index.overview.together(ALICE, ["tea", "oolong", "berlin"], 5) == [
        ("oolong", "tea", 2),
        ("berlin", "tea", 1),
    ]
    assert index.overview.together(ALICE, ["oolong", "berlin"], 5) == []


def test_slots_that_are_filled_twice(index: Index) -> None:
    open_end = Validity(1, None)
    home = [row(f"af_{at}", "x", slot="anna: lives in", timestamp=at, validity=open_end) for at in (1, 2)]
    work = [
        row(f"af_{at}", "x", slot="anna: works at", timestamp=at, validity=Validity(1, end))
        for at, end in ((3, 9), (4, None))
    ]
    pets = [row(f"af_{at}", "x", slot="anna: pet", timestamp=at, validity=open_end) for at in (5, 6)]
    fill(index, *home, *work, *pets, row("af_9", "x"), row("af_10", "x"))
    assert index.overview.doubled(ALICE, "fact", 9) == ["anna: pet", "anna: lives in"]
    assert index.overview.doubled(ALICE, "fact", 1) == ["anna: pet"]
    assert index.overview.doubled(BOB, "fact", 9) == []

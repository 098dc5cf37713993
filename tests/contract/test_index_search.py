"""What every index finds, by words and by vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from stored import ALICE, BOB, STAMP, alike, around, direction, embed, fill, found, row, rows_of, text, vector, where

from everlore.errors import EverloreError
from everlore.stores.base import Asked, Index, Stamp
from everlore.stores.tokens import query_terms, tokens
from everlore.types import IndexRow, Owner, Predicate, Problem, Scope, Unit


def test_words_are_found_by_stem_case_and_accent(index: Index) -> None:
    fill(index, row("af_1", "Zoë was RUNNING in the Café"), row("af_2", "nothing of the kind"))
    for query in ("run", "zoe", "cafe", "Cafés runs"):
        assert found(index, query) == ["af_1"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我昨天在东京喝了咖啡", "咖啡"),
        ("東京タワーに行きました", "タワー"),
        ("한국어를 배워요", "한국어"),
        ("ฉันชอบกาแฟ", "กาแฟ"),
        ("मुझे चाय पसंद है", "चाय"),
        ("用getUserName取值", "user name"),
        ("call parse_http_header2 first", "http header"),
        ("the answer is 42", "42"),
        ("Alice's umbrella", "alice"),
        ("to be or not to be", "to be"),
    ],
)
def test_words_of_many_kinds_are_found(index: Index, text: str, query: str) -> None:
    fill(index, row("af_1", text), row("af_2", "unrelated"))
    assert found(index, query) == ["af_1"]


def test_more_telling_more_often_and_shorter_comes_first(index: Index) -> None:
    fill(
        index,
        row("common", "tea and nothing else of note today"),
        row("rare", "saffron and nothing else of note today"),
        row("both", "tea with saffron and nothing else today"),
        row("twice", "saffron in saffron and nothing else today"),
        row("long", "saffron " + "and many other words " * 10),
        *[row(f"tea_{n}", "tea again") for n in range(9)],
    )
    order = found(index, "tea saffron", limit=20)
    assert order.index("both") < order.index("rare")
    assert order.index("twice") < order.index("rare") < order.index("long")
    assert order.index("rare") < order.index("common")


def test_tidying_ends_and_changes_no_answer(index: Index) -> None:
    for number in range(30):
        fill(index, row(f"af_{number}", f"tea number {number} " + "again " * (number % 4)), path=f"{number}.md")
    for number in range(0, 30, 7):
        index.files.remove(f"{number}.md")
    before = text(index, ["tea", "again", "11"], where(), 30)
    for _ in range(100):
        if not index.upkeep.tidy():
            break
    assert not index.upkeep.tidy()
    assert text(index, ["tea", "again", "11"], where(), 30) == before
    assert index.upkeep.check() == []


def test_scores_are_bm25(index: Index) -> None:
    texts = ["tea tea cup", "cup of tea with milk and sugar", "milk", "plain water in a glass"]
    fill(index, *[row(f"af_{n}", text) for n, text in enumerate(texts)])
    lengths = [len(tokens(text)) for text in texts]
    mean = sum(lengths) / 4

    def score(term: str, at: int) -> float:
        count = tokens(texts[at]).count(term)
        frequency = sum(term in tokens(text) for text in texts)
        idf = math.log(1 + (4 - frequency + 0.5) / (frequency + 0.5))
        return idf * count * 2.2 / (count + 1.2 * (0.6 + 0.4 * lengths[at] / mean))

    hits = text(index, ["tea", "milk"], where(), 10)
    got = {stored.key.local_id: hit.score for hit, stored in zip(hits, rows_of(index, hits), strict=True)}
    assert got == pytest.approx({f"af_{n}": score("tea", n) + score("milk", n) for n in range(3)})
    stats = index.search.term_stats(["tea", "milk", "absent"], ALICE)
    assert (stats.units, stats.mean_length, stats.frequency) == (4, mean, {"tea": 2, "milk": 2, "absent": 0})
    assert index.search.term_stats(["tea"], BOB).units == 0
    assert index.search.term_stats(["tea"], None) == index.search.term_stats(["tea"], ALICE)


def test_terms_that_are_held_are_told_from_others(index: Index) -> None:
    fill(
        index,
        row("af_1", "tea with milk"),
        row("ep_1", "milk alone", kind="episode", session="s2"),
        row("af_2", "honey", owner=BOB),
    )
    terms = ["tea", "milk", "honey", "absent"]
    assert index.search.held(terms, where()) == ["tea", "milk"]
    assert index.search.held(terms, where(ALICE, "episode")) == ["milk"]
    assert index.search.held(terms, where(None)) == ["tea", "milk", "honey"]
    assert index.search.held(terms, where(ALICE, filter=Predicate("session_id", "eq", "s2"))) == ["milk"]
    assert index.search.held(terms, where(ALICE, "skill")) == []
    assert index.search.held(terms, where(Owner(Scope(), "user", "nobody"))) == []


@pytest.mark.parametrize(
    "query", ['"', "tea OR", "tea*", "NEAR(", "own:tea", "-tea", "^", "", "\ud800", "a" * 5000, "1:tea"]
)
def test_no_query_is_syntax(index: Index, query: str) -> None:
    fill(index, row("af_1", "tea"))
    hits = found(index, query)
    assert hits == (["af_1"] if "tea" in query else [])


def test_a_piece_tells_where_it_stands(index: Index) -> None:
    fill(index, row("ep_1", "first turn", "second turn about tea", kind="episode", parent="c1"))
    [hit] = text(index, ["tea"], where(), 10)
    [piece] = around(index, [hit.unit], 0)
    [key_row] = index.rows.stored([piece.row]).values()
    assert (piece.turn, piece.kind, piece.parent_id, key_row.key.local_id) == (1, "episode", "c1", "ep_1")


@pytest.mark.parametrize("owner", [ALICE, None])
def test_terms_are_counted_in_pieces_whether_or_not_they_were_searched(index: Index, owner: Owner | None) -> None:
    fill(index, row("ep_1", "tea and tea", "milk", "tea with milk", kind="episode"), row("af_1", "tea teapot"))
    terms = ["tea", "milk", "absent"]
    for searched in ([], ["tea"], terms):
        with index.search.snapshot():
            units = [hit.unit for hit in text(index, ["tea", "milk"], where(owner), 10)]
            text(index, searched, where(owner, "episode"), 1)
            found = index.search.candidates(Asked(where(owner), terms, units=units, reach=1))
        assert found.occurrences.T.tolist() == [[2, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]]
        assert (found.by_words, found.stats) == ([], None)
    listed = index.search.candidates(Asked(where(owner), terms, limit=10, reach=1))
    assert listed.occurrences.tolist() == found.occurrences.tolist()
    assert listed.stats == index.search.term_stats(terms, owner)
    assert index.search.candidates(Asked(where(owner), units=units)).occurrences.shape == (0, 4)
    assert index.search.candidates(Asked(where(owner), terms)).occurrences.shape == (3, 0)


def test_one_question_brings_both_lists_and_what_is_beside_them(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("ep_1", "tea", "one", "two", "far", kind="episode", timestamp=10), row("nt_1", "cake", kind="note"))
    fill(index, row("ep_2", "tea", kind="episode", timestamp=99), path="b.md")
    embed(index, {"tea": 1, "one": 2, "two": 3, "far": 4, "cake": 5})
    of_day = where(ALICE, "episode", filter=Predicate("timestamp", "gte", 50))
    asked = Asked(where(ALICE, "episode"), ["tea"], direction(3), 1, 1, also=of_day)
    found = index.search.candidates(asked)
    tokens_of = {piece.unit: piece.tokens.strip() for piece in found.pieces}
    assert sorted(tokens_of.values()) == ["far", "one", "tea", "tea", "two"], "with those beside, and of that day"
    assert [tokens_of[hit.unit] for hit in found.by_meaning] == ["two"]
    assert [tokens_of[hit.unit] for hit in found.by_words] == ["tea"]
    near = dict(zip(tokens_of.values(), found.cosines.tolist(), strict=True))
    assert near["two"] == pytest.approx(1.0, abs=1e-4)
    assert near["one"] == pytest.approx(float(direction(2) @ direction(3)), abs=1e-3)
    assert index.search.candidates(replace(asked, radius=1.5, also=None, terms=())).pieces == []
    [first] = index.search.candidates(Asked(where(), rows=[found.pieces[0].row], first=1)).pieces
    assert first == found.pieces[0]


def test_neighbours_come_with_a_unit(index: Index) -> None:
    fill(index, row("ep_1", *[f"turn {n} word" for n in range(6)], kind="episode", parent="c1"))
    fill(index, row("ep_2", "turn one", "turn two", kind="episode", parent="c2"), path="b.md")
    pieces = around(index, [hit.unit for hit in text(index, ["2"], where(), 10)], 1)
    assert [piece.turn for piece in pieces] == [1, 2, 3]
    assert [piece.start for piece in pieces] == [3, 6, 9]
    assert {(piece.parent_id, piece.length) for piece in pieces} == {("c1", 3)}
    assert pieces[1].tokens.count(" turn ") == 1
    everything = around(index, [hit.unit for hit in text(index, ["turn"], where(), 10)], 3)
    assert [(piece.row, piece.turn) for piece in everything] == sorted({(p.row, p.turn) for p in everything})
    assert len(everything) == 8


def test_repeated_words_can_be_counted_in_a_piece(index: Index) -> None:
    fill(index, row("af_1", "tea tea tea"))
    [piece] = around(index, [text(index, ["tea"], where(), 1)[0].unit], 0)
    assert piece.tokens.count(" tea ") == 3


def test_anchors_are_the_first_unit_of_a_turn(index: Index) -> None:
    units = (Unit(0, "a", "a"), Unit(1, "b", "b"), Unit(1, "c", "c"))
    episode = row("ep_1", kind="episode", parent="c1")
    fill(index, IndexRow(**{**{f: getattr(episode, f) for f in IndexRow.__slots__}, "units": units}))
    first = text(index, ["b"], where(), 1)[0].unit
    assert index.search.anchors(ALICE, "episode", [("c1", 1), ("c1", 7), ("c9", 0)]) == {("c1", 1): first}
    assert index.search.anchors(BOB, "episode", [("c1", 1)]) == {}


def test_vectors_find_the_nearest(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, *[row(f"af_{n}", f"text {n}") for n in range(20)])
    embed(index, {f"text {n}": n for n in range(20)})
    expected = sorted(range(20), key=lambda n: -float(direction(n) @ direction(3)))
    assert alike(index, 3, limit=5) == [f"af_{n}" for n in expected[:5]]
    hits = vector(index, direction(3), where(), 20)
    assert hits[0].score == pytest.approx(1.0, abs=1e-4)
    score = dict(hits)
    fill(index, row("ep_1", "without", kind="episode"), path="b.md")
    for owner in (ALICE, None):
        read = index.search.candidates(Asked(where(owner), ["without"], direction(3), 1, units=[*score, 999_999]))
        expected_of = [score.get(piece.unit, math.nan) for piece in read.pieces]
        assert read.cosines.tolist() == pytest.approx(expected_of, abs=1e-5, nan_ok=True)
        assert len(read.pieces) == 21
    assert index.search.candidates(Asked(where(), vector=direction(3))).cosines.shape == (0,)


def test_vectors_keep_to_owner_kind_and_what_is_there(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "one"), row("ep_1", "one", kind="episode"))
    fill(index, row("af_9", "one", owner=BOB), path="bob.md")
    embed(index, {"one": 1})
    assert sorted(alike(index, 1)) == ["af_1", "ep_1"]
    assert alike(index, 1, where(ALICE, "episode")) == ["ep_1"]
    assert alike(index, 1, where(BOB)) == ["af_9"]
    assert sorted(alike(index, 1, where(None))) == ["af_1", "af_9", "ep_1"]
    fill(index, row("af_1", "one"))
    assert alike(index, 1) == ["af_1"]
    assert sorted(alike(index, 1, where(None))) == ["af_1", "af_9"]
    fill(index, row("af_1", "one"), row("af_2", "two"))
    embed(index, {"two": 1})
    assert sorted(alike(index, 1)) == ["af_1", "af_2"]


def test_a_unit_without_dense_text_wants_no_vector(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    plain = row("af_1", "tea")
    fill(index, IndexRow(**{**{f: getattr(plain, f) for f in IndexRow.__slots__}, "units": (Unit(0, "", "tea"),)}))
    assert (index.upkeep.unembedded(10), index.upkeep.status().unembedded) == ([], 0)
    assert found(index, "tea") == ["af_1"]
    assert index.upkeep.check() == []


def test_another_model_starts_anew_and_the_old_one_can_come_back(index: Index) -> None:
    assert index.upkeep.model() is None
    index.upkeep.use_model("old", 16)
    fill(index, row("af_1", "one"), row("af_2", "two"))
    embed(index, {"one": 1, "two": 2})
    index.upkeep.use_model("new", 8)
    assert index.upkeep.model() == ("new", 8)
    assert (alike(index, 1), vector(index, direction(1, 8), where(), 10)) == ([], [])
    first = index.upkeep.unembedded(1)
    index.upkeep.put_vectors([piece.unit for piece in first], np.stack([direction(1, 8)]))
    assert [hit.unit for hit in vector(index, direction(1, 8), where(), 10)] == [first[0].unit]
    index.upkeep.use_model("old", 16)
    assert alike(index, 2) == ["af_2"]
    assert [piece.dense for piece in index.upkeep.unembedded(10)] == ["one"]
    embed(index, {"one": 1})
    assert alike(index, 1) == ["af_1", "af_2"]
    assert index.upkeep.check() == []


def test_a_process_with_another_model_finds_by_words_alone(open_index: Callable[[], Index]) -> None:
    one, two = open_index(), open_index()
    one.upkeep.use_model("x", 16)
    fill(one, row("af_1", "one"))
    embed(one, {"one": 1})
    two.upkeep.use_model("y", 16)
    assert (alike(one, 1), one.upkeep.unembedded(10), found(one, "one")) == ([], [], ["af_1"])
    one.upkeep.put_vectors([hit.unit for hit in text(one, ["one"], where(), 1)], np.stack([direction(1)]))
    assert alike(two, 1) == []


def test_vectors_of_another_shape_are_refused(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "one"))
    with pytest.raises(EverloreError, match="16"):
        index.upkeep.put_vectors([piece.unit for piece in index.upkeep.unembedded(1)], np.zeros((1, 8), np.float32))
    index.upkeep.put_vectors([999_999], np.zeros((1, 16), np.float32))
    assert index.upkeep.status().unembedded == 1


def test_a_rare_permission_is_not_lost_among_many(index: Index) -> None:
    """A filter that few units pass, far down in both rankings."""
    index.upkeep.use_model("m", 16)
    many = [row(f"af_{n:04}", "tea tea", session="crowd") for n in range(1500)]
    few = [row(f"zz_{n}", f"tea {'and other words ' * 9}", session="few") for n in range(3)]
    fill(index, *many, *few)
    embed(index, {unit.dense: 1 if "other" not in unit.dense else 2 for r in (*many, *few) for unit in r.units})
    while index.upkeep.unembedded(1):
        embed(index, {"tea tea": 1, few[0].units[0].dense: 2})
    within = where(filter=Predicate("session_id", "eq", "few"))
    assert sorted(found(index, "tea", within)) == ["zz_0", "zz_1", "zz_2"]
    assert sorted(alike(index, 1, within)) == ["zz_0", "zz_1", "zz_2"]
    assert len(text(index, ["tea"], where(), 400)) == 400


def test_rebuilding_gives_the_same_answers(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    said = ["tea", "tea with milk", "milk", "tea cake", "cake"]
    seeds = {text: number for number, text in enumerate(said)}
    files = {
        f"{number}.md": [row(f"af_{number}_{n}", said[(number * 3 + n) % 5], timestamp=n // 2) for n in range(8)]
        for number in range(10)
    }
    for path in sorted(files, key=lambda path: path[::-1], reverse=True):
        index.files.replace(path, STAMP, files[path])
    index.files.replace("7.md", STAMP, files["7.md"][:3])
    index.files.replace("7.md", STAMP, files["7.md"])
    embed(index, seeds)

    def answers() -> list[object]:
        asked = [found(index, query, limit=7) for query in ("tea", "milk tea", "cake milk")]
        scores = [round(hit.score, 9) for hit in text(index, ["tea", "milk"], where(), 30)]
        near = [(alike(index, seed, limit=9), alike(index, seed, where(None), 9)) for seed in range(5)]
        listed = [stored.key.local_id for stored in index.rows.page(where(), limit=100).rows]
        return [asked, scores, near, listed, index.files.known(), index.rows.owners(), index.upkeep.status()]

    before = answers()
    assert index.files.rebuild((path, STAMP, files[path], ()) for path in sorted(files)) == 80
    assert index.upkeep.status().unembedded == 80
    embed(index, seeds)
    assert answers() == before
    assert index.upkeep.check() == []


def test_a_rebuild_keeps_what_it_is_told_to_keep(index: Index) -> None:
    index.upkeep.use_model("m", 16)
    fill(index, row("af_1", "tea"), row("af_2", "milk"), path="closed.md")
    fill(index, row("af_3", "tea cake"), path="gone.md")
    embed(index, {"tea": 1, "milk": 2, "tea cake": 3})
    problem = Problem("closed.md", 0, "cannot be opened")
    files = [("closed.md", Stamp(0, 0), [], [problem]), ("new.md", STAMP, [row("af_4", "milk tea")], [])]
    assert index.files.rebuild(iter(files), keep=["closed.md"]) == 3
    assert sorted(found(index, "tea")) == ["af_1", "af_4"]
    assert alike(index, 1) == ["af_1", "af_2"], "with the vectors it had"
    assert (index.upkeep.status().unembedded, index.files.problems(), index.upkeep.check()) == (1, [problem], [])
    assert index.files.known() == {"closed.md": Stamp(0, 0), "new.md": STAMP}


def test_a_rebuild_that_fails_changes_nothing(index: Index) -> None:
    fill(index, row("af_1", "first"))

    def files() -> Iterator[tuple[str, Stamp, list[IndexRow], list[Problem]]]:
        yield "b.md", STAMP, [row("af_2", "second")], []
        raise EverloreError("the disk is on fire")

    with pytest.raises(EverloreError, match="fire"):
        index.files.rebuild(files())
    assert (found(index, "first"), found(index, "second")) == (["af_1"], [])


def test_queries_longer_than_any_text_work(index: Index) -> None:
    fill(index, row("af_1", "needle in a haystack"))
    assert found(index, "needle " + " ".join(f"word{n}" for n in range(3000))) == ["af_1"]
    assert query_terms("the") == ["the"]

"""What is asked and what comes back, as values."""

from __future__ import annotations

import json

from vaults import MAY_28

from everlore.engine import Engine
from everlore.search import Hit, Passage, Query, Recall, recall
from everlore.search.recipes import RECALL
from everlore.types import Owner, Scope

ANN = Owner(Scope(), "user", "ann")


def test_a_passage_is_shown_as_json_with_times_in_the_display_zone(told: Engine) -> None:
    passage = Passage("I live in Rome.", 0.5, 1, "Ann", MAY_28, MAY_28, MAY_28 + 1000, "Ann moved to Lisbon.")
    assert json.loads(json.dumps(passage.shown(told.clock))) == {
        "text": "I live in Rome.",
        "score": 0.5,
        "turn": 1,
        "speaker": "Ann",
        "time": "2026-05-28T20:26:40Z",
        "valid_from": "2026-05-28T20:26:40Z",
        "valid_until": "2026-05-28T20:26:41Z",
        "ended_by": "Ann moved to Lisbon.",
    }


def test_what_holds_has_no_end(told: Engine) -> None:
    shown = Passage("I moved to Lisbon.", 0.5, 1, "Ann", MAY_28, MAY_28).shown(told.clock)
    assert (shown["valid_until"], shown["ended_by"]) == (None, None)


def test_the_best_are_the_hits_of_every_group_in_order(told: Engine) -> None:
    found = recall(told, Query(None, "Where do I live?", 3, scope=Scope()), RECALL)
    assert found.best == found.hits["episode"]
    first, second = found.best[:2]
    assert Recall({"episode": [first], "case": [second]}).best == [first, second]
    assert Recall({}).best == list[Hit]()


def test_only_the_kinds_that_were_named_are_found(told: Engine) -> None:
    assert recall(told, Query(ANN, "Where do I live?", 3, kinds=("note",))).best == []
    both = recall(told, Query(ANN, "Where do I live?", 3, kinds=("note", "episode")))
    assert [(name, len(found)) for name, found in both.hits.items()] == [("note", 3)]


def test_a_trace_is_made_only_for_one_who_wants_it(told: Engine) -> None:
    assert recall(told, Query(ANN, "Rome", 3)).trace == {}
    assert recall(told, Query(ANN, "Rome", 3, explain=True)).trace["top_k"] == 3

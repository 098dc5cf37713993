"""An explained search: every score can be computed again from what stands beside it, and nothing happens unsaid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from vaults import ALICE, DAY, HELPER, MAY_28, SCOPE, says

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.search import METHODS, Method, Query, Recall, recall, rounds
from everlore.search.candidates import Ask
from everlore.search.explain import shown_filter
from everlore.search.rank import Ranked, Ranking
from everlore.sync.embedding import embed_pending
from everlore.types import AllOf, AnyOf, Owner, Predicate, Where

ASKED = {
    ALICE: ["Where do I live?", "my parrot in May 2026", "deploy", "what did the assistant say about lasagne?"],
    HELPER: ["How did we fix the deploy?", "lock timeout of the migration", "book a flight last week"],
}


def run(request: str, command: str, *ends: tuple[str, str]) -> list[NewMessage]:
    """A request and tries of one command, each with its output and what the agent said then."""
    talk = [says(request)]
    for number, (output, said) in enumerate(ends):
        call = {"id": str(number), "function": {"name": "bash", "arguments": f'{{"command": "{command}"}}'}}
        moment = MAY_28 + 10 * number
        talk.append(says("", "helper", moment + 1, role="assistant", tool_calls=[call]))
        talk.append(says(output, "helper", moment + 2, role="tool", tool_call_id=call["id"]))
        talk.append(says(said, "helper", moment + 3, role="assistant"))
    return talk


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root: Path = tmp_path_factory.mktemp("vault")
    opened = open_engine(load(memory={"root": root}))
    locked = "OperationalError: canceling statement due to lock timeout"
    talks = [
        [says("I live in Boston with my parrot Polly.")],
        [says("What shall we cook?"), says("A lasagne takes an hour.", "bot", MAY_28 + 1, role="assistant")],
        [says("I moved to Seattle last week.")],
        run("The deploy to staging is flaky, fix it", "./deploy.sh", ("deployed", "A probe was missing.")),
        run("Run the migration of orders", "alembic upgrade head", (locked, "I could not run it.")),
        run(
            "Run the migration of customers", "alembic upgrade head", (locked, "Once more."), ("exit code: 0", "Done.")
        ),
        run("Book a flight to Rome", "fly rome", ("booked", "It is booked.")),
    ]
    for number, talk in enumerate(talks):
        later = [NewMessage(**{**_fields(one), "timestamp": one.timestamp + number * DAY}) for one in talk]
        remember(opened, SCOPE, f"s{number}", later)
        flush(opened, SCOPE, f"s{number}")
    embed_pending(opened, 10_000)
    yield opened
    opened.close()


def _fields(message: NewMessage) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__slots__}


def explained(engine: Engine, owner: Owner, text: str, method: Method = "hybrid", **more: Any) -> Recall:
    return recall(engine, Query(owner, text, explain=True, **more), METHODS[method])


@pytest.mark.parametrize("top_k", [-1, 3])
@pytest.mark.parametrize("method", get_args(Method))
@pytest.mark.parametrize(("owner", "question"), [(owner, text) for owner, texts in ASKED.items() for text in texts])
def test_every_score_can_be_computed_again(
    engine: Engine, owner: Owner, question: str, method: Method, top_k: int
) -> None:
    found = explained(engine, owner, question, method, top_k=top_k)
    weights = found.trace["weights"]
    for stage in found.trace["stages"]:
        hits = found.hits[stage["kind"]]
        assert [(hit.stored.key.public_id, hit.score) for hit in hits] == [
            (result["id"], result["score"]) for result in stage["results"]
        ]
        assert stage["returned"] == len(hits)
        for result in stage["results"]:
            reasons = [step["why"] for step in result["steps"]]
            assert result["steps"][-1]["score"] == pytest.approx(result["score"], abs=2e-6)
            if not any("takes over" in why for why in reasons):  # its turn speaks for another
                assert [_turn(turn, weights) for turn in result["turns"]] == pytest.approx(
                    [turn["score"] for turn in result["turns"]], abs=1e-5
                )
                assert _memory(result["turns"], weights) == pytest.approx(result["steps"][0]["score"], abs=1e-5)
            if stage["least_score"] is not None:
                assert result["score"] >= stage["least_score"] - 1e-6
            assert all(fact["score"] <= result["score"] for fact in result["facts"])


def _turn(turn: dict[str, Any], weights: dict[str, float]) -> float:
    if "cosine" in weights:
        return float(max(0.0, min(1.0, turn["cosine"])))
    fused = weights.get("meaning", 0.0) * turn["meaning"] + weights["text"] * turn["text"]
    return float(fused * (weights["assistant"] if turn.get("assistant") else 1.0))


def _memory(turns: list[dict[str, Any]], weights: dict[str, float]) -> float:
    if "cosine" in weights:
        return float(turns[0]["score"])
    left = (float(1 - turn["score"] * weights["further"] ** place) for place, turn in enumerate(turns))
    return 1 - math.prod(left)


def reasons(found: Recall) -> set[str]:
    return {
        step["why"]
        for stage in found.trace["stages"]
        for result in stage["results"]
        for step in result["steps"]
    }  # fmt: skip


def test_each_reason_is_told(engine: Engine) -> None:
    home = reasons(explained(engine, ALICE, "Where do I live?"))
    assert {"what it says has ended", "it says what holds now, and takes over the score of what has ended"} <= home
    assert "within the time that was asked for" in reasons(explained(engine, ALICE, "my parrot in May 2026"))
    assert "how well the run went" in reasons(explained(engine, HELPER, "migration"))


def test_of_runs_that_match_alike_the_one_that_went_well_comes_first(engine: Engine) -> None:
    hits = explained(engine, HELPER, "run the migration: lock timeout", top_k=2).hits["case"]
    assert [hit.stored.data["quality_score"] > 0.5 for hit in hits] == [True, False]


def test_what_was_demanded_is_told(engine: Engine) -> None:
    only = AllOf((Predicate("session_id", "in", ("s0", "s2")), Predicate("timestamp", "gte", MAY_28)))
    trace = explained(engine, ALICE, "Boston", filter=only, radius=0.2, top_k=7).trace
    assert trace["filters"] == "session_id in s0, s2 and timestamp gte 2026-05-28T20:26:40Z"
    assert (trace["radius"], trace["top_k"], trace["rerank"]) == (0.2, 7, None)
    assert explained(engine, ALICE, "Boston").trace["filters"] is None
    either = AnyOf((only, Predicate("sender_id", "eq", "bob")))
    assert shown_filter(either, engine.clock) == f"({trace['filters']}) or sender_id eq bob"


def test_a_rerank_that_cannot_be_done_says_why(engine: Engine) -> None:
    trace = explained(engine, HELPER, "deploy", rerank=True).trace
    assert trace["rerank"] == {"done": False, "reason": "no language model is configured"}


@pytest.mark.parametrize("more", [{}, {"top_k": 2}, {"top_k": 10}, {"radius": 0.7}, {"radius": 0.0}])
@pytest.mark.parametrize("owner", ASKED)
def test_agentic_returns_what_hybrid_returns_at_least(engine: Engine, owner: Owner, more: dict[str, Any]) -> None:
    for question in ASKED[owner]:
        plain, deep = (explained(engine, owner, question, method, **more) for method in ("hybrid", "agentic"))
        for kind, hits in plain.hits.items():
            assert len(deep.hits[kind]) >= len(hits), (question, kind)
            if more.get("top_k", -1) == -1:
                assert {hit.stored.key for hit in hits} <= {hit.stored.key for hit in deep.hits[kind]}


def test_learned_words_do_not_crowd_out_what_was_asked_for(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only learned words find goes past a radius no more; it must not have taken the place of the others."""
    asked_for = [Ranked(row, "", 0.3, {}) for row in range(5)]
    far = [Ranked(row, "", 0.6, {}) for row in range(100, 105)]
    ask = Ask("zebra", {"zebra": 1.0}, None, Where(ALICE, ("episode",)), limit=30, keep=5, radius=0.7)
    monkeypatch.setattr(rounds, "_learn", lambda *_: {"quokka": 0.15})
    monkeypatch.setattr(rounds, "_entities", lambda *_: [])
    monkeypatch.setattr(rounds, "rank", lambda _, wider: Ranking([*far, *asked_for][: wider.keep]))
    ranking, told = rounds.expand(engine, ask, Ranking(asked_for))
    assert ranking.memories == asked_for
    assert [one["settled"] for one in told] == [False, True]

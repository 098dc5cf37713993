"""Drafts wait, and are lent to one reviewer at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vaults import ALICE, BOB, DAY, MAY_28, SCOPE, says

from everlore.clock import Clock
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.memory import flush, remember, review, waiting_for_review
from everlore.memory.read import named
from everlore.memory.review import stretch_of


def tell(engine: Engine, session: str, *texts: str, at: int = MAY_28) -> None:
    remember(engine, SCOPE, session, [says(text, at=at + n * 60_000) for n, text in enumerate(texts)])
    assert flush(engine, SCOPE, session)


def test_what_nobody_reviewed_waits_and_the_newest_is_lent_first(engine: Engine) -> None:
    assert (waiting_for_review(engine, ALICE), review(engine, ALICE)) == (0, [])
    tell(engine, "one", "I live in Linz.")
    tell(engine, "two", "I play the violin.", at=MAY_28 + DAY)
    assert waiting_for_review(engine, ALICE) == 2
    assert waiting_for_review(engine, BOB) == 0
    [item] = review(engine, ALICE)
    assert [turn.text for turn in item.stretch.turns] == ["I play the violin."]
    assert [turn.moment for turn in item.stretch.turns] == [MAY_28 + DAY]


def test_two_reviewers_never_get_the_same(engine: Engine) -> None:
    for number in range(3):
        tell(engine, f"s{number}", f"I bought {number + 5} lamps.", at=MAY_28 + number * DAY)
    first, second = review(engine, ALICE, limit=2), review(engine, ALICE, limit=2)
    assert len({item.id for item in (*first, *second)}) == 3
    assert review(engine, ALICE) == []
    with pytest.raises(InvalidInput, match="somebody else"):
        review(engine, ALICE, id_=first[0].id)


class Later(Clock):
    def now(self) -> int:
        return super().now() + 3_600_000


def test_a_lease_ends_by_itself(engine: Engine) -> None:
    tell(engine, "s", "I live in Linz.")
    [item] = review(engine, ALICE, seconds=600)
    [again] = review(replace(engine, clock=Later("UTC")), ALICE)
    assert (again.id, again.lease != item.lease) == (item.id, True)


def test_a_long_talk_is_cut_to_the_budget(engine: Engine) -> None:
    tell(engine, "s", *(f"{number} I wrote a very long story. " + "It went on. " * 400 for number in range(4)))
    [item] = review(engine, ALICE, budget=1000)
    assert sum(len(turn.text) for turn in item.stretch.turns) < 4000
    assert len(item.stretch.turns) == 4
    whole = stretch_of(engine, named(engine, ALICE, item.id))
    assert len(whole.turns[0].text) > 4000


def test_what_may_have_ended_is_offered(engine: Engine) -> None:
    tell(engine, "one", "I have a dog called Rex.", "I live in Linz.")
    tell(engine, "two", "We had to give Rex, the dog, away.", at=MAY_28 + DAY)
    [item] = review(engine, ALICE)
    assert any("Rex" in offered.text for offered in item.stretch.older)
    assert not any("Linz" in offered.text for offered in item.stretch.older)


def test_only_episodes_are_reviewed(engine: Engine) -> None:
    tell(engine, "s", "I live in Linz.")
    with pytest.raises(NotFound):
        review(engine, ALICE, id_="alice_ep_20200101_00000001")
    with pytest.raises(InvalidInput, match="only episodes"):
        review(engine, ALICE, id_="alice_af_20260528_00000001")

"""Which facts end, when, and by what."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from talk import ALICE, MAY_8

from everlore.extract.supersede import COMPARED, slots_together, superseded
from everlore.kinds.fact import Fact

DAY = 24 * 3600 * 1000


def fact(number: int, text: str, *, day: int | None = None, sender: str = "alice", name: str = "alice") -> Fact:
    at = MAY_8 + (number if day is None else day) * DAY
    return Fact(ALICE, f"af_{number:04}", "s", at, "mc", (sender,), text, 0, True, f"{name}: lives in")


def ends(known: list[Fact], *new: Fact, names: tuple[str, ...] = ("alice",)) -> dict[str, tuple[int | None, str]]:
    found = superseded(known, new, slots_together(new, ALICE, names))
    return {one.local_id: (one.valid_until, one.superseded_by) for one in found}


GALWAY, DUBLIN, CORK = (fact(n, f"Alice lives in {place}.") for n, place in enumerate(("Galway", "Dublin", "Cork")))


@pytest.mark.parametrize("order", list(permutations((GALWAY, DUBLIN, CORK))))
def test_each_holds_until_the_next_in_whatever_order_they_are_told(order: tuple[Fact, ...]) -> None:
    known: dict[str, Fact] = {}
    for new in order:
        known[new.local_id] = new
        for one in superseded(list(known.values()), [new], slots_together([new], ALICE, ["alice"])):
            known[one.local_id] = one
    assert [known[one.local_id].valid_until for one in (GALWAY, DUBLIN, CORK)] == [
        DUBLIN.timestamp,
        CORK.timestamp,
        None,
    ]
    assert known[GALWAY.local_id].superseded_by == DUBLIN.local_id


def test_an_end_that_a_person_gave_or_that_is_earlier_stays() -> None:
    assert ends([replace(GALWAY, valid_until=CORK.timestamp)], DUBLIN) == {}
    assert ends([replace(GALWAY, valid_until=DUBLIN.timestamp, superseded_by="af_0001")], CORK) == {}
    by_cork = replace(GALWAY, valid_until=CORK.timestamp, superseded_by=CORK.local_id)
    assert ends([by_cork], DUBLIN) == {GALWAY.local_id: (DUBLIN.timestamp, DUBLIN.local_id)}


def test_others_of_the_same_name_end_nothing() -> None:
    assert ends([GALWAY], replace(DUBLIN, sender_ids=("another",))) == {}


def test_a_user_who_changed_their_name_ends_what_they_said_before() -> None:
    carla = fact(5, "Carla lives in Cork.", name="carla")
    assert ends([GALWAY], carla, names=("carla",)) == {}
    assert ends([GALWAY], carla, names=("carla", "alice")) == {GALWAY.local_id: (carla.timestamp, carla.local_id)}


def test_only_the_newest_are_compared() -> None:
    many = [fact(10 + n, "Alice lives in Dublin.") for n in range(COMPARED)]
    assert ends([GALWAY, *many], fact(900, "Alice lives in Cork.")).get(GALWAY.local_id) is None
    assert ends(many, GALWAY)[GALWAY.local_id] == (many[0].timestamp, many[0].local_id), "a new one always is"


def test_what_says_nothing_of_which_there_is_only_one_is_not_looked_at() -> None:
    assert slots_together([replace(GALWAY, about="")], ALICE, ["alice"]) == []

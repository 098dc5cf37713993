"""What reviewers are sent."""

from __future__ import annotations

from everlore.extract.curation import Refusal, Stretch, TurnShown
from everlore.memory import CurationOutcome
from everlore.memory.review import Item
from everlore.surfaces.contracts.review.shapes import lent, outcome_shown

AT = 1_780_000_000_000
ITEM = Item("a_ep_1", "token", AT, "s", Stretch((TurnShown(1, AT, "Anna", "user", "Hello."),), "t", "s", ()))


def test_instructions_come_once_and_only_with_something_to_review() -> None:
    found = lent([ITEM, ITEM], 7)
    assert (len(found["items"]), found["waiting"], "instructions" in found) == (2, 7, True)
    assert found["items"][0]["lease_until"] == "2026-05-28T20:26:40Z"
    assert lent([], 0) == {"items": [], "waiting": 0}


def test_an_outcome_tells_what_changed_and_what_was_refused() -> None:
    outcome = CurationOutcome("a_ep_1", "curated", 2, (Refusal("facts[0]", "why"),), "+ one\n- two")
    assert outcome_shown(outcome) == {
        "id": "a_ep_1",
        "state": "curated",
        "changed": 2,
        "changes": ["+ one", "- two"],
        "refused": [{"where": "facts[0]", "reason": "why"}],
    }

"""What a language model is asked for, and how its slips are taken."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from everlore.extract.prompts import CaseAnswer, UserCell

EPISODE = {"subject": "A walk", "summary": "Alice walked."}


def test_an_item_that_is_not_as_asked_for_costs_only_itself() -> None:
    facts = [{"turn": 1, "fact": "Alice walks."}, {"turn": "x", "fact": ""}, {"fact": "no turn"}]
    cell = UserCell.model_validate({"episode": EPISODE, "facts": facts, "profile": []})
    assert [fact.fact for fact in cell.facts] == ["Alice walks."]


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(ValidationError):
        UserCell.model_validate({"episode": EPISODE, "facts": "none", "profile": []})


def test_a_score_is_between_none_and_all() -> None:
    with pytest.raises(ValidationError):
        CaseAnswer.model_validate({"turn": 0, "task_intent": "Do it.", "key_insight": "", "quality_score": 1.5})

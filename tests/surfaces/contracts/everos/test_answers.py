"""Answers of the EverOS API: fields that are there only where they say something, and the envelope of errors."""

from __future__ import annotations

import pytest

from everlore.clock import Clock
from everlore.surfaces.contracts.everos.answers import AddData, Failure, GetData, Pending


def test_additions_are_absent_where_there_is_nothing_to_say() -> None:
    assert AddData(message_count=1, status="extracted").model_dump() == {"message_count": 1, "status": "extracted"}
    waiting = AddData(message_count=1, status="accumulated", pending=Pending(messages=1, reason="no model"))
    assert waiting.model_dump()["pending"] == {"messages": 1, "reason": "no model"}


def test_every_array_of_a_page_is_sent() -> None:
    sent = GetData(total_count=0, count=0).model_dump()
    assert [name for name, value in sent.items() if value == []] == [
        "episodes",
        "profiles",
        "agent_cases",
        "agent_skills",
    ]


@pytest.mark.parametrize(("status", "code"), [(404, "HTTP_ERROR"), (499, "HTTP_ERROR"), (500, "SYSTEM_ERROR")])
def test_an_error_tells_whose_it_is_and_no_secret(status: int, code: str) -> None:
    secret = "emk_" + "a1b2" * 8
    told = Failure.of("r", status, f"no {secret}", f"/x/{secret}", Clock())
    assert told.error.code == code
    assert secret not in told.model_dump_json()

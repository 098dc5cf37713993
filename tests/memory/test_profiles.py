"""What the profile says after talks: of users with any id, and of what has changed since."""

from __future__ import annotations

import pytest
from vaults import DAY, MAY_28, SCOPE, facts, says

from everlore.engine import Engine
from everlore.memory import flush, listing, profile, remember
from everlore.types import Owner


def tell(engine: Engine, *texts: str, sender: str = "bob", name: str | None = None) -> Owner:
    """A talk for each text, thirty days apart."""
    for number, text in enumerate(texts):
        remember(engine, SCOPE, f"s{number}", [says(text, sender, MAY_28 + number * 30 * DAY, sender_name=name)])
        assert flush(engine, SCOPE, f"s{number}")
    return Owner(SCOPE, "user", sender)


def described(engine: Engine, owner: Owner) -> list[str]:
    stored = profile(engine, owner)
    return [info["description"] for info in stored.data["explicit_info"]] if stored else []


@pytest.mark.parametrize(
    ("sender", "name", "called"),
    [
        ("user123", None, "user123"),
        ("user_42", None, "user_42"),
        ("tg:42", None, "tg:42"),
        ("john@example.com", None, "john@example.com"),
        ("t1", "tom k.", "tom k."),
    ],
)
def test_a_name_without_a_capital(engine: Engine, sender: str, name: str | None, called: str) -> None:
    said = "I am allergic to peanuts. My wife is called Anna. I live in Bonn."
    owner = tell(engine, said, "I moved to Rome.", sender=sender, name=name)
    told = [f"{called} is allergic to peanuts.", f"{called}'s wife is called Anna.", f"{called} lives in Bonn."]
    assert [fact["content"] for fact in facts(engine, owner)] == [*told, f"{called} moved to Rome."]
    assert set(described(engine, owner)) == {*told[:2], f"{called} moved to Rome."}
    episode = listing(engine, owner, "episode").rows[1]
    assert episode.data["subject"] == f"{called}: wife is called Anna; lives in Bonn (28 May 2026)"

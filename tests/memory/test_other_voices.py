"""Words that a user passes on are kept and found, but say nothing of the user."""

from __future__ import annotations

import pytest
from vaults import SCOPE, facts, says

from everlore.engine import Engine
from everlore.memory import flush, profile, remember
from everlore.types import Owner

BOB = Owner(SCOPE, "user", "bob")


def tell(engine: Engine, text: str) -> list[str]:
    """What the profile has after one message."""
    remember(engine, SCOPE, "s", [says(text, "bob")])
    assert flush(engine, SCOPE, "s")
    stored = profile(engine, BOB)
    return [info["description"] for info in stored.data["explicit_info"]] if stored else []


@pytest.mark.parametrize(
    "text",
    [
        "Mia says: I am allergic to nuts.",
        "My mom: I hate broccoli and I live in Rome.",
        "Tom Miller: I work at Siemens.",
        "Translate into French: I am allergic to peanuts. I live in Rome.",
        "Please proofread this email:\n\nDear Ms Smith,\nI am a senior engineer at Google and I live in Zurich. Karl",
        "Can you translate this text?\nI am pregnant and I need a doctor.",
        "Rewrite this:\nI was born in Kenya. My wife is called Ruth.",
        "Roleplay: I am a knight and I live in Camelot.",
        "For my novel: my name is Captain Drake and I live in Bristol.",
        "[10:31] Tom: I live in Boston\n[10:32] Ann: I'm a nurse",
        "Tom (10:31): I'm vegan",
        "As my grandmother used to say, I love rain.",
    ],
)
def test_somebody_else_says_i(engine: Engine, text: str) -> None:
    assert tell(engine, text) == []
    assert all(fact["content"].endswith('"') for fact in facts(engine, BOB))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Update: I moved to Rome.", "bob moved to Rome."),
        ("The only problem: I am allergic to cats.", "bob is allergic to cats."),
        ("Can you translate this letter for me? I live in Rome.", "bob lives in Rome."),
        ("I translated a book last year.\nI live in Rome.", "bob lives in Rome."),
        ("bob: I live in Rome.", "bob lives in Rome."),
    ],
)
def test_the_user_says_i(engine: Engine, text: str, told: str) -> None:
    assert [line.lower() for line in tell(engine, text)] == [told.lower()]

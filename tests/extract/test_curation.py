"""What a reviewer is shown."""

from __future__ import annotations

from everlore.extract.curation import INSTRUCTIONS, OPENERS, REVIEW, Offered, Stretch, TurnShown, reply_schema, shown

AT = 1_780_000_000_000


def test_a_stretch_is_shown_with_numbered_turns_the_draft_and_what_may_end() -> None:
    turns = (TurnShown(1, AT, "Anna", "user", "I moved to Graz."),)
    stretch = Stretch(turns, "A move", "Anna moved.", (("Anna moved to Graz.", 1),), (Offered("x", "Anna: Linz", AT),))
    assert shown(stretch) == {
        "turns": [
            {"turn": 1, "time": "2026-05-28T20:26:40Z", "speaker": "Anna", "role": "user", "text": "I moved to Graz."}
        ],
        "draft": {
            "title": "A move",
            "summary": "Anna moved.",
            "facts": [{"text": "Anna moved to Graz.", "turns": [1]}],
        },
        "older": [{"id": "x", "text": "Anna: Linz", "since": "2026-05-28T20:26:40Z"}],
    }


def test_the_schema_names_every_part_and_forbids_others() -> None:
    schema = reply_schema()
    assert set(schema["properties"]) == {"title", "summary", "facts", "ends", "rules", "profile", "learnt"}
    assert schema["additionalProperties"] is False
    assert all(name in INSTRUCTIONS for name in schema["properties"])
    assert REVIEW.instructions == INSTRUCTIONS


def test_openers_are_no_names_in_any_language() -> None:
    assert {"the", "seit", "depuis", "desde", "dopo"} <= OPENERS

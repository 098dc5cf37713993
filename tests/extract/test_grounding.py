"""A reply is believed as far as the turns it cites bear it out."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.extract.curation import Accepted, Line, Offered, Stretch, TurnShown
from everlore.extract.grounding import check

AT = 1_780_000_000_000
"""Thursday, 28 May 2026."""
SAID = (
    ("Anna", "user", "I moved from Vienna to Graz yesterday, the rent is 900 euros."),
    ("The assistant", "assistant", "Congratulations! Graz has a lovely old town."),
    ("Anna", "user", "Never book flights before 9:30 for me. My sister Maja visits in August 2027."),
    ("Anna", "user", "Ich arbeite seit gestern als Ärztin im Krankenhaus."),
    ("Anna", "user", "我昨天搬到了上海。"),
)
TALK = Stretch(
    tuple(TurnShown(n, AT + n * 60_000, *said) for n, said in enumerate(SAID, 1)),  # type: ignore[arg-type]
    "A talk",
    "They talked.",
    (),
    (Offered("anna_af_1", "Anna lives in Vienna.", AT - 10**9),),
)


def judged(**reply: Any) -> tuple[Accepted, list[tuple[str, str]]]:
    accepted, refused = check(reply, TALK)
    return accepted, [(one.where, one.reason) for one in refused]


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("Anna lives in Graz.", [1]),
        ("Anna moved to Graz on 27 May 2026.", [1]),
        ("Anna moved to Graz on 2026-05-27.", [1]),
        ("Anna's rent is 900 euros.", [1]),
        ("Anna's sister Maja visits in August 2027.", [3]),
        ("Anna arbeitet als Ärztin im Krankenhaus.", [4]),
        ("Anna 搬到了上海。", [5]),
        ("The assistant praised Graz.", [2]),
    ],
)
def test_what_the_turns_say_is_taken(text: str, turns: list[int]) -> None:
    accepted, refused = judged(facts=[{"text": text, "turns": turns}])
    assert refused == []
    assert accepted.lines == (Line(text, tuple(turns)),)


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ({"text": "Bob lives in Graz.", "turns": [1]}, "«bob» does not stand in turn 1"),
        ({"text": "Anna lives in Berlin.", "turns": [1]}, "«berlin» does not stand in turn 1"),
        ({"text": "Anna's rent is 950 euros.", "turns": [1]}, "the number 950 does not stand in turn 1"),
        ({"text": "Anna moved to Graz on 2026-05-12.", "turns": [1]}, "the date 2026-05-12 does not follow"),
        ({"text": "Anna lives in Graz.", "turns": [3]}, "«graz» does not stand in turn 3"),
        ({"text": "Anna lives in Graz.", "turns": [9]}, "there is no turn 9; turns are 1 to 5"),
        ({"text": "Anna lives in Graz.", "turns": []}, "turns: "),
        ({"text": "", "turns": [1]}, "text: "),
        ({"text": "Anna lives in Graz.", "turns": ["1"]}, "turns.0: "),
        ({"text": "Anna lives in Graz.", "turns": [1], "sure": True}, "sure: Extra inputs are not permitted"),
        ({"text": "Anna adores gardening.", "turns": [1]}, "shares no word with turn 1"),
        ({"text": "Anna moved, password: hunter2hunter2X!", "turns": [1]}, "looks like a secret"),
        ({"text": "Anna moved to Graz. " * 20, "turns": [1]}, "text: "),
        ({"text": "Anna lives in Graz.", "turns": [1], "valid_from": "soon"}, "valid_from must be a day"),
        ({"text": "Anna lives in Graz.", "turns": [1], "valid_from": "2020-01-01"}, "does not follow from the turns"),
        ("Anna lives in Graz.", ""),
    ],
)
def test_what_they_do_not_say_is_refused_with_a_reason(fact: Any, reason: str) -> None:
    good = {"text": "Anna moved from Vienna.", "turns": [1]}
    accepted, refused = judged(facts=[fact, good])
    assert [line.text for line in accepted.lines] == [good["text"]]
    [(where, why)] = refused
    assert where == "facts[0]"
    assert reason in why


def test_rules_and_profile_lines_have_their_place() -> None:
    accepted, refused = judged(
        rules=[{"text": "Never book flights before 9:30 for Anna.", "turns": [3]}],
        profile=[
            {"text": "Anna has a sister, Maja.", "turns": [3], "category": "family"},
            {"text": "Anna has a sister.", "turns": [3], "category": "zodiac"},
        ],
    )
    assert [(line.text, line.category) for line in accepted.lines] == [
        ("Never book flights before 9:30 for Anna.", "rule"),
        ("Anna has a sister, Maja.", "family"),
    ]
    assert [where for where, _ in refused] == ["profile[1]"]


def test_from_when_something_holds_follows_from_the_turn() -> None:
    accepted, _ = judged(facts=[{"text": "Anna lives in Graz.", "turns": [1], "valid_from": "2026-05-27"}])
    assert accepted.lines[0].valid_from == 1_779_840_000_000


def test_only_what_is_offered_may_end() -> None:
    facts = [{"text": "Bob is here.", "turns": [1]}, {"text": "Anna lives in Graz.", "turns": [1]}]
    accepted, refused = judged(
        facts=facts,
        ends=[
            {"id": "anna_af_1", "turns": [1], "replaced_by": 2},
            {"id": "anna_af_2", "turns": [1]},
            {"id": "anna_af_1", "turns": [1], "replaced_by": 1},
        ],
    )
    assert [(end.id, end.replaced_by) for end in accepted.ends] == [("anna_af_1", 0)]
    assert [where for where, _ in refused] == ["facts[0]", "ends[1]", "ends[2]"]


def test_titles_and_summaries_tell_of_the_whole_talk() -> None:
    accepted, refused = judged(title="Moving to Graz, a New Rule and a Visit", summary="Moved in: Anna pays 900 euros.")
    assert (accepted.title, refused) == ("Moving to Graz, a New Rule and a Visit", [])
    accepted, refused = judged(title="What Anna told Bob", summary=f"Anna {'moved ' * 100}")
    assert (accepted.title, accepted.summary) == ("", "")
    assert [where for where, _ in refused] == ["title", "summary"]


def test_a_lesson_needs_a_run() -> None:
    accepted, refused = judged(learnt={"text": "Graz has an old town.", "turns": [2]})
    assert (accepted.lesson, refused[0][0]) == ("", "learnt")


@pytest.mark.parametrize("reply", [None, [], "text", 7, {"facts": "none"}, {"facts": [None] * 100}, {"unknown": []}])
def test_nonsense_is_refused_as_such(reply: Any) -> None:
    accepted, refused = check(reply, TALK)
    assert not accepted.any
    assert refused
    assert len(refused) <= 40

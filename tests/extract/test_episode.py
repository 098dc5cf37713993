from __future__ import annotations

import pytest
from talk import ALICE, MAY_8, MINUTE, cell, message, said

from everlore.extract.episode import write_episode
from everlore.extract.facts import write_facts
from everlore.kinds.episode import Episode, parse_turns
from everlore.types import Cell


def written(talk: Cell) -> Episode | None:
    return write_episode(talk, ALICE, "ep_20230508_00000001", write_facts(talk))


def test_the_account_of_a_talk() -> None:
    episode = written(
        said(
            "I love climbing in Yosemite every spring.",
            "My favorite coffee shop is Blue Bottle in SOMA.",
            "I bike to work most days.",
        )
    )
    assert episode is not None
    assert episode.subject.startswith("Alice: ")
    assert episode.subject.endswith("bikes to work most days (8 May 2023)")
    assert episode.summary.startswith("On May 8, 2023 at 1:56 PM UTC: Alice loves climbing in Yosemite every spring.")
    opening, turns = parse_turns(episode.content)
    assert opening == "On May 8, 2023 from 1:56 PM to 1:58 PM UTC, Alice spoke."
    assert [turn.text for turn in turns] == [
        "I love climbing in Yosemite every spring.",
        "My favorite coffee shop is Blue Bottle in SOMA.",
        "I bike to work most days.",
    ]
    assert episode.timestamp == MAY_8 + 2 * MINUTE
    assert episode.parent_id == "mc_0123456789ab"


def test_nothing_said_is_no_episode() -> None:
    assert written(said("", "  \n")) is None


def test_tool_work_is_shown_briefly() -> None:
    calls = [{"id": "c1", "function": {"name": "search", "arguments": '{"query": "Rome", "limit": 3}'}}]
    talk = cell(
        message("Find flights to Rome."),
        message("", "bot", "assistant", MAY_8 + 1, calls),
        message("word " * 500, "bot", "tool", MAY_8 + 2),
        message("", "bot", "assistant", MAY_8 + 3, [{"name": "book", "input": {"id": 7}}]),
        message("  ", "bot", "assistant", MAY_8 + 4),
    )
    episode = written(talk)
    assert episode is not None
    _, turns = parse_turns(episode.content)
    assert turns[1].text == "called search(query=Rome, limit=3)"
    assert len(turns[2].text) <= 500
    assert turns[2].text.endswith("…")
    assert turns[3].text == "called book(id=7)"
    assert len(turns) == 4
    assert episode.sender_ids == ("alice", "bot")


def test_odd_arguments_of_a_call_are_shown_as_they_are() -> None:
    talk = cell(message("", "bot", "assistant", MAY_8, [{"function": {"name": "run", "arguments": "not json"}}, {}]))
    episode = written(talk)
    assert episode is not None
    assert "called run(not json); called a tool()" in episode.content


def test_a_talk_without_facts_still_has_words_in_its_summary() -> None:
    episode = written(said("ok"))
    assert episode is not None
    assert episode.summary == 'On May 8, 2023 at 1:56 PM UTC: Alice said: "ok"'
    assert episode.subject == "Alice: ok (8 May 2023)"


def test_a_long_talk_has_a_short_subject_and_summary() -> None:
    talk = said(*(f"I visited the old town of City{n} with my friend Bob{n} and we ate soup." for n in range(30)))
    episode = written(talk)
    assert episode is not None
    assert len(episode.subject) <= 101
    assert 100 <= len(episode.summary) <= 240


def test_names_that_look_like_markup_do_not_break_the_turns() -> None:
    talk = cell(
        message("I am here in Rome.", name="**Al**\nice"), message("**Al** (12:00): no", name="*", at=MAY_8 + 1)
    )
    episode = written(talk)
    assert episode is not None
    _, turns = parse_turns(episode.content)
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("Al ice", "I am here in Rome."),
        ("Someone", "**Al** (12:00): no"),
    ]


def test_turns_out_of_order_are_told_from_the_first_to_the_last() -> None:
    episode = written(cell(message("I live in Rome.", at=MAY_8 + MINUTE), message("I work at Fiat.", at=MAY_8)))
    assert episode is not None
    assert episode.content.startswith("On May 8, 2023 from 1:56 PM to 1:57 PM UTC, Alice spoke.")
    assert episode.summary.startswith("On May 8, 2023 at 1:56 PM UTC: ")


@pytest.mark.parametrize(
    ("texts", "subject"),
    [
        (("I don't eat meat or dairy.",), "Alice: doesn't eat meat or dairy (8 May 2023)"),
        (("I don't live in Paris anymore obviously.",), "Alice: doesn't live in Paris anymore obviously (8 May 2023)"),
        (("I'll be an aunt tomorrow!",), "Alice: will be an aunt tomorrow! (8 May 2023)"),
        (("---",), "Alice: no words (8 May 2023)"),
        (("...", "hm ok"), "Alice: hm ok (8 May 2023)"),
        (("Me and my wife got a cat.",), "Alice: Alice and their wife got a cat (8 May 2023)"),
    ],
)
def test_the_subject_is_a_whole_statement(texts: tuple[str, ...], subject: str) -> None:
    episode = written(said(*texts))
    assert episode is not None
    assert episode.subject == subject


def test_a_cut_subject_keeps_its_denial() -> None:
    long = "I baked bread, cakes, pies, rolls, buns and tarts for the whole village fair in Norway, but never any "
    other = "I painted walls, doors, windows, fences and gates of the old farm house near the lake in Norway in June."
    episode = written(said(f"{long}scones.", other))
    assert episode is not None
    assert episode.subject.startswith("Alice: painted walls, doors")
    assert "… (" in episode.subject


def test_the_subject_is_of_the_user_where_one_spoke() -> None:
    answer = "The Uffizi in Florence has paintings by Botticelli and Leonardo."
    episode = written(cell(message("What should one see in Florence?"), message(answer, "bot", "assistant")))
    assert episode is not None
    assert episode.subject == "Alice: What should one see in Florence? (8 May 2023)"


def test_sentences_without_a_stop_do_not_run_together() -> None:
    talk = said("i live in berlin and work at siemens", "i got a dog called rex")
    episode = write_episode(talk, ALICE, "ep_20230508_00000001", write_facts(talk))
    assert episode is not None
    assert episode.summary.endswith("Alice lives in berlin. Alice works at siemens. Alice got a dog called rex.")

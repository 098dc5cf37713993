from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trajectories import HELPER, START, all_written, call, cell_of, flights, turn, written

from everlore.extract.agent import case
from everlore.kinds.case import from_entry, to_entry
from everlore.types import Message


def test_a_whole_run() -> None:
    result = written(*flights(), turn("user", "Perfect, thanks!"), turn("assistant", "You're welcome!"))
    assert result.task_intent == "Book a flight from Berlin to Lisbon on Friday"
    assert result.approach.splitlines() == [
        "1. `search_flights(from=BER, to=LIS)`: error: date is missing",
        '2. `search_flights(from=BER, to=LIS, date=2026-05-29)`: ok: [{"id": "TP531"}]',
        "3. `book_flight(id=TP531)`: ok",
        "4. Result: Booked TP531 on Friday. The code is X1. Have a nice trip!",
        "5. User: Perfect, thanks!",
    ]
    assert result.key_insight == (
        "`search_flights(from=BER, to=LIS)` failed with date is missing; it worked with `date=0000-00-00`"
    )
    assert result.quality_score == 0.5, "praise proves nothing"
    assert (result.session_id, result.parent_id, result.timestamp) == ("s1", "mc_0123456789ab", START)


def test_a_case_survives_its_markdown() -> None:
    result = written(*flights())
    assert from_entry(to_entry(result), HELPER) == result


# -- whose, and whether


def test_agents_are_the_assistants_in_order() -> None:
    messages = [
        turn("tool", "x", sender="runner"),
        turn("assistant", "b", sender="beta"),
        turn("assistant", "a", sender="alpha"),
        turn("assistant", "b", sender="beta"),
    ]
    assert case.agents_of(messages) == ["beta", "alpha"]
    assert case.agents_of(messages[:1]) == ["runner"]
    assert case.agents_of([turn("user", "hello")]) == []


def test_what_is_a_trajectory() -> None:
    chat = cell_of(turn("user", "How are you?"), turn("assistant", "Fine."))
    assert not case.has_trajectory(chat)
    assert case.tasks_of(chat, HELPER) == []
    assert case.has_trajectory(cell_of(*flights()))
    assert case.has_trajectory(cell_of(turn("user", "Go"), turn("tool", "")))
    assert case.has_trajectory(cell_of(turn("assistant", "I did the thing.")))
    assert not case.has_trajectory(cell_of(turn("assistant", "  ")))


# -- the task


@pytest.mark.parametrize(
    ("request_text", "intent"),
    [
        ("Please deploy the api to staging.", "Deploy the api to staging."),
        ("I'd like you to deploy the api", "Deploy the api"),
        ("Could you please deploy the api, please?", "Deploy the api"),
        ("We ship on Monday. Can you deploy the api?", "Deploy the api"),
        ("Fix my login", "Fix my login"),
        ("Find me three papers on graphs", "Find three papers on graphs"),
        ("The build is red. Fix it!", "Fix: the build is red"),
        ("We ship on Monday. Deploy the api.", "Deploy the api."),
        ("### Deploy the api\n\n- to staging\n- then to production", "Deploy the api"),
    ],
)
def test_the_intent_is_one_plain_sentence(request_text: str, intent: str) -> None:
    assert written(turn("user", request_text), turn("assistant", "", call("1", "deploy"))).task_intent == intent


def test_the_intent_is_the_last_real_request_before_the_work() -> None:
    result = written(
        turn("user", "Hello!"),
        turn("assistant", "Hello, what can I do?"),
        turn("user", "The orders service keeps crashing at night"),
        turn("assistant", "Shall I look at the logs?"),
        turn("user", "Yes, go ahead"),
        turn("assistant", "", call("1", "read_logs", service="orders")),
        turn("user", "And now the billing service"),
    )
    assert result.task_intent == "Fix: the orders service keeps crashing at night"


def test_a_vague_request_takes_its_meaning_from_before() -> None:
    result = written(
        turn("assistant", "The login test fails on Windows."),
        turn("user", "Please fix it"),
        turn("assistant", "", call("1", "edit")),
    )
    assert result.task_intent == "Fix: the login test fails on Windows"


def test_the_intent_without_a_user() -> None:
    assert written(turn("assistant", "I'll rotate the logs. Then sleep.")).task_intent == "Rotate the logs."
    silent = written(turn("assistant", "", call("1", "read"), call("2", "write"), call("3", "read")))
    assert silent.task_intent == "Use read, write"
    lone = written(turn("tool", "disk is full"))
    assert lone.task_intent == "Use tool (disk is full)"
    assert lone.approach == "1. `tool()`: ok: disk is full"


def test_words_without_a_user_are_kept_whole() -> None:
    greeting = "Hello! How can I help you today?"
    result = written(turn("user", " "), turn("assistant", greeting))
    assert result.task_intent == "Hello!"
    assert result.approach == f"1. Said: {greeting}"
    report = " ".join(f"Disk {number} was checked and is fine." for number in range(300))
    assert report in written(turn("assistant", "", call("1", "scan")), turn("assistant", report)).approach


def test_the_intent_is_bounded() -> None:
    assert len(written(turn("user", "Please sort " + "very long words " * 200), turn("tool", "x")).task_intent) <= 200


def test_a_long_row_of_one_tool_is_shortened() -> None:
    calls = [call(str(number), "read_file", path=f"f{number}.py") for number in range(20)]
    answers = [turn("tool", "text", to=str(number)) for number in range(20)]
    lines = written(turn("user", "Read all"), turn("assistant", "", *calls), *answers).approach.splitlines()
    assert lines == [
        "1. `read_file(path=f0.py)`: ok: text",
        "2. … 18 more calls of read_file (ok)",
        "3. `read_file(path=f19.py)`: ok: text",
    ]


def test_a_very_long_run_keeps_its_start_and_its_end() -> None:
    work = [
        message
        for number in range(60)
        for message in (
            turn("assistant", "", call(str(number), f"tool_{number}", text="x" * 500)),
            turn("tool", "y" * 5000, to=str(number)),
        )
    ]
    approach = written(turn("user", "Go"), *work, turn("assistant", "All is done.")).approach
    assert len(approach) <= 4000
    assert approach.startswith("1. `tool_0(")
    assert approach.endswith("61. Result: All is done.")
    assert "steps left out" in approach


def test_the_work_of_another_agent_is_named() -> None:
    result = written(turn("assistant", "Here you are.", sender="scout"), turn("assistant", "Done now, all of it."))
    assert result.approach.splitlines() == ["1. (scout) Said: Here you are.", "2. Result: Done now, all of it."]


def test_the_name_of_a_thing_keeps_its_letters() -> None:
    asked = turn("user", "test_signup is flaky too, fix it pls")
    assert written(asked, turn("assistant", "", call("1", "run"))).task_intent == "Fix: test_signup is flaky too"


# -- anything at all


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
odd_call = st.one_of(
    odd,
    st.fixed_dictionaries({"id": odd, "function": odd}),
    st.fixed_dictionaries(
        {"id": st.text(max_size=3), "function": st.fixed_dictionaries({"name": odd, "arguments": odd})}
    ),
)
odd_turn = st.builds(
    lambda role, text, calls, to: turn(role, text, *calls, to=to),
    st.sampled_from(["user", "assistant", "tool"]),
    st.text(max_size=60)
    | st.sampled_from(["Error: x", "thanks", "no, use b", "{", '{"error": 1}', "### Content\n- x"]),
    st.lists(odd_call, max_size=2),
    st.none() | st.text(max_size=3),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(odd_turn, min_size=1, max_size=8))
def test_no_messages_break_it(messages: list[Message]) -> None:
    results = all_written(*messages)
    assert bool(results) == case.has_trajectory(cell_of(*messages))
    assert results == all_written(*messages)
    for result in results:
        assert 0 <= result.quality_score <= 1
        assert 0 < len(result.task_intent) <= 200
        assert 0 < len(result.approach) <= 4000
        assert all(line[0].isdigit() or line[0] == "…" for line in result.approach.split("\n"))
        assert not result.task_intent.startswith(("#", "- "))
        assert result.key_insight is None or "\n" not in result.key_insight
        assert from_entry(to_entry(result), HELPER) == result

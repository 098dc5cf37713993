from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.extract import skill, skill_cluster
from everlore.extract.skill import untouched
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill, from_sheet, to_sheet
from everlore.models.offline import OfflineEmbedder
from everlore.types import Owner, Scope

AGENT = Owner(Scope(), "agent", "helper")
DAY = 86_400_000
START = 1_779_926_400_000  # 2026-05-28T00:00:00Z
NOW = START + 10 * DAY
ENTRY = "sk_20260607_00000001"


def made(
    number: int,
    intent: str = "Book a flight from Berlin to Lisbon",
    approach: str = "1. `search_flights(to=LIS)`: ok: 2 flights\n2. `book_flight(id=1)`: ok\n3. Result: Booked.",
    quality: float = 0.8,
    lesson: str | None = None,
    days: int = 0,
) -> Case:
    entry = f"ac_20260528_{number:08d}"
    return Case(AGENT, entry, "s", START + days * DAY + number, "mc_1", (), intent, approach, quality, lesson)


FLIGHTS = [
    made(1, "Book a flight from Berlin to Lisbon"),
    made(
        2,
        "Find and book flights to Madrid",
        "1. `check_visa(country=ES)`: ok\n2. `search_flights(to=MAD)`: ok\n3. `book_flight(id=9)`: ok",
        0.9,
        "Norwegian only sells hand luggage fares",
        days=1,
    ),
    made(3, "Book a flight to Rome", "1. `search_flights(to=FCO)`: error: service is down", 0.1, days=2),
]
HOTEL = made(7, "Reserve a hotel room near the fair", "1. `search_hotels(q=fair)`: ok")


def write(cases: list[Case], old: Skill | None = None, now: int = NOW) -> Skill:
    return skill.write_skill(cases, old, ENTRY, now)


# -- which cases belong together


def test_words_find_the_cases_of_the_same_task() -> None:
    assert skill_cluster.assign(FLIGHTS[2], [HOTEL, *FLIGHTS[:2]]) == FLIGHTS
    assert skill_cluster.assign(HOTEL, FLIGHTS) == [HOTEL]
    assert skill_cluster.assign(HOTEL, []) == [HOTEL]


def test_a_case_is_not_its_own_neighbour() -> None:
    assert skill_cluster.assign(FLIGHTS[0], FLIGHTS) == FLIGHTS


def test_vectors_decide_by_the_threshold() -> None:
    plain = [made(number, f"task {number}", "1. Result: x") for number in range(4)]
    angles = np.array([0.0, 0.3, 0.62, 2.0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    order = [1, 2, 3, 0]
    new, rest = plain[0], plain[1:]
    assert skill_cluster.assign(new, rest, vectors[order], 0.95) == plain[:2]
    # 0.62 is too far from the new case alone, but not from the centroid of the first two
    assert skill_cluster.assign(new, rest, vectors[order], 0.88) == plain[:3]
    assert skill_cluster.assign(new, rest, vectors[order], 0.999) == plain[:1]


def test_every_case_needs_a_vector() -> None:
    with pytest.raises(ValueError, match="vector"):
        skill_cluster.assign(FLIGHTS[0], FLIGHTS[1:], np.ones((2, 2), np.float32))


def test_other_tools_are_another_task() -> None:
    send = made(8, "Book a flight from Berlin to Lisbon", "1. `send_mail(to=bob)`: ok")
    assert skill_cluster.assign(send, FLIGHTS[:1], np.ones((2, 1), np.float32)) == [send]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Book a flight to Rome in June", "Book a hotel in Rome in June"),
        ("Get a hotel in Lisbon from May 3", "Get a flight from Berlin to Lisbon on May 3"),
        ("Deploy the api to staging", "Delete the api from staging"),
        ("Back up the database", "Restore the database"),
        ("Book a flight to Rome", "Cancel a flight to Rome"),
    ],
)
def test_other_things_and_opposites_are_other_tasks(one: str, other: str) -> None:
    first, second = made(1, one, "1. `web(x=1)`: ok"), made(2, other, "1. `web(x=2)`: ok")
    assert skill_cluster.assign(second, [first], np.ones((2, 1), np.float32)) == [second]


def test_what_is_compared_has_no_names_numbers_and_dates() -> None:
    texts = ["Reset the password of jane@example.com on Friday (asked by Bob)", "Reset the password of 4711 tomorrow"]
    assert [skill_cluster.cluster_text(made(1, text)).split()[:4] for text in texts] == [
        ["Reset", "the", "password", "of"]
    ] * 2
    assert "Lisbon" not in skill_cluster.cluster_text(FLIGHTS[0])


def test_the_offline_model_and_the_default_threshold_tell_tasks_apart(tmp_path: Path) -> None:
    intents = [
        "Book a flight from Berlin to Lisbon on Friday",
        "Book a flight from Paris to Rome for next week",
        "Find and book a flight to Madrid tomorrow",
        "Book a hotel in Lisbon for three nights",
        "Fix the failing login test in the CI pipeline",
        "Renew the TLS certificate for api.example.com",
    ]
    cases = [made(number, intent, "1. Result: done") for number, intent in enumerate(intents)]
    embedder = OfflineEmbedder(tmp_path, threads=2)
    vectors = embedder.encode([skill_cluster.cluster_text(case) for case in [*cases[1:], cases[0]]])
    embedder.close()
    assert skill_cluster.assign(cases[0], cases[1:], vectors) == cases[:3]


def test_gather_finds_the_skill_and_keeps_its_sources() -> None:
    old = replace(
        write(FLIGHTS[:2]), source_case_ids=(skill_cluster.public_id(FLIGHTS[0]), skill_cluster.public_id(HOTEL))
    )
    other = replace(old, local_id="sk_20260607_00000002", source_case_ids=("helper_ac_1", "helper_ac_2"))
    members, found = skill_cluster.gather(FLIGHTS[2], [*FLIGHTS[:2], HOTEL], [other, old])
    assert found == old
    assert set(members) == {*FLIGHTS, HOTEL}
    members, found = skill_cluster.gather(FLIGHTS[2], FLIGHTS[:2], [other])
    assert (members, found) == (FLIGHTS, None)


# -- the page


def test_a_skill_from_three_runs() -> None:
    result = write(FLIGHTS)
    assert result.name == "book-flight"
    assert result.description == "How to book a flight (from 3 runs)"
    assert result.source_case_ids == tuple(f"helper_ac_20260528_0000000{number}" for number in (1, 2, 3))
    assert result.timestamp == NOW
    body = result.content
    headings = [line for line in body.splitlines() if line.startswith("#")]
    assert headings == ["## When to use", "## Steps", "## Lessons", "## Sources"]
    assert "1. `search_flights(to)`\n2. `book_flight(id)`\n" in body
    assert "Some runs also used `check_visa(country=ES)`." in body
    assert "`search_flights(to=FCO)` failed: service is down (`helper_ac_20260528_00000003`)" in body
    assert "- Norwegian only sells hand luggage fares (`helper_ac_20260528_00000002`)" in body


def test_steps_that_few_runs_took_are_told_apart() -> None:
    usual = "1. `search_flights(to=X)`: ok\n2. `book_flight(id=1)`: ok"
    rare = "1. `check_visa(c=US)`: ok\n2. `search_flights(to=X)`: ok\n3. `book_flight(id=1)`: ok"
    body = write([made(1, approach=rare, quality=0.9), made(2, approach=usual), made(3, approach=usual)]).content
    assert "1. `search_flights(to=X)`\n2. `book_flight(id=1)`" in body
    assert "Some runs also used `check_visa(c=US)`." in body


def test_a_skill_without_tools_takes_the_words() -> None:
    told = "1. Said: I ask for the budget.\n2. Result: A plan with three stops."
    body = write([made(1, approach=told), made(2, approach="A person rewrote this\nin two lines", quality=0.6)]).content
    assert "## Steps\n\n1. Said: I ask for the budget.\n2. Result: A plan with three stops." in body


def test_no_success_in_the_steps_is_said() -> None:
    old = write(FLIGHTS[:2])
    body = write([made(1, quality=0.1), made(2, quality=0.15)], old).content
    assert "No run has succeeded yet" in body


def test_two_cases_and_one_success_are_needed() -> None:
    assert skill.enough(FLIGHTS[1:])
    assert not skill.enough(FLIGHTS[:1])
    assert not skill.enough([made(1, quality=0.1), made(2, quality=0.1)])
    with pytest.raises(ValueError, match="two cases"):
        write(FLIGHTS[:1])


def test_a_name_is_unique_and_then_kept() -> None:
    first = skill.write_skill(FLIGHTS, None, ENTRY, NOW, taken=["book-flight", "book-flight-2"])
    assert first.name == "book-flight-3"
    renamed = replace(first, name="travel")
    assert write([*FLIGHTS, made(4, "Cancel the train ticket")], renamed).name == "travel"


@pytest.mark.parametrize("intent", ["预订航班", "???", "the of and", "12 34", "", "Ünïcode tâches"])
def test_any_intent_gives_a_name_that_can_be_a_folder(intent: str) -> None:
    name = write([made(1, intent or "x"), made(2, intent or "x")]).name
    assert name
    assert len(name) <= 48
    assert all(part.isalnum() for part in name.split("-"))


def test_a_run_that_failed_or_was_rejected_shows_no_steps() -> None:
    bad = "1. `bash(command=alembic upgrade head)`: ok\n2. `bash(command=pg_restore x)`: error: end of file"
    good = "1. `bash(command=pg_dump x)`: ok\n2. `bash(command=alembic upgrade head --sql)`: ok"
    intent = "Run the migrations on production"
    assert not skill.enough([made(1, intent, bad, 0.1), made(2, intent, bad, 0.4)])
    body = write([made(1, intent, bad, 0.1), made(2, intent, good, 0.8)]).content
    steps = body.partition("## Steps")[2].partition("## Lessons")[0]
    assert "pg_dump" in steps
    assert "pg_restore" not in steps


def test_commands_are_told_apart_by_their_program() -> None:
    first = "1. `bash(command=cd a && pytest -x)`: ok\n2. `bash(command=pip install stripe)`: ok"
    second = "1. `bash(command=pytest)`: ok\n2. `bash(command=git push)`: ok"
    third = "1. `bash(command=python -m pytest tests)`: ok"
    runs = [made(1, approach=first, quality=0.9), made(2, approach=second), made(3, approach=third)]
    body = write(runs).content
    assert "## Steps\n\n1. `cd a && pytest -x`\n" in body
    assert "Some runs also used `pip install stripe`, `git push`." in body


@pytest.mark.parametrize("intent", ["Fix: pytest fails in the crm repo", "Refactor the parser", "Book tickets"])
def test_an_order_goes_on_from_how_to(intent: str) -> None:
    lowered = intent[0].lower() + intent[1:]
    assert write([made(1, intent), made(2, intent)]).description == f"How to {lowered} (from 2 runs)"


@pytest.mark.parametrize(
    "intent", ["What is the weather?", "pytest fails in the crm repo", "My laptop is slow", "“Do it” he said"]
)
def test_an_intent_that_is_no_order_is_quoted(intent: str) -> None:
    assert write([made(1, intent), made(2, intent)]).description == f"How to handle “{intent}” (from 2 runs)"


def test_a_skill_survives_its_markdown_and_is_still_ours() -> None:
    first = write(FLIGHTS[:2])
    read = from_sheet(to_sheet(first), AGENT, first.name)
    assert read == first
    windows = replace(read, content=read.content.replace("\n", "  \r\n"))
    for old in (read, windows):
        again = write(FLIGHTS, old)
        assert again.content == write(FLIGHTS).content
        assert again.description == "How to book a flight (from 3 runs)"
        assert (again.local_id, again.timestamp) == (first.local_id, first.timestamp)


def test_the_same_cases_in_any_order_give_the_same_skill() -> None:
    assert write(FLIGHTS[::-1]) == write([*FLIGHTS, FLIGHTS[0]]) == write(FLIGHTS)
    once = write(FLIGHTS, write(FLIGHTS[:2]))
    assert write(FLIGHTS, once) == once


def test_new_sources_come_after_old_ones() -> None:
    old = write(FLIGHTS[1:])
    older = made(0, days=-5)
    ids = write([older, *FLIGHTS[1:]], old).source_case_ids
    assert ids == (*old.source_case_ids, skill_cluster.public_id(older))


# -- what a person wrote stays


EDITS: dict[str, Callable[[str], str]] = {
    "a line": lambda body: body.replace("## Steps", "## Steps\n\nAlways ask for the budget first."),
    "a heading": lambda body: f"{body}\n\n## My notes\n\nCall the airline.",
    "a deletion": lambda body: body.replace("For tasks such as:\n\n", ""),
    "no mark": lambda body: body.split("\n\n<!--")[0],
    "all of it": lambda body: "Just call them.",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_body_is_kept_and_only_added_to(edit: str) -> None:
    old = write(FLIGHTS[:2])
    edited = replace(old, content=EDITS[edit](old.content), description="Flights, my way")
    lesson = made(4, lesson="Ask for the passport first", days=3)
    result = write([*FLIGHTS[:2], lesson], edited)
    assert result.content == (
        f"{edited.content}\n\n## Learned since\n\n- Ask for the passport first (`helper_ac_20260528_00000004`)"
    )
    assert result.description == "Flights, my way"
    assert result.source_case_ids == (*old.source_case_ids, "helper_ac_20260528_00000004")
    assert result.confidence > old.confidence
    assert write([*FLIGHTS[:2], lesson], result) == result


def test_more_lessons_go_to_the_same_section() -> None:
    edited = replace(write(FLIGHTS[:2]), content="Mine.\n\n## Learned since\n\n- one\n\n## After\n\nText.")
    result = write([*FLIGHTS[:2], made(4, lesson="two")], edited)
    assert result.content == (
        "Mine.\n\n## Learned since\n\n- one\n- two (`helper_ac_20260528_00000004`)\n\n## After\n\nText."
    )


def test_an_edited_body_without_news_stays_as_it_is() -> None:
    edited = replace(write(FLIGHTS[:2]), content="Mine.  \n\nAll mine.")
    assert write([*FLIGHTS[:2], made(4)], edited).content == edited.content


def test_an_edited_description_is_kept_when_the_body_is_ours() -> None:
    old = replace(write(FLIGHTS[:2]), description="Flights, my way")
    assert write(FLIGHTS, old).description == "Flights, my way"


def test_sources_that_an_edited_skill_was_made_from_stay_known() -> None:
    edited = replace(write(FLIGHTS[:2]), content="Mine.")
    assert write(FLIGHTS[1:], edited).source_case_ids == tuple(skill_cluster.public_id(case) for case in FLIGHTS)


# -- the numbers


qualities = st.lists(st.floats(0, 1), min_size=2, max_size=12)


@settings(deadline=None, max_examples=100)
@given(qualities, st.floats(0.5, 1), st.floats(0, 0.49))
def test_confidence_is_monotone(values: list[float], better: float, worse: float) -> None:
    cases = [made(number, quality=value) for number, value in enumerate(values)]
    now = skill.confidence_of(cases)
    assert 0 <= now < 1
    assert skill.confidence_of([*cases, made(99, quality=better)]) >= now
    assert skill.confidence_of([*cases, made(99, quality=worse)]) <= now
    assert skill.confidence_of([replace(cases[0], quality_score=max(values[0], better)), *cases[1:]]) >= now


def test_confidence_of_known_cases() -> None:
    assert skill.confidence_of([made(1, quality=1.0), made(2, quality=1.0)]) == 0.67
    assert skill.confidence_of([made(1, quality=0.1), made(2, quality=0.0)]) == 0


def test_maturity_grows_with_number_and_spread_and_fades() -> None:
    two = [made(1), made(2)]
    four = [made(number) for number in range(4)]
    spread = [made(number, days=number) for number in range(4)]
    assert skill.maturity_of(two, NOW) < skill.maturity_of(four, NOW) < skill.maturity_of(spread, NOW) < 1
    assert skill.maturity_of(two, NOW + 400 * DAY) < skill.maturity_of(two, NOW)
    assert skill.maturity_of([made(1, quality=0.1)], NOW) == 0
    assert skill.maturity_of([*two, made(3, quality=0.1, days=9)], NOW) == skill.maturity_of(two, NOW)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=40),
            st.text(min_size=1, max_size=80),
            st.floats(0, 1),
            st.none() | st.text(max_size=30),
        ),
        min_size=2,
        max_size=5,
    )
)
def test_any_cases_give_a_skill_that_is_stable(parts: list[tuple[str, str, float, str | None]]) -> None:
    cases = [made(n, intent, approach, quality, lesson) for n, (intent, approach, quality, lesson) in enumerate(parts)]
    cases.append(made(99))
    first = write(cases)
    assert first == write(cases[::-1])
    assert untouched(first.content.strip())
    assert write(cases, first) == first
    assert skill_cluster.assign(cases[0], cases[1:])


def test_our_description_of_an_edited_page_counts_on() -> None:
    old = write(FLIGHTS[:2])
    edited = replace(old, content=f"{old.content}\nMy own note.")
    assert old.description.endswith("(from 2 runs)")
    assert write(FLIGHTS, edited).description == old.description.replace("2 runs", f"{len(FLIGHTS)} runs")

"""Skills: which runs belong together, what their page says, and what it says no longer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from skills import AGENT, FLY, START, made, steps, written

from everlore.extract.agent.skill import (
    cluster_text,
    confidence_of,
    enough,
    gather,
    maturity_of,
    public_id,
    untouched,
    without_cases,
    write_skill,
)
from everlore.extract.prompts import SkillAnswer
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill, from_sheet, to_sheet
from everlore.models.offline import OfflineEmbedder

DAY = 86_400_000
ROME, OSLO = made(1, "Book a flight to Rome"), made(2, "Book a flight to Oslo", lesson="The api wants a currency")
ALIKE = np.ones((2, 1), np.float32)


def fly(to: str, number: int) -> str:
    return (
        f"1. `search_flights(to={to})`: ok: 2 flights\n2. `book_flight(id={number}, seats=1)`: ok\n3. Result: Booked."
    )


# -- which runs make one


def test_several_proven_runs_with_the_same_steps_make_a_skill() -> None:
    assert enough([ROME, OSLO])
    assert not enough([ROME])
    assert not enough([ROME, replace(OSLO, quality_score=0.5)]), "nothing proved it"
    assert not enough([ROME, replace(OSLO, quality_score=0.1)])
    assert not enough([ROME, made(3, "Book a flight to Rome", "1. `send_mail(to=bob)`: ok")])


@pytest.mark.parametrize(
    "approach",
    [
        "1. `book_flight(id=1)`: ok",
        "1. `search_flights(to=x)`: ok\n2. `get_user(id=1)`: ok",
        "1. `edit_file(path=a.py)`: ok\n2. `bash(command=pytest)`: ok: 3 passed",
        "1. Result: done",
        "1. `search_flights(to=x)`: error: down\n2. `book_flight(id=1)`: ok",
    ],
)
def test_one_step_or_only_looking_or_what_every_run_does_is_no_skill(approach: str) -> None:
    assert not enough([made(1, "Do it", approach), made(2, "Do it", approach)])


def test_only_proven_runs_of_the_same_task_are_gathered() -> None:
    assert gather(OSLO, [ROME], [], ALIKE) == ([ROME, OSLO], None)
    assert gather(OSLO, [replace(ROME, quality_score=0.5)], [], ALIKE) == ([OSLO], None)
    unproven = replace(OSLO, quality_score=0.5)
    assert gather(unproven, [ROME], [], ALIKE) == ([unproven], None)
    far = np.array([[1, 0], [0, 1]], np.float32)
    assert gather(OSLO, [ROME], [], far) == ([OSLO], None)
    other = made(3, "Book a flight to Rome", "1. `send_mail(to=bob)`: ok\n2. `log_call(id=1)`: ok")
    assert gather(other, [ROME], [], ALIKE) == ([other], None)


def test_words_decide_where_there_are_no_vectors() -> None:
    assert gather(OSLO, [ROME], [])[0] == [ROME, OSLO]
    assert gather(made(4, "Water the plants on the roof", FLY), [ROME], [])[0] == [
        made(4, "Water the plants on the roof", FLY)
    ]


def test_the_skill_that_shares_most_sources_takes_the_case() -> None:
    old = written(ROME, OSLO)
    other = replace(old, local_id="sk_20260607_00000002", source_case_ids=("helper_ac_1",))
    new = made(5, "Book a flight to Bern")
    assert gather(new, [ROME, OSLO], [other, old], np.ones((3, 1), np.float32)) == ([ROME, OSLO, new], old)


def test_the_offline_model_tells_tasks_apart(tmp_path: Path) -> None:
    intents = ["Book a flight from Berlin to Lisbon on Friday", "Book a flight from Paris to Rome for next week",
               "Renew the certificate of the mail server"]  # fmt: skip
    cases = [made(number, intent) for number, intent in enumerate(intents)]
    embedder = OfflineEmbedder(tmp_path, threads=2)
    vectors = embedder.encode([cluster_text(case) for case in [*cases[1:], cases[0]]])
    embedder.close()
    assert gather(cases[0], cases[1:], [], vectors)[0] == cases[:2]


# -- the page


def test_a_page_tells_what_the_runs_share() -> None:
    page = written(
        made(1, "Book a flight to Rome", fly("FCO", 4)),
        made(
            2, "Book a flight to Oslo", f"1. `check_visa(country=NO)`: ok\n{fly('OSL', 7)}", lesson="Ask for the seat."
        ),
    )
    assert page.name == "book-flight"
    assert page.description == "How to book a flight (from 2 runs)"
    assert page.source_case_ids == ("helper_ac_20260528_00000001", "helper_ac_20260528_00000002")
    assert page.content.startswith("## When to use\n\nTo book a flight.\n\n## Steps\n\n")
    assert "1. `search_flights(to)`\n2. `book_flight(id, seats=1)`\n" in page.content
    assert "check_visa" not in page.content
    assert "- Ask for the seat. (`helper_ac_20260528_00000002`)" in page.content
    assert untouched(page.content)
    assert not any(name in page.content for name in ("Rome", "Oslo", "FCO", "OSL"))


def test_a_page_names_nobody() -> None:
    work = "1. `create_account(name=Nina Falk, plan=pro)`: ok\n2. `send_welcome(user=u_40112)`: ok"
    text = str(written(made(1, "Onboard Nina Falk", work), made(2, "Onboard Nina Falk", work, lesson="Ask Nina Falk")))
    assert not any(name in text for name in ("Nina", "Falk", "40112"))
    assert "create_account(name, plan=pro)" in text


def test_commands_keep_what_all_have() -> None:
    assert steps(
        "1. `bash(command=certbot renew --cert-name mail)`: ok\n2. `bash(command=systemctl reload nginx)`: ok",
        "1. `bash(command=certbot renew --cert-name shop)`: ok\n2. `bash(command=systemctl reload nginx)`: ok",
    ) == ["1. `certbot renew --cert-name …`", "2. `systemctl reload nginx`"]


def test_a_model_may_say_it_better() -> None:
    told = SkillAnswer(how_to="How to fly.", steps=["Look.", "Book."])
    page = write_skill([ROME, OSLO], None, "sk_20260607_00000001", START, told=told)
    assert page.description == "How to fly (from 2 runs)"
    assert "1. Look.\n2. Book." in page.content


def test_names_are_free_and_bounded() -> None:
    assert write_skill([ROME, OSLO], None, "sk_1", START, ["book-flight", "book-flight-2"]).name == "book-flight-3"
    long = [made(number, "word " * 60) for number in (1, 2)]
    page = written(*long)
    assert len(page.name) <= 48
    assert len(page.description) <= 170


def test_too_few_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="several proven cases"):
        written(ROME)


def test_a_page_survives_its_file() -> None:
    page = written(ROME, OSLO)
    assert from_sheet(to_sheet(page), AGENT, page.name) == page


# -- growing, and a person's hand


def changed(page: Skill) -> Skill:
    return replace(page, content=page.content.replace("## Steps", "Ask for a window seat.\n\n## Steps"))


def test_a_page_of_ours_is_written_anew_and_a_persons_stays() -> None:
    old, new = written(ROME, OSLO), made(3, "Book a flight to Bern", lesson="Bern has no airport")
    ours = write_skill([ROME, OSLO, new], old, old.local_id, START)
    assert (ours.name, len(ours.source_case_ids)) == (old.name, 3)
    assert ours.description.endswith("(from 3 runs)")
    theirs = write_skill([ROME, OSLO, new], changed(old), old.local_id, START)
    assert "Ask for a window seat." in theirs.content
    assert theirs.content.endswith("## Learned since\n\n- Bern has no airport (`helper_ac_20260528_00000003`)")
    later = made(4, "Book a flight to Graz", lesson="Graz is small")
    again = write_skill([ROME, OSLO, new, later], theirs, old.local_id, START)
    assert again.content.endswith("(`helper_ac_20260528_00000003`)\n- Graz is small (`helper_ac_20260528_00000004`)")


def test_what_a_forgotten_run_taught_goes_with_it() -> None:
    new = made(3, "Book a flight to Bern")
    page = written(ROME, OSLO, new)
    left = without_cases(page, {public_id(OSLO)}, [ROME, new], START)
    assert left is not None
    assert left.source_case_ids == (public_id(ROME), public_id(new))
    assert "currency" in page.content
    assert "currency" not in left.content
    assert without_cases(page, {public_id(OSLO), public_id(new)}, [ROME], START) is None
    mine = without_cases(changed(page), {public_id(OSLO)}, [ROME, new], START)
    assert mine is not None
    assert "Ask for a window seat." in mine.content
    assert mine.source_case_ids == left.source_case_ids


# -- the numbers


def test_confidence_and_maturity_grow_with_proof() -> None:
    cases: list[Case] = [replace(made(number, "x"), timestamp=START + number * DAY) for number in range(5)]
    confidence = [confidence_of(cases[:count]) for count in range(1, 6)]
    assert confidence == sorted(confidence)
    assert confidence[-1] < 1
    assert confidence_of([*cases, replace(cases[0], quality_score=0.1)]) < confidence[-1]
    now = START + 5 * DAY
    assert maturity_of(cases[:1], now) < maturity_of(cases, now) <= 1
    assert maturity_of(cases, now + 360 * DAY) < maturity_of(cases, now)
    assert maturity_of([replace(cases[0], quality_score=0.5)], now) == 0

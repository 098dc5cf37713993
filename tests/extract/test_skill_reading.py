"""How a skill reads, and that alike work brings alike tasks together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from everlore.extract.skill import SOURCES, write_skill
from everlore.extract.skill_cluster import assign
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill
from everlore.types import Owner, Scope

AGENT = Owner(Scope(), "agent", "helper")
START = 1_779_926_400_000
FLY = "1. `search_flights(to=LIS)`: ok: 2 flights\n2. `book_flight(id=1)`: ok"
ASK = "1. `search_flights(to=LIS)`: ok: 2 flights\n2. `send_mail(to=bob)`: ok"


def made(number: int, intent: str, approach: str = FLY, quality: float = 0.8, lesson: str | None = None) -> Case:
    entry = f"ac_20260528_{number:08d}"
    return Case(AGENT, entry, "s", START + number, "mc_1", intent, approach, quality, lesson)


def written(*cases: Case) -> Skill:
    return write_skill(cases, None, "sk_20260607_00000001", START)


def steps(*approaches: str) -> list[str]:
    body = written(*(made(number, "Do it", approach) for number, approach in enumerate(approaches))).content
    return body.partition("## Steps\n\n")[2].partition("\n\n## ")[0].splitlines()


# -- which cases belong together


def apart(cosine: float, count: int = 2) -> NDArray[np.float32]:
    """Vectors of which the last has this cosine to each of the others."""
    return np.array([[1, 0]] * (count - 1) + [[cosine, (1 - cosine**2) ** 0.5]], np.float32)


@pytest.mark.parametrize(("work", "together"), [(FLY, True), (ASK, False), ("1. Result: x", False)])
def test_alike_work_brings_tasks_together_that_read_less_alike(work: str, together: bool) -> None:
    one, other = made(1, "Get a flight to Rome on Friday"), made(2, "I need the cheapest flight", work)
    assert (assign(other, [one], apart(0.7)) == [one, other]) is together


def test_tools_that_do_something_else_are_another_task() -> None:
    look = "1. `free_slots(doctor=Weiss)`: ok"
    one = made(1, "Move my appointment with the doctor", f"{look}\n2. `move_appointment(id=a9)`: ok")
    other = made(2, "Get an appointment with the doctor", f"{look}\n2. `book_appointment(doctor=Weiss)`: ok")
    assert assign(other, [one], apart(0.95)) == [other]


def test_alike_work_is_not_all() -> None:
    one, other = made(1, "Get a flight to Rome on Friday"), made(2, "Why was my flight late?")
    assert assign(other, [one], apart(0.5)) == [other]


def test_work_that_an_agent_always_does_tells_nothing() -> None:
    others = [made(number, f"Look at flight number {number}") for number in range(12)]
    new = made(20, "Get the cheapest flight")
    assert assign(new, others[:3], apart(0.7, 4)) == [*others[:3], new]
    assert assign(new, others, apart(0.7, 13)) == [new]


# -- what it is called


@pytest.mark.parametrize(
    ("intents", "name", "description"),
    [
        (
            ["Book a hotel in Porto for 12-15 December, max 120 euros a night", "Find a hotel in Vienna for 3 nights"],
            "book-hotel",
            "book a hotel",
        ),
        (
            ["Add a nullable column `vat_id` to customers and migrate the dev database",
             "Get a column discount_code on orders, nullable, and run the migration on the dev db"],
            "add-nullable-column-migrate",
            "add a nullable column and migrate the dev database",
        ),
        (
            ["Fix: production deploy went red at the healthcheck",
             "Fix: the deploy to staging is flaky again - it fails at the healthcheck step"],
            "fix-deploy-healthcheck",
            "fix: the deploy at the healthcheck step",
        ),
        (
            ["Renew the cert for mail.acme.io", "Fix: cert on api.acme.io has expired"],
            "renew-cert",
            "renew the cert",
        ),
        (
            ["Check and refund if true (Customer #4471 says she was charged twice for order 9913)",
             "Customer 5120 claims a double charge on order 10022, verify and refund"],
            "check-refund-customer-charged",
            "check and refund if true (Customer says she was charged twice)",
        ),
        (["Onboard Lena Brandt, she starts 1 Dec", "Do the usual onboarding"], "onboard", "onboard …"),
        (
            ["Implement pagination for GET /users (page, per_page), with tests", "Add pagination to GET /orders"],
            "add-pagination-get",
            "add pagination to GET /orders",
        ),
        (["Soil moisture in bed 1 is at 15 %", "Soil moisture in bed 3 is at 12 %"], "soil-moisture",
         "handle “Soil moisture”"),
        (["Back up the orders table and upload it to S3", "Back up the users table and upload it to S3"],
         "back-up-table-upload", "back up the users table and upload it"),
        (["Restart catalog", "Restart the payments service on prod"], "restart-catalog", "restart catalog"),
    ],
)  # fmt: skip
def test_it_is_called_by_what_its_tasks_share(intents: list[str], name: str, description: str) -> None:
    skill = written(*(made(number, intent, quality=0.9 - number / 10) for number, intent in enumerate(intents)))
    assert skill.name == name
    assert skill.description == f"How to {description} (from 2 runs)"


# -- what it says


def test_what_differs_between_runs_is_told_by_its_name() -> None:
    assert steps(
        "1. `search_hotels(city=Porto, max=120)`: ok\n2. `book_hotel(id=h1, guests=1)`: ok",
        "1. `search_hotels(city=Vienna, near=Hbf, max=150)`: ok\n2. `book_hotel(id=v7, guests=1)`: ok",
    ) == ["1. `search_hotels(city, max)`", "2. `book_hotel(id, guests=1)`"]


def test_commands_keep_the_words_that_all_runs_have() -> None:
    assert steps(
        "1. `bash(command=certbot renew --cert-name a.io)`: ok\n2. `Bash(command=ls -l, description=Look)`: ok",
        "1. `bash(command=certbot renew --cert-name b.io)`: ok\n2. `Bash(command=ls -l, description=See)`: ok",
    ) == ["1. `certbot renew --cert-name …`", "2. `ls -l`"]


def test_several_calls_of_one_tool_are_told_apart() -> None:
    light = "`call_service(domain=light, service=turn_off)`: ok"
    assert steps(
        f"1. {light}\n2. `call_service(domain=climate, service=set, temperature=18)`: ok",
        f"1. `call_service(domain=climate, service=set, temperature=17)`: ok\n2. {light}",
    ) in (
        [
            "1. `call_service(domain=light, service=turn_off)`",
            "2. `call_service(domain=climate, service=set, temperature)`",
        ],
        [
            "1. `call_service(domain=climate, service=set, temperature)`",
            "2. `call_service(domain=light, service=turn_off)`",
        ],
    )


def test_a_page_of_many_runs_stays_readable() -> None:
    cases = [made(number, f"Book a flight to place {number}") for number in range(40)]
    skill = written(*cases)
    assert len(skill.source_case_ids) == 40
    sources = skill.content.partition("## Sources\n\n")[2].splitlines()
    assert sources[0] == "- … and earlier ones"
    assert sum("`helper_ac_" in line for line in sources) == SOURCES
    assert "00000039" in sources[SOURCES]

"""Cases of one agent, and the skill that is written of them."""

from __future__ import annotations

from everlore.extract.agent.skill import write_skill
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill
from everlore.types import Owner, Scope

AGENT = Owner(Scope(), "agent", "helper")


START = 1_779_926_400_000


FLY = "1. `search_flights(to=LIS)`: ok: 2 flights\n2. `book_flight(id=1)`: ok"


ASK = "1. `search_flights(to=LIS)`: ok: 2 flights\n2. `send_mail(to=bob)`: ok"


def made(number: int, intent: str, approach: str = FLY, quality: float = 0.8, lesson: str | None = None) -> Case:
    entry = f"ac_20260528_{number:08d}"
    return Case(AGENT, entry, "s", START + number, "mc_1", (), intent, approach, quality, lesson)


def written(*cases: Case) -> Skill:
    return write_skill(cases, None, "sk_20260607_00000001", START)


def steps(*approaches: str) -> list[str]:
    body = written(*(made(number, "Do it", approach) for number, approach in enumerate(approaches))).content
    return body.partition("## Steps\n\n")[2].partition("\n\n## ")[0].splitlines()

"""Dates that cannot be right are told, and our own clock is never misread."""

from __future__ import annotations

from dataclasses import replace

from vaults import ALICE, DAY, MAY_28, SCOPE, facts, says, settings_for

from everlore.clock import Clock, ahead
from everlore.engine import Engine
from everlore.memory import flush, listing, remember
from everlore.memory.statements import add_statements
from everlore.sync.doctor import doctor

YEAR_2100 = 4_102_444_800_000


class Stopped(Clock):
    def __init__(self, ms: int) -> None:
        super().__init__()
        self._ms = ms

    def now(self) -> int:
        return self._ms


def test_what_is_dated_ahead_is_listed_by_the_doctor(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("I live in Graz.", at=YEAR_2100)])
    assert flush(engine, SCOPE, "s")
    (row,) = listing(engine, ALICE, "episode").rows
    assert ahead(row.timestamp, engine.clock.now())
    found = doctor(settings_for(engine.settings.memory.root, engine.settings.embedding.base_url), lambda *_: None)
    told = [one for one in found if "dated in the future" in one.what]
    assert {one.level for one in told} == {"warning"}
    assert any(row.path in one.what for one in told)


def test_what_is_dated_ahead_decides_nothing(engine: Engine) -> None:
    for at, text in ((YEAR_2100, "I live in Oslo."), (MAY_28, "I live in Graz."), (MAY_28 + DAY, "I moved to Linz.")):
        remember(engine, SCOPE, text, [says(text, at=at)])
        assert flush(engine, SCOPE, text)
    ended = {str(one["content"]): one.get("superseded_by") for one in facts(engine, ALICE)}
    assert not next(end for text, end in ended.items() if "Linz" in text), "it holds, whatever a message of 2100 says"
    assert next(end for text, end in ended.items() if "Graz" in text)


def test_a_clock_that_stands_in_1970_is_not_taken_for_seconds(engine: Engine) -> None:
    wrong = replace(engine, clock=Stopped(86_400_000))
    remember(wrong, SCOPE, "s", [says("I keep bees.", at=wrong.clock.now())])
    assert flush(wrong, SCOPE, "s")
    assert [row.timestamp for row in listing(wrong, ALICE, "episode").rows] == [86_400_000]
    assert add_statements(wrong, ALICE, [(wrong.clock.now(), "My locker is 12.")])
    right = replace(engine, clock=Stopped(MAY_28 + DAY))
    remember(right, SCOPE, "t", [says("I keep bees and hens.", at=MAY_28)])
    assert flush(right, SCOPE, "t")
    assert [row.timestamp for row in listing(right, ALICE, "episode").rows] == [MAY_28, 86_400_000]
    assert len(facts(right, ALICE)) >= 2

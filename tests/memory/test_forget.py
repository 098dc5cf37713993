"""Forgetting takes a memory, what hangs on it, and what the profile says because of it."""

from __future__ import annotations

import pytest
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, facts, says

from everlore.engine import Engine
from everlore.errors import NotFound, Unreadable
from everlore.memory import flush, forget, listing, profile, remember


@pytest.fixture(autouse=True)
def told(engine: Engine) -> None:
    for number, text in enumerate(("I live in Graz. My dog is called Rex.", "I work as a nurse.")):
        remember(engine, SCOPE, f"s{number}", [says(text, at=MAY_28 + number * 60_000)])
        assert flush(engine, SCOPE, f"s{number}")


def listed(engine: Engine) -> list[str]:
    stored = profile(engine, ALICE)
    return [str(info["description"]) for info in stored.data["explicit_info"]] if stored else []


def test_an_episode_goes_with_its_facts_and_their_lines(engine: Engine) -> None:
    first = listing(engine, ALICE, "episode", descending=False).rows[0]
    assert forget(engine, ALICE, first.key.public_id).count == 3
    assert [str(fact["content"]) for fact in facts(engine, ALICE)] == ["Alice works as a nurse."]
    assert listed(engine) == ["Alice works as a nurse."]
    assert_index_equals_files(engine)


def test_a_fact_goes_alone(engine: Engine) -> None:
    rex = next(row for row in listing(engine, ALICE, "fact").rows if "Rex" in str(row.data["content"]))
    assert forget(engine, ALICE, rex.key.public_id).count == 1
    assert sorted(listed(engine)) == ["Alice lives in Graz.", "Alice works as a nurse."]
    assert listing(engine, ALICE, "episode").total == 2


def test_nothing_is_forgotten_while_the_profile_could_not_lose_it(engine: Engine) -> None:
    file = engine.settings.memory.root / "default_app/default_project/users/alice/user.md"
    file.write_text("---\nexplicit_info: 7\n---\n", encoding="utf-8")
    first = listing(engine, ALICE, "episode").rows[0]
    with pytest.raises(Unreadable, match=r"user\.md"):
        forget(engine, ALICE, first.key.public_id)
    assert listing(engine, ALICE, "episode").total == 2


def test_what_is_not_there_is_not_forgotten(engine: Engine) -> None:
    with pytest.raises(NotFound):
        forget(engine, ALICE, "alice_ep_20260528_00000099")

"""What hangs on a memory goes with it, and nothing else."""

from __future__ import annotations

import pytest
from vaults import ALICE, BOB, DAY, HELPER, MAY_28, SCOPE, facts, says

from everlore.engine import Engine
from everlore.errors import Unreadable
from everlore.memory import NewMessage, flush, listing, remember
from everlore.sync.dependents import drop_parts, drop_sources, make_room, take_out


def tell(engine: Engine, session: str, *talk: NewMessage) -> None:
    remember(engine, SCOPE, session, list(talk))
    assert flush(engine, SCOPE, session)


def test_facts_of_a_cell_leave_their_files_unless_its_episode_is_elsewhere(engine: Engine) -> None:
    tell(engine, "s", says("I live in Graz."), says("I cook ramen.", "bob", MAY_28 + 1))
    (episode,) = listing(engine, ALICE, "episode").rows
    assert drop_parts(engine, ALICE, "episode", "another file", [episode.parent_id]) == {}
    dropped = drop_parts(engine, ALICE, "episode", episode.path, [episode.parent_id])
    (path,) = dropped
    assert len(dropped[path]) == 2
    assert facts(engine, ALICE) == []
    file = engine.vault.read(path)
    assert file is not None
    assert "Graz" not in file.text
    assert facts(engine, BOB), "another owner's are not touched"


def test_messages_may_be_sent_again_when_nothing_made_of_them_is_left(engine: Engine) -> None:
    tell(engine, "s", says("I live in Graz."), says("I cook ramen.", "bob", MAY_28 + 1))
    (episode,) = listing(engine, ALICE, "episode").rows
    make_room(engine, ALICE, episode.path, [episode.parent_id])
    remember(engine, SCOPE, "s", [says("I live in Graz.")])
    assert not flush(engine, SCOPE, "s"), "Bob's episode was made of it, too"


def test_a_case_leaves_the_skills_that_name_it(engine: Engine) -> None:
    for number, place in enumerate(("Rome", "Oslo", "Bern")):
        at = MAY_28 + number * DAY
        calls = [
            {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}
            for tool in ("search", "reserve")
        ]
        tell(
            engine,
            f"s{number}",
            says(f"Please book a flight to {place}.", at=at),
            says("", "helper", at + 1, role="assistant", tool_calls=calls),
            says(f"3 flights to {place}", "search", at + 2, role="tool", tool_call_id="search"),
            says("reserved", "search", at + 3, role="tool", tool_call_id="reserve"),
            says(f"Booked the flight to {place}.", "helper", at + 4, role="assistant"),
            says("That is exactly what I wanted.", at=at + 5),
        )
    first, second, _ = listing(engine, HELPER, "case", descending=False).rows
    (path,) = drop_sources(engine, HELPER, [first.key.local_id])
    file = engine.vault.read(path)
    assert file is not None
    assert first.key.public_id not in file.text
    assert second.key.public_id in file.text


def test_an_entry_that_is_broken_is_named_with_its_file(engine: Engine) -> None:
    tell(engine, "s", says("I live in Graz."))
    (episode,) = listing(engine, ALICE, "episode").rows
    closing = f"<!-- /entry:{episode.key.local_id} -->\n"
    engine.vault.change(episode.path, lambda text: (text or "").replace(closing, ""))
    with pytest.raises(Unreadable, match=episode.path):
        take_out(engine, episode.path, [episode.key.local_id])

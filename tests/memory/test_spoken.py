"""The graph of names."""

from __future__ import annotations

from vaults import says

from everlore import memory
from everlore.engine import Engine
from everlore.memory.spoken import names_of, spellings
from everlore.types import Owner, Scope

ALICE = Owner(Scope(), "user", "alice")


def test_names_are_written_as_people_write_them(engine: Engine) -> None:
    assert names_of(engine, ALICE, 10).nodes == ()
    memory.remember(engine, Scope(), "s", [says("I met Bob Miller at Acme Industries in 2024.")])
    memory.flush(engine, Scope(), "s")
    found = names_of(engine, ALICE, 50)
    names = [node.name for node in found.nodes]
    assert {"Bob Miller", "Acme Industries"} <= set(names)
    assert "2024" not in names
    assert "Miller" not in names, "it stands in no memory without the rest of the name"
    assert all(0 <= end < len(names) for edge in found.edges for end in edge[:2])
    assert len(names_of(engine, ALICE, 2).nodes) <= 2
    assert spellings(engine, {"nothing": 10**9}) == {}


def test_words_that_open_a_sentence_are_no_names(engine: Engine) -> None:
    said = "Congratulations! I'll tell Lena. Perfect weather, though. Lena sends congratulations, it was perfect."
    memory.remember(engine, Scope(), "s", [says(said)])
    memory.flush(engine, Scope(), "s")
    names = {node.name for node in names_of(engine, ALICE, 50).nodes}
    assert "Lena" in names
    assert names.isdisjoint({"Congratulations", "I'll", "Perfect"})

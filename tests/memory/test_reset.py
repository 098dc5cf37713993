"""Everything in one scope is forgotten, and nothing in another."""

from __future__ import annotations

from vaults import ALICE, SCOPE, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.memory import flush, listing, profile, remember, reset, save_note, unprocessed
from everlore.types import Owner, Scope

OTHER = Scope("app", "other")


def test_files_rows_and_waiting_messages_of_a_scope_go(engine: Engine) -> None:
    for scope in (SCOPE, OTHER):
        remember(engine, scope, "s", [says("I live in Rome.")])
        assert flush(engine, scope, "s")
        remember(engine, scope, "waiting", [says("I cook ramen.")])
    save_note(engine, ALICE, "The key is below the mat.")
    assert reset(engine, SCOPE).counts == {"episode": 1, "part": 1, "profile": 1, "note": 1}
    assert profile(engine, ALICE) is None
    assert unprocessed(engine, SCOPE, "waiting") == []
    assert len(unprocessed(engine, OTHER, "waiting")) == 1
    assert listing(engine, Owner(OTHER, "user", "alice"), "episode").total == 1
    assert_index_equals_files(engine)
    remember(engine, SCOPE, "s", [says("I live in Rome.")])
    assert flush(engine, SCOPE, "s"), "it may be told again"

"""Lines of a profile that a person keeps, takes out or adds."""

from __future__ import annotations

import pytest
from vaults import says

from everlore import memory
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.extract.profile import is_generated
from everlore.kinds.profile import Info, Profile
from everlore.memory.lines import add_rule, drop, origin, pin
from everlore.sync.projection import read_profile
from everlore.types import Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
HOME = "Alice lives in Berlin."


def _tell(engine: Engine, session: str, *texts: str) -> None:
    memory.remember(engine, Scope(), session, [says(text) for text in texts])
    memory.flush(engine, Scope(), session)


def _profile(engine: Engine) -> Profile:
    known = read_profile(engine, ALICE)
    assert known is not None
    return known


def _line(engine: Engine, text: str) -> Info | None:
    return next((info for info in _profile(engine).explicit_info if info.description == text), None)


def test_a_line_that_is_kept_outlives_what_it_came_from(engine: Engine) -> None:
    _tell(engine, "s", "I live in Berlin.", "I have a dog called Rex.")
    line = _line(engine, HOME)
    assert line is not None
    assert is_generated(_profile(engine), line)
    fact = origin(engine, ALICE, line)
    assert fact is not None
    assert fact.data["content"] == HOME
    pin(engine, ALICE, HOME)
    memory.invalidate(engine, fact)
    kept = _line(engine, HOME)
    assert kept is not None
    assert not is_generated(_profile(engine), kept)
    with pytest.raises(NotFound, match="not in the profile"):
        pin(engine, ALICE, "Alice lives on the moon.")


def test_a_line_that_is_taken_out_does_not_come_back(engine: Engine) -> None:
    _tell(engine, "s", "I live in Berlin.", "I have a dog called Rex.")
    drop(engine, ALICE, HOME)
    _tell(engine, "t", "I like tea very much.")
    assert _line(engine, HOME) is None
    assert "Berlin" not in _profile(engine).summary
    with pytest.raises(NotFound):
        drop(engine, ALICE, HOME)


def test_a_rule_is_the_first_line_and_there_once(engine: Engine) -> None:
    add_rule(engine, ALICE, "Always answer  in English.")
    add_rule(engine, ALICE, "Always answer in English.")
    [rule] = _profile(engine).explicit_info
    assert (rule.category, rule.description) == ("rule", "Always answer in English.")
    _tell(engine, "s", "I live in Berlin.")
    assert [info.category for info in _profile(engine).explicit_info] == ["rule", "home"]
    for wrong in ("", "   ", "x" * 300):
        with pytest.raises(InvalidInput):
            add_rule(engine, ALICE, wrong)
    assert origin(engine, ALICE, rule) is None

"""What a user states on purpose is in their profile, once, and survives what extraction makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.engine import Engine
from everlore.kinds import profile as profiles
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import Info, Profile
from everlore.memory import NewMessage, flush, profile, remember
from everlore.memory.statements import STATED, add_statements, stated
from everlore.types import Owner, Scope

AT = 1_780_000_000_000
USER = Owner(Scope(), "user", "default")
EMPTY = Profile(USER, "", (), (), 0)
said = st.lists(st.tuples(st.integers(AT, AT + 5), st.text("abc xyz.", min_size=1, max_size=20)), max_size=6)


def listed(engine: Engine) -> list[str]:
    row = profile(engine, USER)
    return [] if row is None else [info["description"] for info in row.data["explicit_info"]]


def test_what_no_rule_sorts_is_listed_as_it_was_said(engine: Engine) -> None:
    assert add_statements(engine, USER, [(AT, "Deploys go out on Tuesdays")])
    assert listed(engine) == ["Deploys go out on Tuesdays"]
    assert add_statements(engine, USER, [(AT + 5, "Deploys go out on Tuesdays")])
    assert listed(engine) == ["Deploys go out on Tuesdays"]
    text = (engine.settings.memory.root / sheet_path(profiles.PROFILE, USER)).read_text(encoding="utf-8")
    assert "2026-05-28: Deploys go out on Tuesdays" in text


def test_what_extraction_has_listed_is_not_listed_twice(engine: Engine) -> None:
    message = NewMessage("default", "user", AT, "I love climbing in Yosemite every spring.", sender_name="User")
    remember(engine, USER.scope, "s", [message])
    flush(engine, USER.scope, "s")
    before = listed(engine)
    assert len(before) == 1
    assert add_statements(engine, USER, [(AT, "I love climbing in Yosemite every spring.")])
    assert listed(engine) == before


def test_a_profile_that_a_person_left_unreadable_is_not_touched(engine: Engine) -> None:
    path = engine.settings.memory.root / sheet_path(profiles.PROFILE, USER)
    path.parent.mkdir(parents=True)
    path.write_text("---\nexplicit_info: 7\n---\n", encoding="utf-8")
    assert not add_statements(engine, USER, [(AT, "x")])
    assert path.read_text(encoding="utf-8") == "---\nexplicit_info: 7\n---\n"


@pytest.mark.parametrize("masking", [True, False])
def test_secrets_are_masked_unless_told_otherwise(engine: Engine, masking: bool) -> None:
    from dataclasses import replace

    memory = engine.settings.memory.model_copy(update={"mask_secrets": masking})
    chosen = replace(engine, settings=engine.settings.model_copy(update={"memory": memory}))
    secret = "npm_" + "a1B2" * 9
    add_statements(chosen, USER, [(AT, f"My token is {secret}")])
    assert (secret in listed(engine)[0]) is not masking


@settings(max_examples=100, deadline=None)
@given(said)
def test_stating_again_changes_nothing(statements: list[tuple[int, str]]) -> None:
    once = stated(EMPTY, statements, AT)
    assert stated(once, statements[-1:], AT + 9) == once
    assert all(isinstance(info, Info) and info.category == STATED for info in once.explicit_info)

"""Credentials: their form, what is shown of them, and signatures."""

from __future__ import annotations

import pytest

from everlore.accounts import tokens


@pytest.mark.parametrize("prefix", [tokens.KEY, tokens.TOKEN])
def test_a_credential_is_recognised_and_never_the_same(prefix: str) -> None:
    made = {tokens.new_credential(prefix) for _ in range(20)}
    assert len(made) == 20
    assert all(tokens.well_formed(one) and one.startswith(tokens.shown(one)) for one in made)


@pytest.mark.parametrize(
    "text", ["", "emk_", "emk_" + "g" * 32, "emk_" + "a" * 31, "xxx_" + "a" * 32, "emk_" + "A" * 32]
)
def test_anything_else_is_none(text: str) -> None:
    assert not tokens.well_formed(text)


@pytest.mark.parametrize("typed", ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk ", "BCDF–GHJK"])
def test_a_code_may_be_typed_in_any_way(typed: str) -> None:
    assert tokens.plain_user_code(typed) == "BCDF-GHJK"


def test_a_signature_holds_for_its_parts_alone() -> None:
    signed = tokens.sign(b"secret", "upload", "key", "9")
    assert signed == tokens.sign(b"secret", "upload", "key", "9")
    assert len({signed, tokens.sign(b"other", "upload", "key", "9"), tokens.sign(b"secret", "uploadkey", "", "9")}) == 3

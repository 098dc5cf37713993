"""The tree of errors is the one that is drawn, and surfaces have an answer for each."""

from __future__ import annotations

import re

from everlore import errors
from everlore.errors import Denied, EverloreError

DRAWN = re.compile(r"^(?P<depth>[│ ]*)[├└]── (?P<name>\w+)  ", re.MULTILINE)


def test_the_tree_is_as_it_is_drawn() -> None:
    above: dict[int, str] = {0: "EverloreError"}
    drawn: dict[str, str] = {}
    for found in DRAWN.finditer(errors.__doc__ or ""):
        depth = len(found["depth"]) // 4 + 1
        above[depth] = found["name"]
        drawn[found["name"]] = above[depth - 1]
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, EverloreError)]
    assert drawn == {
        one.__name__: one.__base__.__name__ for one in classes if one is not EverloreError and one.__base__
    }


def test_a_denial_says_why_in_a_word_and_in_a_sentence() -> None:
    error = Denied("expired", "the key has expired; make another")
    assert (error.why, str(error)) == ("expired", "the key has expired; make another")

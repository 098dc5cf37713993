"""The learned judgement of changes: what it looks at, and that its weights fit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from everlore.extract import change


def test_weights_fit_what_is_looked_at() -> None:
    given = change.features("I live in Rome.", "I moved to Oslo.", 0.5)
    assert len(given) == len(change.NAMES)
    for name in ("change", "change_words"):
        assert len(change.weights(name).plain) == len(given)
        file = Path(change.__file__).with_name(f"{name}.json")
        assert file.stat().st_size < 16_000
        assert json.loads(file.read_text(encoding="utf-8"))["plain"]
    assert change.weights().model


def test_numbers_that_differ_while_the_rest_is_alike_speak_for_a_change() -> None:
    plain = change.judged("The build takes twelve minutes.", "The build takes four minutes now.", None)
    other = change.judged("The build takes twelve minutes.", "The cat sleeps on the sofa.", None)
    assert plain > other


def test_vectors_are_looked_at_where_there_are_any() -> None:
    size = len(change.weights().product)
    one = np.full(size, 1 / np.sqrt(size), np.float32)
    alike = change.judged("I sleep badly.", "I sleep well now.", (one, one))
    apart = change.judged("I sleep badly.", "I sleep well now.", (one, -one))
    assert alike != apart


def test_what_a_statement_shows() -> None:
    shown = change.seen("Our standup with Marta moved to 10:30.")
    assert shown.ours
    assert shown.numbers == {"10:30"}
    assert shown.names == {"marta"}
    assert "standup" in shown.content

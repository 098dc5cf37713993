"""The learned judgement of changes: what it looks at, and that its weights fit."""

from __future__ import annotations

import numpy as np

from everlore.extract import change
from everlore.extract.learned import FILE, model, weights
from everlore.models.pack import DIMENSION as SIZE


def test_weights_fit_what_is_looked_at() -> None:
    given = change.features("I live in Rome.", "I moved to Oslo.", 0.5)
    assert len(given) == len(change.NAMES)
    assert len(weights()["change_words"]) == len(given) + 1
    assert len(weights()["change"]) == len(given) + 3 * SIZE + 1
    assert FILE.stat().st_size < 200_000
    assert model()


def test_numbers_that_differ_while_the_rest_is_alike_speak_for_a_change() -> None:
    plain = change.judged("The build takes twelve minutes.", "The build takes four minutes now.", None)
    other = change.judged("The build takes twelve minutes.", "The cat sleeps on the sofa.", None)
    assert plain > other


def test_vectors_are_looked_at_where_there_are_any() -> None:
    one = np.full(SIZE, 1 / np.sqrt(SIZE), np.float32)
    alike = change.judged("I sleep badly.", "I sleep well now.", (one, one))
    apart = change.judged("I sleep badly.", "I sleep well now.", (one, -one))
    assert alike != apart


def test_what_a_statement_shows() -> None:
    shown = change.seen("Our standup with Marta moved to 10:30.")
    assert shown.ours
    assert shown.numbers == {"10:30"}
    assert shown.names == {"marta"}
    assert "standup" in shown.content


def test_what_is_so_for_the_moment_tells_of_no_change() -> None:
    assert change.seen("I can't swim right now.").counts["change"] == 0
    assert change.seen("I can't swim now.").counts["change"] == 1

from __future__ import annotations

import numpy as np

from everlore.models.around import AskedOnce
from everlore.models.offline import OfflineEmbedder


def test_a_question_of_one_request_is_embedded_once(granite: OfflineEmbedder) -> None:
    once = AskedOnce(granite)
    assert once.query("Where do I live?") is once.query("Where do I live?")
    assert np.array_equal(once.query("Where do I live?"), granite.query("Where do I live?"))
    assert not np.array_equal(once.query("Who am I?"), once.query("Where do I live?"))


def test_all_else_is_left_to_the_embedder(granite: OfflineEmbedder) -> None:
    once = AskedOnce(granite)
    once.warm()
    assert (once.name, once.dimension, once.unrelated) == (granite.name, granite.dimension, granite.unrelated)
    assert (once.ready(), once.state(), once.trouble) == (True, "ready", "")
    assert np.array_equal(once.encode(["x", "y"]), granite.encode(["x", "y"]))
    once.close()
    assert granite.ready(), "it belongs to the engine"

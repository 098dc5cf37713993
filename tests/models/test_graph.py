from __future__ import annotations

import hashlib

from everlore.models import graph, pack

SHA256 = "78849c92ff570de5c2f6ea9065ac4b44184ece8314320cf1bea2d73774e996cb"
"""Of the graph as the `onnx` package wrote it from the same pack. Cached vectors are of this graph."""


def test_the_graph_is_the_one_that_stored_vectors_were_made_with() -> None:
    built = graph.build(pack.read(pack.find()))
    assert hashlib.sha256(built).hexdigest() == SHA256

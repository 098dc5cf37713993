"""What is asked of an embedder, held against those that there are."""

from __future__ import annotations

from everlore.models.around import AskedOnce
from everlore.models.base import Embedder
from everlore.models.cache import CachedEmbedder
from everlore.models.offline import OfflineEmbedder
from everlore.models.remote import RemoteEmbedder


def test_every_embedder_has_all_that_is_asked_of_one(granite: OfflineEmbedder) -> None:
    asked = {name for name in vars(Embedder) if not name.startswith("_")}
    assert {"name", "dimension", "encode", "query", "close"} <= asked
    for made in (OfflineEmbedder, CachedEmbedder, AskedOnce):
        assert asked <= set(dir(made))
    assert asked - set(dir(RemoteEmbedder)) <= {"trouble"}  # it sets that one itself
    assert granite.encode([]).shape == (0, granite.dimension)
    assert granite.query("tea").shape == (granite.dimension,)

"""Which embedder the settings ask for. Importing this imports no model, no runtime and no HTTP library."""

from __future__ import annotations

from everlore.config import EmbeddingSection
from everlore.errors import Misconfigured
from everlore.models.base import Embedder
from everlore.models.offline import OfflineEmbedder
from everlore.models.remote import RemoteEmbedder


def make_embedder(settings: EmbeddingSection) -> Embedder:
    """The endpoint where one is set, else the offline model. Loads and connects nothing."""
    if not settings.base_url.strip():
        return OfflineEmbedder(settings.cache_dir, settings.threads)
    if not settings.model.strip():
        raise Misconfigured("EVEROS_EMBEDDING__BASE_URL is set: set EVEROS_EMBEDDING__MODEL to the model's name there")
    return RemoteEmbedder(
        base_url=settings.base_url,
        model=settings.model.strip(),
        api_key=settings.api_key.get_secret_value(),
        dimension=settings.dimension,
        timeout_seconds=settings.timeout_seconds,
    )

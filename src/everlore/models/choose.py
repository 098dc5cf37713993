"""Which models the settings ask for. Importing this imports no model, no runtime and no HTTP library."""

from __future__ import annotations

from typing import Any

from everlore.config import EmbeddingSection, LlmSection, MultimodalSection
from everlore.errors import Misconfigured
from everlore.models.base import Cache, Embedder
from everlore.models.chat import ChatModel
from everlore.models.offline import OfflineEmbedder
from everlore.models.remote import RemoteEmbedder
from everlore.models.transport import Endpoint


def make_embedder(settings: EmbeddingSection, cache: Cache | None = None) -> Embedder:
    """The endpoint where one is set, else the offline model. Loads and connects nothing."""
    endpoint = _endpoint(settings, "embeddings", "embedding", "EVEROS_EMBEDDING")
    if endpoint is None:
        return OfflineEmbedder(settings.cache_dir, settings.threads, cache)
    return RemoteEmbedder(endpoint, settings.model.strip(), settings.dimension, cache)


def make_llm(settings: LlmSection) -> ChatModel | None:
    """The language model for extraction and search, where one is set."""
    more = {"structure": settings.structured, "max_input_tokens": settings.max_input_tokens}
    return _chat(settings, "language model", "EVEROS_LLM", **more)


def make_seer(settings: MultimodalSection) -> ChatModel | None:
    """The model that reads pictures and sound, where one is set."""
    return _chat(settings, "multimodal model", "EVEROS_MULTIMODAL")


def _chat(settings: LlmSection | MultimodalSection, what: str, section: str, **more: Any) -> ChatModel | None:
    endpoint = _endpoint(settings, "chat/completions", what, section)
    price, most = (settings.price_input, settings.price_output), settings.max_output_tokens
    model = settings.model.strip()
    return ChatModel(endpoint, model, max_output_tokens=most, price=price, **more) if endpoint else None


def _endpoint(
    settings: EmbeddingSection | LlmSection | MultimodalSection, path: str, what: str, section: str
) -> Endpoint | None:
    if not settings.base_url.strip():
        return None
    if not settings.model.strip():
        raise Misconfigured(f"{section}__BASE_URL is set: set {section}__MODEL to the model's name there")
    key, seconds = settings.api_key.get_secret_value(), settings.timeout_seconds
    return Endpoint(settings.base_url, path, what=what, section=section, api_key=key, timeout_seconds=seconds)

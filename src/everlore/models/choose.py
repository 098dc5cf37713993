"""Which models the settings ask for. Importing this imports no model, no runtime and no HTTP library."""

from __future__ import annotations

from everlore.config import EmbeddingSection, LlmSection, MultimodalSection
from everlore.errors import Misconfigured
from everlore.models.base import Embedder
from everlore.models.chat import ChatModel, Price
from everlore.models.offline import OfflineEmbedder
from everlore.models.remote import RemoteEmbedder
from everlore.models.transport import Endpoint


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


def make_llm(settings: LlmSection) -> ChatModel | None:
    """The language model for extraction and search, where one is set."""
    endpoint = _endpoint(settings, "language model", "EVEROS_LLM")
    if endpoint is None:
        return None
    return ChatModel(
        endpoint,
        settings.model.strip(),
        max_output_tokens=settings.max_output_tokens,
        max_input_tokens=settings.max_input_tokens,
        structure=settings.structured,
        price=Price(settings.price_input, settings.price_output),
    )


def make_seer(settings: MultimodalSection) -> ChatModel | None:
    """The model that reads pictures and sound, where one is set."""
    endpoint = _endpoint(settings, "multimodal model", "EVEROS_MULTIMODAL")
    if endpoint is None:
        return None
    return ChatModel(
        endpoint,
        settings.model.strip(),
        max_output_tokens=settings.max_output_tokens,
        price=Price(settings.price_input, settings.price_output),
    )


def _endpoint(settings: LlmSection | MultimodalSection, what: str, section: str) -> Endpoint | None:
    if not settings.base_url.strip():
        return None
    if not settings.model.strip():
        raise Misconfigured(f"{section}__BASE_URL is set: set {section}__MODEL to the model's name there")
    return Endpoint(
        settings.base_url,
        "chat/completions",
        what=what,
        section=section,
        api_key=settings.api_key.get_secret_value(),
        timeout_seconds=settings.timeout_seconds,
    )

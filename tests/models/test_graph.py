"""The graph says what the pack's weights say, computed here plainly, and stays the one that stored vectors are of."""

from __future__ import annotations

import hashlib
from math import erf
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from everlore.models import graph, pack
from everlore.models.offline import OfflineEmbedder
from everlore.models.pack import Pack

SHA256 = "78a8f8226dd3f508513bf31697b7bd1b6feba5f94f1cac297a46d0eac6bea720"
"""Of the graph. With another one `offline.FORMAT` goes up, so that vectors are made anew."""

Rows: TypeAlias = NDArray[np.float64]


@pytest.fixture(scope="module")
def weights() -> Pack:
    return pack.read(pack.find())


def test_the_graph_is_the_one_that_stored_vectors_were_made_with(weights: Pack) -> None:
    built = graph.build(weights)
    assert hashlib.sha256(built).hexdigest() == SHA256


@pytest.mark.parametrize(
    "text",
    [
        "What did Bob say about the trip to Lisbon?",
        "Alice: I moved to Lisbon in March, and since then I have been working from a small flat near the river.",
        "def add(a, b):\n    return a + b",
        "yes",
        Path(graph.__file__).read_text(encoding="utf-8"),
    ],
)
def test_vectors_are_those_of_the_weights(granite: OfflineEmbedder, weights: Pack, text: str) -> None:
    tokenizer = Tokenizer.from_str(weights.tokenizer)
    tokenizer.enable_truncation(pack.LONGEST)
    assert _plainly(weights, tokenizer.encode(text).ids) @ granite.encode([text])[0] > 0.995


def _plainly(given: Pack, tokens: list[int]) -> Rows:
    arch, vectors = given.arch, given.vectors

    def dense(name: str) -> Rows:
        weight = given.weights[name]
        blocks: Any = weight.values.reshape(*weight.scales.shape, weight.group)
        dense: Rows = (blocks * weight.scales[..., None].astype(np.float64)).reshape(weight.values.shape)
        return dense

    def linear(states: Rows, name: str) -> Rows:
        return states @ dense(f"{name}.w").T + vectors[f"{name}.b"]

    def norm(states: Rows, name: str) -> Rows:
        centred = states - states.mean(axis=-1, keepdims=True)
        scaled: Rows = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + arch.layer_norm_eps)
        normed: Rows = scaled * vectors[f"{name}.w"] + vectors[f"{name}.b"]
        return normed

    positions = vectors["pos_emb"][arch.position_offset :][: len(tokens)]
    states = norm(dense("word_emb")[tokens] + positions + vectors["type_emb"][0], "emb_ln")
    gelu = np.vectorize(lambda value: value * (1 + erf(value / 2**0.5)) / 2)
    for number in range(arch.layers):
        at = f"l{number}"
        query, key, value = linear(states, f"{at}.qkv").reshape(len(tokens), 3, arch.heads, -1).transpose(1, 2, 0, 3)
        weighed = np.exp(query @ key.transpose(0, 2, 1) / key.shape[-1] ** 0.5)
        attended = weighed / weighed.sum(axis=-1, keepdims=True) @ value
        middle = norm(states + linear(attended.transpose(1, 0, 2).reshape(states.shape), f"{at}.ao"), f"{at}.aln")
        states = norm(middle + linear(gelu(linear(middle, f"{at}.f1")), f"{at}.f2"), f"{at}.fln")
    vector: Rows = states[0] / np.linalg.norm(states[0])
    return vector


def test_a_written_model_runs() -> None:
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    nodes = [
        graph.node_message("MatMul", ["given", "weights"], "product", "", {}),
        graph.node_message("LeakyRelu", ["product"], "rectified", "", {"alpha": 0.5}),
        graph.node_message("Softmax", ["rectified"], "shares", "", {"axis": -1}),
    ]
    model = graph.model_message(
        "small",
        nodes,
        [graph.tensor_message("weights", weights)],
        [graph.value_message("given", graph.FLOAT, "batch", 2)],
        [graph.value_message("shares", graph.FLOAT, "batch", 3), graph.value_message("rectified", graph.FLOAT, "b", 3)],
        {"": 17},
    )
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    given = np.array([[1, 0], [-1, 0.5]], np.float32)
    shares, rectified = session.run(["shares", "rectified"], {"given": given})

    product = given @ weights
    expected = np.where(product < 0, product * np.float32(0.5), product)
    np.testing.assert_allclose(rectified, expected)
    np.testing.assert_allclose(shares, np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True), rtol=1e-6)
    assert [(part.name, part.shape) for part in session.get_inputs()] == [("given", ["batch", 2])]


def test_long_fields_and_negative_numbers_are_whole() -> None:
    """Lengths beyond one byte, and the ten bytes of a negative number."""
    table = np.arange(-50_000, 50_000, dtype=np.int64)
    model = graph.model_message(
        "table",
        [graph.node_message("Gather", ["table", "place"], "found", "", {"axis": -1})],
        [graph.tensor_message("table", table)],
        [graph.value_message("place", graph.INT64, "n")],
        [graph.value_message("found", graph.INT64, "n")],
        {"": 17},
    )
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    (found,) = session.run(["found"], {"place": np.array([0, 99_999, 50_000], np.int64)})
    assert found.tolist() == [-50_000, 49_999, 0]

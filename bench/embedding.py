"""How many texts the built-in model embeds in a second of processor time, against the plainest graph of its weights.

The peer makes every product with the pack's own blocks, and every sum and norm in one operator, as the product did at
first. Both answer the same texts, in turns, in one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from rich.progress import Progress
from tokenizers import Tokenizer

from bench.data import locomo, texts
from everlore.config import load
from everlore.models import graph, pack
from everlore.models.base import Embedder, Vectors
from everlore.models.offline import OfflineEmbedder

EACH = 20
"""Texts of a turn."""
GOAL = 1.5


@dataclass(frozen=True, slots=True)
class Embedding:
    """Texts in a second of processor time, and the mean cosine of our vectors with the peer's."""

    rate: float
    peer: float
    cosine: float


def measure(data: Path, count: int, progress: Progress) -> Embedding:
    embedder = OfflineEmbedder(load().embedding.cache_dir, 1)
    try:
        told = list(texts(locomo(data)))[:count]
        progress.add_task(f"scale: embedding {count:,} texts in two ways", total=1)
        return _compared(embedder, told)
    finally:
        embedder.close()


def _compared(embedder: Embedder, told: list[str]) -> Embedding:
    peer = _peer()
    vectors: dict[str, list[Vectors]] = {"ours": [], "peer": []}
    seconds = dict.fromkeys(vectors, 0.0)
    for at in range(0, len(told), EACH):
        for name, encode in (("ours", embedder.query), ("peer", peer)):
            begin = time.process_time()
            vectors[name] += map(encode, told[at : at + EACH])
            if at:  # the first turn warms up
                seconds[name] += time.process_time() - begin
    cosine = np.einsum("ij,ij->i", np.array(vectors["ours"]), np.array(vectors["peer"])).mean()
    counted = len(told) - EACH
    return Embedding(counted / seconds["ours"], counted / seconds["peer"], float(cosine))


def table(found: Embedding) -> str:
    lines = [
        "| texts embedded in a second of processor time | the plainest graph | ratio | budget | mean cosine |",
        "|--:|--:|--:|--:|--:|",
        f"| {found.rate:,.0f} | {found.peer:,.0f} | {found.rate / found.peer:.2f} | >= {GOAL} | {found.cosine:.4f} |",
    ]
    return "\n".join(lines) + "\n"


def _peer() -> Callable[[str], Vectors]:
    given = pack.read(pack.find())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = _Plainest(given).model()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_str(given.tokenizer)
    tokenizer.enable_truncation(pack.LONGEST)

    def encode(text: str) -> Vectors:
        vector: Vectors = session.run(None, {"input_ids": np.array([tokenizer.encode(text).ids], np.int64)})[0][0]
        return vector

    return encode


class _Plainest(graph._Builder):
    def _layer(self, asking: str, states: str, at: str) -> str:
        hidden = self.pack.arch.hidden
        heads = [
            self._blocks(source, f"{at}qkv", f"{at}{head}", slice(number * hidden, (number + 1) * hidden))
            for number, (source, head) in enumerate(((asking, "query"), (states, "key"), (states, "value")))
        ]
        inputs, heads_of = [*heads, self._vector(f"{at}qkv.b")], self.pack.arch.heads
        attended = self._node("MultiHeadAttention", inputs, f"{at}attended", graph.MICROSOFT, num_heads=heads_of)
        middle = self._skip(self._blocks(attended, f"{at}ao", f"{at}ao"), asking, f"{at}aln", f"{at}ao.b")
        inner = [self._blocks(middle, f"{at}f1", f"{at}f1"), self._vector(f"{at}f1.b")]
        active = self._node("BiasGelu", inner, f"{at}gelu", graph.MICROSOFT)
        return self._skip(self._blocks(active, f"{at}f2", f"{at}f2"), middle, f"{at}fln", f"{at}f2.b")

    def _blocks(self, source: str, weights: str, name: str, part: slice = slice(None)) -> str:
        weight = self.pack.weights[f"{weights}.w"]
        values, scales = graph._unsigned(weight.values[part]), weight.scales[part]
        rows, columns = values.shape
        blocks = values.reshape(rows, columns // weight.group, weight.group)
        inputs = [source, self._constant(f"{name}.w", blocks), self._constant(f"{name}.s", scales.reshape(-1))]
        sizes = {"K": columns, "N": rows, "bits": 8, "block_size": weight.group, "accuracy_level": 4}
        return self._node("MatMulNBits", inputs, f"{name}.out", graph.MICROSOFT, **sizes)

    def _skip(self, source: str, residual: str, norm: str, bias: str) -> str:
        inputs = [source, residual, self._vector(f"{norm}.w"), self._vector(f"{norm}.b"), self._vector(bias)]
        epsilon = self.pack.arch.layer_norm_eps
        return self._node("SkipLayerNormalization", inputs, f"{norm}.out", graph.MICROSOFT, epsilon=epsilon)

"""The offline model as an ONNX graph: the pack's 8-bit weights, unchanged, in onnxruntime's own operators.

The graph takes `input_ids` and `attention_mask` and gives `embedding`: the normalised vector of the first
token of a BERT-like encoder. It is written by `onnx_file`, once per installation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.models import onnx_file
from everlore.models.pack import Pack

MICROSOFT = "com.microsoft"
ZERO_POINT = 128
"""The operators take unsigned weights; the pack has signed ones."""


def build(pack: Pack) -> bytes:
    """The serialised model. The same pack gives the same bytes."""
    return _Builder(pack).model()


class _Builder:
    """Collects nodes and constants. Every method that adds a node returns the name of its output."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def model(self) -> bytes:
        hidden = self.pack.arch.hidden
        states = self._embeddings()
        self._node("Cast", ["attention_mask"], "mask", to=onnx_file.INT32)
        *layers, last = (f"l{number}." for number in range(self.pack.arch.layers))
        for at in layers:
            states = self._layer(states, states, at)
        # only the first token's vector is wanted, so the last layer works out no other
        first = self._node("Slice", [states, "int0", "int1", "int1"], "first")
        first = self._layer(first, states, last)
        self._node("LpNormalization", [self._node("Squeeze", [first, "int1"], "cls")], "embedding", axis=-1, p=2)

        inputs = [onnx_file.value(name, onnx_file.INT64, "batch", "length") for name in ("input_ids", "attention_mask")]
        outputs = [onnx_file.value("embedding", onnx_file.FLOAT, "batch", hidden)]
        return onnx_file.model("encoder", self.nodes, self.constants, inputs, outputs, {"": 17, MICROSOFT: 1})

    def _embeddings(self) -> str:
        """Words plus positions plus the only token type, normalised."""
        words = self.pack.weights["word_emb"]
        table = self._constant("words", _unsigned(words.values))
        scales = self._constant("words.scales", words.scales)
        zeros = self._constant("words.zeros", np.full(words.scales.shape, ZERO_POINT, np.uint8))
        form = {"gather_axis": 0, "quantize_axis": 1, "block_size": words.group, "bits": 8}
        self._node("GatherBlockQuantized", [table, "input_ids", scales, zeros], "word", MICROSOFT, **form)
        vectors = self.pack.vectors
        positions = vectors["pos_emb"][self.pack.arch.position_offset :] + vectors["type_emb"][0]
        self._constant("positions", positions.astype(np.float32))
        zero, one, two = (self._constant(f"int{n}", np.array([n], np.int64)) for n in range(3))
        self._node("Shape", ["input_ids"], "shape")
        self._node("Slice", ["shape", one, two], "length")
        self._node("Slice", ["positions", zero, "length", zero], "position")
        total = self._node("Add", ["word", "position"], "placed")
        norm = [total, self._vector("emb_ln.w"), self._vector("emb_ln.b")]
        return self._node("LayerNormalization", norm, "embedded", axis=-1, epsilon=self.pack.arch.layer_norm_eps)

    def _layer(self, asking: str, states: str, at: str) -> str:
        """What the tokens of `asking` make of all."""
        hidden = self.pack.arch.hidden
        heads = [
            self._linear(source, f"{at}qkv", f"{at}{head}", slice(number * hidden, (number + 1) * hidden))
            for number, (source, head) in enumerate(((asking, "query"), (states, "key"), (states, "value")))
        ]
        inputs = [*heads, self._vector(f"{at}qkv.b"), "mask"]
        count = self.pack.arch.heads
        attended = self._node("MultiHeadAttention", inputs, f"{at}attended", MICROSOFT, num_heads=count)
        middle = self._add_and_norm(self._linear(attended, f"{at}ao"), asking, f"{at}aln", f"{at}ao.b")
        inner = self._node(
            "BiasGelu", [self._linear(middle, f"{at}f1"), self._vector(f"{at}f1.b")], f"{at}gelu", MICROSOFT
        )
        return self._add_and_norm(self._linear(inner, f"{at}f2"), middle, f"{at}fln", f"{at}f2.b")

    def _linear(self, source: str, weights: str, name: str = "", part: slice = slice(None)) -> str:
        """`part`: the rows of the weights that are wanted, under a name of their own."""
        weight, name = self.pack.weights[f"{weights}.w"], name or weights
        values, scales = _unsigned(weight.values[part]), weight.scales.reshape(len(weight.values), -1)[part]
        rows, columns = values.shape
        blocks = values.reshape(rows, columns // weight.group, weight.group)
        inputs = [source, self._constant(f"{name}.w", blocks), self._constant(f"{name}.s", scales.reshape(-1))]
        form = {"K": columns, "N": rows, "bits": 8, "block_size": weight.group, "accuracy_level": 4}
        return self._node("MatMulNBits", inputs, f"{name}.out", MICROSOFT, **form)

    def _add_and_norm(self, source: str, residual: str, norm: str, bias: str) -> str:
        inputs = [source, residual, self._vector(f"{norm}.w"), self._vector(f"{norm}.b"), self._vector(bias)]
        return self._node(
            "SkipLayerNormalization", inputs, f"{norm}.out", MICROSOFT, epsilon=self.pack.arch.layer_norm_eps
        )

    def _vector(self, name: str) -> str:
        return self._constant(name, self.pack.vectors[name])

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(onnx_file.tensor(name, value))
        return name

    def _node(self, op: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: int | float) -> str:
        self.nodes.append(onnx_file.node(op, inputs, output, domain, attributes))
        return output


def _unsigned(values: NDArray[np.int8]) -> NDArray[np.uint8]:
    return (values.astype(np.int16) + ZERO_POINT).astype(np.uint8)

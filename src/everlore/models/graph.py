"""The offline model as an ONNX graph of the pack's 8-bit weights in onnxruntime's own operators.

The graph takes the `input_ids` of one text and gives its `embedding`: the normalised vector of the first token of a
BERT-like encoder. It is written once per installation, without the `onnx` package (27 MB): an ONNX model is a protobuf
message, and the numbers of its fields are those of the format's definition, onnx.proto.

Most products are made of whole numbers, for which the activations of a text are quantized together: half the time, but
the vector of a text would depend on what else is in its batch. So there is no batch, and no padding. The second product
of a feed-forward part, whose input has single values a hundred times larger than the others, keeps the pack's blocks.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.models.pack import Pack

MICROSOFT = "com.microsoft"
ZERO_POINT = 128
"""The operators take unsigned weights; the pack has signed ones."""
LARGEST = 64
"""Of whole weights. Processors without VNNI add pairs of products in 16 bits, which more could overflow."""
SPREAD = 3.0
"""How far the values of a normalised state reach, in its own scale."""
EVENED = 0.75
"""How much of that is taken from the activations and given to the weights, between nothing and all."""
TINY = 1e-5

IR_VERSION = 8
FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7
"""Types of elements."""
_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2


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
        *layers, last = (f"l{number}." for number in range(self.pack.arch.layers))
        for at in layers:
            states = self._layer(states, states, at)
        # only the first token's vector is wanted, so the last layer works out no other
        first = self._node("Slice", [states, "int0", "int1", "int1"], "first")
        first = self._layer(first, states, last)
        self._node("LpNormalization", [self._node("Squeeze", [first, "int1"], "cls")], "embedding", axis=-1, p=2)

        inputs = [value_message("input_ids", INT64, 1, "length")]
        outputs = [value_message("embedding", FLOAT, 1, hidden)]
        return model_message("encoder", self.nodes, self.constants, inputs, outputs, {"": 17, MICROSOFT: 1})

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
        return self._norm(total, "emb_ln", "embedded")

    def _layer(self, asking: str, states: str, at: str) -> str:
        """What the tokens of `asking` make of all."""
        hidden = self.pack.arch.hidden
        heads = [
            self._whole(source, self._dense(f"{at}qkv")[number * hidden : (number + 1) * hidden], f"{at}{head}")
            for number, (source, head) in enumerate(((asking, "query"), (states, "key"), (states, "value")))
        ]
        inputs, count = [*heads, self._vector(f"{at}qkv.b")], self.pack.arch.heads
        attended = self._node("MultiHeadAttention", inputs, f"{at}attended", MICROSOFT, num_heads=count)
        answer = self._whole(attended, self._dense(f"{at}ao"), f"{at}ao", self._vector(f"{at}ao.b"))
        middle = self._add_and_norm(answer, asking, f"{at}aln")
        first = self._whole(*self._evened(middle, f"{at}f1", f"{at}aln"), f"{at}f1")
        inner = self._node("BiasGelu", [first, self._vector(f"{at}f1.b")], f"{at}gelu", MICROSOFT)
        return self._add_and_norm(self._in_blocks(inner, f"{at}f2"), middle, f"{at}fln")

    def _evened(self, states: str, name: str, norm: str) -> tuple[str, NDArray[np.float32]]:
        """States and weights with the same product, with less of a difference between the columns of the states: one of
        them is twenty times as large as the others, which would leave these a handful of steps. How large each is
        follows from the scale and the shift of the norm before (after SmoothQuant, Xiao et al. 2023). It is a power of
        two, so that the graph is the same on every machine."""
        weights, vectors = self._dense(name), self.pack.vectors
        reach = SPREAD * np.abs(vectors[f"{norm}.w"]) + np.abs(vectors[f"{norm}.b"])
        largest = np.abs(weights).max(axis=0)
        power = EVENED * np.log2(np.maximum(reach, TINY)) - (1 - EVENED) * np.log2(np.maximum(largest, TINY))
        scale = np.exp2(np.rint(power)).astype(np.float32)
        return self._node("Mul", [states, self._constant(f"{name}.evened", 1 / scale)], f"{name}.in"), weights * scale

    def _whole(self, source: str, weights: NDArray[np.float32], name: str, *bias: str) -> str:
        """A product of whole numbers, with one scale for each row of the weights and one for the source."""
        scales = np.maximum(np.abs(weights).max(axis=1), TINY) / LARGEST
        values = np.rint(weights / scales[:, None]).astype(np.int8)
        constants = [
            self._constant(f"{name}.w", np.ascontiguousarray(values.T)),
            self._constant(f"{name}.s", scales.astype(np.float32)),
            self._constant(f"{name}.z", np.zeros(len(scales), np.int8)),
        ]
        return self._node("DynamicQuantizeMatMul", [source, *constants, *bias], f"{name}.out", MICROSOFT)

    def _in_blocks(self, source: str, name: str) -> str:
        """A product with the weights as they are in the pack, and its bias."""
        weight = self.pack.weights[f"{name}.w"]
        rows, columns = weight.values.shape
        blocks = _unsigned(weight.values).reshape(rows, columns // weight.group, weight.group)
        constants = [self._constant(f"{name}.w", blocks), self._constant(f"{name}.s", weight.scales.reshape(-1))]
        inputs = [source, *constants, "", "", self._vector(f"{name}.b")]
        form = {"K": columns, "N": rows, "bits": 8, "block_size": weight.group, "accuracy_level": 4}
        return self._node("MatMulNBits", inputs, f"{name}.out", MICROSOFT, **form)

    def _dense(self, name: str) -> NDArray[np.float32]:
        weight = self.pack.weights[f"{name}.w"]
        blocks = weight.values.reshape(*weight.scales.shape, weight.group) * weight.scales[..., None]
        return blocks.reshape(weight.values.shape)

    def _add_and_norm(self, source: str, residual: str, norm: str) -> str:
        """Not in one operator: SkipLayerNormalization takes more than twice the time."""
        return self._norm(self._node("Add", [source, residual], f"{norm}.sum"), norm, f"{norm}.out")

    def _norm(self, source: str, norm: str, output: str) -> str:
        inputs = [source, self._vector(f"{norm}.w"), self._vector(f"{norm}.b")]
        return self._node("LayerNormalization", inputs, output, axis=-1, epsilon=self.pack.arch.layer_norm_eps)

    def _vector(self, name: str) -> str:
        return self._constant(name, self.pack.vectors[name])

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(tensor_message(name, value))
        return name

    def _node(self, op: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: int | float) -> str:
        self.nodes.append(node_message(op, inputs, output, domain, attributes))
        return output


def _unsigned(values: NDArray[np.int8]) -> NDArray[np.uint8]:
    return (values.astype(np.int16) + ZERO_POINT).astype(np.uint8)


def model_message(
    name: str,
    nodes: Sequence[bytes],
    constants: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    operators: Mapping[str, int],
) -> bytes:
    """`operators`: the sets of operators in use, with their versions."""
    graph = _message((1, nodes), (2, name), (5, constants), (11, inputs), (12, outputs))
    sets = [_message((1, domain), (2, version)) for domain, version in operators.items()]
    return _message((1, IR_VERSION), (7, graph), (8, sets))


def node_message(
    op: str, inputs: Sequence[str], output: str, domain: str, attributes: Mapping[str, int | float]
) -> bytes:
    given = [
        _message((1, name), (2, value), (20, _ATTRIBUTE_FLOAT))
        if isinstance(value, float)
        else _message((1, name), (3, value), (20, _ATTRIBUTE_INT))
        for name, value in sorted(attributes.items())
    ]
    return _message((1, inputs), (2, output), (4, op), (5, given), (7, domain))


def tensor_message(name: str, array: NDArray[Any]) -> bytes:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return _message((1, array.shape), (2, _TYPES[array.dtype.name]), (8, name), (9, little.tobytes()))


def value_message(name: str, element: int, *shape: str | int) -> bytes:
    """An input or output; a dimension is a number or the name of one that varies."""
    dimensions = [_message((2 if isinstance(size, str) else 1, size)) for size in shape]
    return _message((1, name), (2, _message((1, _message((1, element), (2, _message((1, dimensions))))))))


_Value = int | float | str | bytes


def _message(*fields: tuple[int, _Value | Sequence[_Value]]) -> bytes:
    """Fields in the order of their numbers; a list is a field that is repeated."""
    parts: list[bytes] = []
    for number, given in fields:
        for one in given if isinstance(given, (list, tuple)) else [given]:
            parts += _field(number, one)
    return b"".join(parts)


def _field(number: int, value: Any) -> tuple[bytes, ...]:
    if isinstance(value, int):
        return _varint(number << 3), _varint(value & (2**64 - 1))
    if isinstance(value, float):
        return _varint(number << 3 | 5), struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2), _varint(len(data)), data


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)

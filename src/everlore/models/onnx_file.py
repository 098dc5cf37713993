"""Writes an ONNX model, which is a protobuf message, as far as `graph` needs it: without the `onnx` package (27 MB).

The numbers are those of the fields in the format's definition, onnx.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

IR_VERSION = 8
FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7
"""Types of elements."""
_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2


def model(
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


def node(op: str, inputs: Sequence[str], output: str, domain: str, attributes: Mapping[str, int | float]) -> bytes:
    given = [
        _message((1, name), (2, value), (20, _ATTRIBUTE_FLOAT))
        if isinstance(value, float)
        else _message((1, name), (3, value), (20, _ATTRIBUTE_INT))
        for name, value in sorted(attributes.items())
    ]
    return _message((1, inputs), (2, output), (4, op), (5, given), (7, domain))


def tensor(name: str, array: NDArray[Any]) -> bytes:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return _message((1, array.shape), (2, _TYPES[array.dtype.name]), (8, name), (9, little.tobytes()))


def value(name: str, element: int, *shape: str | int) -> bytes:
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

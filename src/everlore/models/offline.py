"""The built-in embedder: granite-embedding-30m-english on onnxruntime, with no network and no download.

Invariants:
- Nothing heavy is imported or read before `warm` or `encode`.
- A text has the same vector, to the last bit, whatever else is encoded with it: each is run by itself (see `graph`).
- A run is the work of one thread, and long calls run as many texts at once as there are threads for it, all of them
  together. A call of a few texts (a query) never waits for them, so that indexing does not hold up a search.
- When `close` returns, no thread is in native code, also not one that is in the middle of a long call: a process that
  ends meanwhile may crash.
- What the runtime loads is built once from the pack and kept in the cache folder, where files appear only when
  complete, so any number of processes may build at once. What comes out of it has the hashes of its manifest; anything
  else is built again. A folder that cannot be written costs time at each start, nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everlore.durable import temporary
from everlore.errors import EverloreError, Misconfigured, Unavailable
from everlore.models import graph, pack
from everlore.models.base import OFFLINE, Cache, Embedder, State, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FORMAT = 3
"""Goes up when the graph built from the same pack changes. It is a part of the model's name: vectors are made anew."""
FEW = 4
"""Texts that are encoded at once, in the thread that asks."""
WINDOW = 512
"""Texts tokenised at a time, so that memory does not grow with the call."""
MAX_CHARS = 16_384
"""More is never needed to fill the model's window with real text, and tokenising a book is slow."""

_FILES = ("model.onnx", "tokenizer.json")


class OfflineEmbedder(Embedder):
    name = f"{pack.MODEL}@{pack.SHA256[:8]}.{FORMAT}"
    dimension = pack.DIMENSION
    unrelated = OFFLINE

    def __init__(self, cache_dir: Path, threads: int, cache: Cache | None = None) -> None:
        super().__init__(cache)
        self._cache_dir = cache_dir
        self._threads = threads
        self._turns = threading.Semaphore(threads)
        self._guard = threading.Lock()
        self._resting = threading.Condition(self._guard)
        self._working = 0
        # whose thread is waited for when the process ends: one that ends while native code starts up may crash
        self._loader = ThreadPoolExecutor(1, "everlore-embedder")
        self._loading: Future[tuple[Any, Tokenizer]] | None = None
        self._closed = False

    def state(self) -> State:
        loading = self._loading
        if loading is None or not loading.done():
            return "loading"
        return "error" if loading.exception() else "ready"

    def warm(self) -> None:
        self._start()

    def close(self) -> None:
        with self._guard:
            self._closed = True
        self._loader.shutdown()
        with self._guard:
            self._resting.wait_for(lambda: not self._working)
            self._loading = None
        super().close()

    def _encode(self, texts: Sequence[str], *, patient: bool) -> Vectors:  # noqa: ARG002 - nothing is waited for
        vectors = np.empty((len(texts), pack.DIMENSION), np.float32)
        if not len(texts):
            return vectors
        session, tokenizer = self._loaded()
        for at in range(0, len(texts), WINDOW):
            with self._at_work():
                # bounded, and without lone surrogates, which JSON lets through but UTF-8 cannot carry
                plain = [one[:MAX_CHARS].encode("utf-8", "replace").decode() for one in texts[at : at + WINDOW]]
                window = tokenizer.encode_batch(plain)
            tokens = [encoding.ids for encoding in window]
            if len(texts) <= FEW:
                vectors[:] = [self._run(session, ids) for ids in tokens]
                return vectors
            with ThreadPoolExecutor(self._threads) as threads:
                for number, vector in enumerate(threads.map(partial(self._in_turn, session), tokens), at):
                    vectors[number] = vector
        return vectors

    def _in_turn(self, session: Any, tokens: Sequence[int]) -> Vectors:
        with self._turns:
            return self._run(session, tokens)

    def _run(self, session: Any, tokens: Sequence[int]) -> Vectors:
        with self._at_work():
            (vectors,) = session.run(["embedding"], {"input_ids": np.array([tokens], np.int64)})
        vector: Vectors = vectors[0]
        return vector

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._guard:
            if self._closed:
                raise Unavailable("the embedder is closed")
            self._working += 1
        try:
            yield
        finally:
            with self._guard:
                self._working -= 1
                self._resting.notify_all()

    def _start(self) -> Future[tuple[Any, Tokenizer]]:
        with self._guard:
            if self._closed:
                raise Unavailable("the embedder is closed")
            # a failed load is tried again: the disk may have been full, or the package missing until now
            if self._loading is None or (self._loading.done() and self._loading.exception()):
                self._loading = self._loader.submit(self._load)
            return self._loading

    def _load(self) -> tuple[Any, Tokenizer]:
        try:
            loaded = _load(self._cache_dir)
        except Exception as error:
            self.trouble = str(error)
            raise
        self.trouble = ""
        return loaded

    def _loaded(self) -> tuple[Any, Tokenizer]:
        try:
            return self._start().result()
        except EverloreError as error:
            # a fresh instance: several threads may raise the one that the future keeps
            raise type(error)(str(error)) from error
        except ImportError as error:
            raise Misconfigured(
                f"the offline embedding model needs {error.name}: run `pip install onnxruntime tokenizers`"
            ) from error
        except Exception as error:
            raise Unavailable(f"the offline embedding model could not be loaded: {error}") from error


def _load(cache_dir: Path) -> tuple[Any, Tokenizer]:
    # read when it is imported; without it onnxruntime 1.31 keeps a device id in ~/.cache and reports to Microsoft
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime
    from tokenizers import Tokenizer

    model, described = load(cache_dir)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # more would join operators again that are quicker apart
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_buffer(described)
    tokenizer.enable_truncation(pack.LONGEST)
    tokenizer.no_padding()
    return session, tokenizer


def load(cache_dir: Path) -> tuple[bytes, bytes]:
    """The serialised ONNX model and the tokenizer in JSON, from the cache, or built from the pack and put there."""
    folder = cache_dir / pack.SHA256[:12]
    cached = _from_cache(folder)
    if cached is not None:
        return cached
    source = pack.read(pack.find())
    built = (graph.build(source), source.tokenizer.encode())
    # a read-only home or a full disk: we have the model, only the next start is slower
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        manifest = json.dumps(_manifest(built), indent=2).encode()
        for name, data in zip((*_FILES, "manifest.json"), (*built, manifest), strict=True):
            with temporary(data, folder) as file:
                file.replace(folder / name)
    return built


def _manifest(parts: tuple[bytes, bytes]) -> dict[str, Any]:
    hashes = (hashlib.sha256(part).hexdigest() for part in parts)
    return {"pack": pack.SHA256, "format": FORMAT, "sha256": dict(zip(_FILES, hashes, strict=True))}


def _from_cache(folder: Path) -> tuple[bytes, bytes] | None:
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        model, tokenizer = ((folder / name).read_bytes() for name in _FILES)
    except (OSError, ValueError):
        return None
    return (model, tokenizer) if manifest == _manifest((model, tokenizer)) else None

"""The built-in embedder: granite-embedding-30m-english on onnxruntime, with no network and no download.

Invariants:
- Nothing heavy is imported or read before `warm` or `encode`.
- A text has the same vector, to the last bit, whatever else is encoded with it: each is run by itself (see `graph`).
- A run is the work of one thread, and long calls run as many texts at once as there are threads for it, all of them
  together. A call of a few texts (a query) never waits for them, so that indexing does not hold up a search.
- When `close` returns, no thread is in native code, also not one that is in the middle of a long call: a process that
  ends meanwhile may crash.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everlore.errors import EverloreError, Misconfigured, Unavailable
from everlore.models import pack, unpacked, unrelated
from everlore.models.base import State, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FEW = 4
"""Texts that are encoded at once, in the thread that asks."""
WINDOW = 512
"""Texts tokenised at a time, so that memory does not grow with the call."""
MAX_CHARS = 16_384
"""More is never needed to fill the model's window with real text, and tokenising a book is slow."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Tokenizer


class OfflineEmbedder:
    def __init__(self, cache_dir: Path, threads: int) -> None:
        self._cache_dir = cache_dir
        self._threads = threads
        self._guard = threading.Lock()
        self._turns = threading.Semaphore(threads)
        self._loading: Future[_Loaded] | None = None
        self._loader: threading.Thread | None = None
        self._closed = False
        self._working = 0
        self._resting = threading.Condition(self._guard)

    @property
    def name(self) -> str:
        return f"{pack.MODEL}@{pack.SHA256[:8]}.{unpacked.FORMAT}"

    @property
    def dimension(self) -> int:
        return pack.DIMENSION

    @property
    def unrelated(self) -> float:
        return unrelated.OFFLINE

    @property
    def trouble(self) -> str:
        loading = self._loading
        error = loading.exception() if loading is not None and loading.done() else None
        return str(error) if error else ""

    def ready(self) -> bool:
        loading = self._loading
        return loading is not None and loading.done() and loading.exception() is None and not self._closed

    def state(self) -> State:
        loading = self._loading
        if loading is None or not loading.done():
            return "loading"
        return "error" if loading.exception() else "ready"

    def warm(self) -> None:
        self._start()

    def encode(self, texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        del patient, pieces  # nothing is waited for, and nothing kept
        vectors = np.empty((len(texts), pack.DIMENSION), np.float32)
        if not len(texts):
            return vectors
        loaded = self._loaded()
        for at in range(0, len(texts), WINDOW):
            with self._at_work():
                window = loaded.tokenizer.encode_batch([_tokenisable(text) for text in texts[at : at + WINDOW]])
            tokens = [encoding.ids for encoding in window]
            if len(texts) <= FEW:
                vectors[:] = [self._run(loaded.session, ids) for ids in tokens]
                return vectors
            with ThreadPoolExecutor(self._threads) as threads:
                for number, vector in enumerate(threads.map(partial(self._in_turn, loaded.session), tokens), at):
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

    def query(self, text: str) -> Vectors:
        vector: Vectors = self.encode([text])[0]
        return vector

    def close(self) -> None:
        with self._guard:
            self._closed = True
            loader = self._loader
        if loader is not None:
            loader.join()
        with self._guard:
            self._resting.wait_for(lambda: not self._working)
            self._loading = self._loader = None

    @contextmanager
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

    def _start(self) -> Future[_Loaded]:
        with self._guard:
            if self._closed:
                raise Unavailable("the embedder is closed")
            loading = self._loading
            if loading is not None and not (loading.done() and loading.exception()):
                return loading
            # a failed load is tried again: the disk may have been full, or the package missing until now
            loading = self._loading = Future()
            # not a daemon: a process that ends while native code starts up may crash
            self._loader = threading.Thread(target=self._load, args=(loading,), name="everlore-embedder")
            self._loader.start()
            return loading

    def _load(self, loading: Future[_Loaded]) -> None:
        try:
            loading.set_result(_load(self._cache_dir))
        except Exception as error:
            loading.set_exception(error)

    def _loaded(self) -> _Loaded:
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


def _load(cache_dir: Path) -> _Loaded:
    # read when it is imported; without it onnxruntime 1.31 keeps a device id in ~/.cache and reports to Microsoft
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime
    from tokenizers import Tokenizer

    content = unpacked.load(cache_dir)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # more would join operators again that are quicker apart
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = onnxruntime.InferenceSession(content.model, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_buffer(content.tokenizer)
    tokenizer.enable_truncation(pack.LONGEST)
    tokenizer.no_padding()
    return _Loaded(session, tokenizer)


def _tokenisable(text: str) -> str:
    """Bounded, and without lone surrogates, which JSON lets through but UTF-8 cannot carry."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")

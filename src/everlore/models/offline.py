"""The built-in embedder: granite-embedding-30m-english on onnxruntime, with no network and no download.

Invariants:
- Nothing heavy is imported or read before `warm` or `encode`.
- A text has the same vector whatever else is encoded with it.
- Work is done in small batches. Batches of long calls take turns; a call that is one batch by itself (a
  query) never waits for them, so that indexing does not hold up a search.
- When `close` returns, no thread is in native code, also not one that is in the middle of a long call: a process that
  ends meanwhile may crash.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from everlore.errors import EverloreError, Misconfigured, Unavailable
from everlore.models import pack, unpacked, unrelated
from everlore.models.base import State, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TEXTS = 32
MAX_TOKENS = 1024
"""Padded tokens of one batch: two long texts or many short ones. Larger batches are not faster on a CPU."""
WINDOW = 512
"""Texts tokenised at a time, so that memory does not grow with the call."""
MAX_CHARS = 16_384
"""More is never needed to fill the model's window with real text, and tokenising a book is slow."""
SPIN = 20
"""Microseconds for which an idle thread waits for its next piece of work before it sleeps: longer than the gaps inside
a text, so that a query is not slowed by waking up, and far too short to cost anything between texts."""
KNOWS_SPIN = (1, 26)
"""The first onnxruntime that lets us say so. Earlier ones would spin on and on."""
PADDING = 1
"""The id of `<pad>`. The attention mask hides it, so its value does not reach the result."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Tokenizer


class OfflineEmbedder:
    def __init__(self, cache_dir: Path, threads: int) -> None:
        self._cache_dir = cache_dir
        self._threads = threads
        self._guard = threading.Lock()
        self._turn = threading.Lock()
        self._loading: Future[_Loaded] | None = None
        self._loader: threading.Thread | None = None
        self._closed = False
        self._working = 0
        self._resting = threading.Condition(self._guard)

    @property
    def name(self) -> str:
        return f"{pack.MODEL}@{pack.SHA256[:8]}"

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
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for at in range(0, len(order), WINDOW):
            window = order[at : at + WINDOW]
            with self._at_work():
                encodings = loaded.tokenizer.encode_batch([_tokenisable(texts[number]) for number in window])
            tokens = [encoding.ids for encoding in encodings]
            batches = list(_batches(tokens))
            alone = len(batches) == 1 and len(order) <= WINDOW
            for batch in batches:
                turn: AbstractContextManager[Any] = nullcontext() if alone else self._turn
                with turn, self._at_work():
                    vectors[[window[number] for number in batch]] = _run(
                        loaded.session, [tokens[number] for number in batch]
                    )
        return vectors

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
            loading.set_result(_load(self._cache_dir, self._threads))
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


def _load(cache_dir: Path, threads: int) -> _Loaded:
    # read when it is imported; without it onnxruntime 1.31 keeps a device id in ~/.cache and reports to Microsoft
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime
    from tokenizers import Tokenizer

    content = unpacked.load(cache_dir)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    version = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(version >= KNOWS_SPIN)))
    options.add_session_config_entry("session.intra_op.spin_duration_us", str(SPIN))
    session = onnxruntime.InferenceSession(content.model, options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_buffer(content.tokenizer)
    tokenizer.enable_truncation(pack.LONGEST)
    tokenizer.no_padding()
    return _Loaded(session, tokenizer)


def _tokenisable(text: str) -> str:
    """Bounded, and without lone surrogates, which JSON lets through but UTF-8 cannot carry."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Positions in `tokens`, texts of like length together so that little is padded."""
    batch: list[int] = []
    for number in sorted(range(len(tokens)), key=lambda number: len(tokens[number])):
        longest = len(tokens[number])
        if batch and (len(batch) == MAX_TEXTS or (len(batch) + 1) * longest > MAX_TOKENS):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _run(session: Any, tokens: Sequence[Sequence[int]]) -> Vectors:
    longest = max(len(ids) for ids in tokens)
    padded = np.full((len(tokens), longest), PADDING, np.int64)
    mask = np.zeros((len(tokens), longest), np.int64)
    for row, ids in enumerate(tokens):
        padded[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    (vectors,) = session.run(["embedding"], {"input_ids": padded, "attention_mask": mask})
    return np.asarray(vectors, np.float32)

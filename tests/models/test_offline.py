from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from everlore.errors import Misconfigured, Unavailable
from everlore.models import offline, pack, unpacked
from everlore.models.base import Vectors
from everlore.models.offline import OfflineEmbedder


def test_related_texts_are_nearer_than_unrelated_ones(granite: OfflineEmbedder) -> None:
    password, credentials, cat = granite.encode(
        ["How do I reset my password?", "Steps to recover account credentials", "The cat sat on the mat"]
    )
    assert password @ credentials > password @ cat + 0.1


def test_vectors_are_float32_of_unit_length_in_the_order_of_the_texts(granite: OfflineEmbedder) -> None:
    texts = ["", "a", "word " * 2000, "def add(a, b): return a + b", "日本語のテキスト", "\ud800 lone", "a"]
    vectors = granite.encode(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), granite.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[1], vectors[6])
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(granite.encode([text])[0], vector)


def test_no_texts_give_no_rows(tmp_path: Path) -> None:
    assert OfflineEmbedder(tmp_path, 1).encode([]).shape == (0, 384)


def test_only_the_first_512_tokens_count(granite: OfflineEmbedder) -> None:
    start = "apple " * 600
    one, other = granite.encode([start + "submarine", start + "violin"])
    assert np.array_equal(one, other)


def test_a_long_call_keeps_the_order_over_windows_and_threads(
    granite: OfflineEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "WINDOW", 9)
    texts = [f"entry {number} " + "and more " * (number % 7) for number in range(40)]
    alone = np.concatenate([granite.encode([text]) for text in texts])
    assert np.array_equal(granite.encode(texts), alone)


def test_long_calls_run_no_more_texts_at_once_than_there_are_threads(granite: OfflineEmbedder) -> None:
    running, most, guard, run = 0, 0, threading.Lock(), granite._run

    def counted(session: object, tokens: Sequence[int]) -> Vectors:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
        try:
            time.sleep(0.005)
            return run(session, tokens)
        finally:
            with guard:
                running -= 1

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(3) as callers:
        patch.setattr(granite, "_run", counted)
        list(callers.map(granite.encode, [["some words", *"abcdefghij"]] * 3))
    assert most == 2


def test_name_and_dimension_need_no_model(tmp_path: Path) -> None:
    embedder = OfflineEmbedder(tmp_path / "cache", 1)
    assert embedder.name == f"granite-embedding-30m-english@6a1cc247.{unpacked.FORMAT}"
    assert embedder.dimension == 384
    assert not embedder.ready()
    assert not (tmp_path / "cache").exists()


def test_warm_loads_in_the_background(
    granite: OfflineEmbedder, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, load = threading.Event(), unpacked.load

    def slow(cache: Path) -> unpacked.Unpacked:
        go_on.wait()
        return load(cache)

    monkeypatch.setattr(unpacked, "load", slow)
    embedder = OfflineEmbedder(model_cache, 1)
    embedder.warm()
    embedder.warm()
    assert (embedder.ready(), embedder.state()) == (False, "loading")
    go_on.set()
    embedder.encode(["x"])
    assert (embedder.ready(), embedder.state()) == (True, "ready")
    embedder.close()


def test_encode_waits_for_a_load_that_is_under_way(granite: OfflineEmbedder, model_cache: Path) -> None:
    embedder = OfflineEmbedder(model_cache, 1)
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: embedder.encode(["the same text"]), range(4)))
    assert all(np.array_equal(result, results[0]) for result in results)
    embedder.close()


def test_a_closed_embedder_says_so(granite: OfflineEmbedder, model_cache: Path) -> None:
    embedder = OfflineEmbedder(model_cache, 1)
    embedder.warm()
    embedder.close()
    embedder.close()
    assert not embedder.ready()
    with pytest.raises(Unavailable, match="closed"):
        embedder.encode(["x"])


def test_a_failed_load_is_reported_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = OfflineEmbedder(tmp_path, 1)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, pack.PACKAGE, None)
        for _ in range(2):
            with pytest.raises(Misconfigured, match="pip install"):
                embedder.encode(["x"])
        assert not embedder.ready()
    assert embedder.encode(["x"]).shape == (1, 384)
    assert embedder.ready()
    embedder.close()


def test_a_missing_runtime_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(Misconfigured, match="pip install onnxruntime"):
        OfflineEmbedder(tmp_path, 1).encode(["x"])


def test_the_runtime_keeps_no_device_id_and_reports_to_nobody(
    granite: OfflineEmbedder, model_cache: Path, tmp_path: Path
) -> None:
    program = "import sys; from pathlib import Path; from everlore.models.offline import OfflineEmbedder\n"
    program += "OfflineEmbedder(Path(sys.argv[1]), 1).encode(['x'])"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_", "CI"))}
    for home in ("HOME", "USERPROFILE", "LOCALAPPDATA"):
        environment[home] = str(tmp_path)
    subprocess.run([sys.executable, "-c", program, str(model_cache)], env=environment, check=True)
    assert list(tmp_path.rglob("*")) == []


def test_a_query_is_not_held_up_by_a_long_call(granite: OfflineEmbedder) -> None:
    texts = [f"{number} the agent looked for flights and hotels in a town by the sea " * 2 for number in range(2000)]
    begun, stop = threading.Event(), threading.Event()

    def index() -> None:
        for at in range(0, len(texts), 200):
            if stop.is_set():
                return
            begun.set()
            granite.encode(texts[at : at + 200])

    worker = threading.Thread(target=index)
    worker.start()
    try:
        begun.wait()
        for number in range(30):
            granite.encode([f"flights to Lisbon {number}"])
        assert worker.is_alive(), "thirty queries that waited for a call each would have outlasted the ten calls"
    finally:
        stop.set()
        worker.join()


def test_closing_ends_a_long_call_between_two_texts(model_cache: Path) -> None:
    embedder = OfflineEmbedder(model_cache, 1)
    embedder.encode(["ready"])
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(embedder.encode, [f"{number} " * 300 for number in range(100)])
        time.sleep(0.2)
        embedder.close()
        with pytest.raises(Unavailable, match="closed"):
            call.result()

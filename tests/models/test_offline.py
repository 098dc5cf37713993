from __future__ import annotations

import json
import os
import shutil
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
from everlore.models import offline, pack
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
    assert embedder.name == f"granite-embedding-30m-english@6a1cc247.{offline.FORMAT}"
    assert embedder.dimension == 384
    assert not embedder.ready()
    assert not (tmp_path / "cache").exists()


def test_warm_loads_in_the_background(
    granite: OfflineEmbedder, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, load = threading.Event(), offline.load

    def slow(cache: Path) -> tuple[bytes, bytes]:
        go_on.wait()
        return load(cache)

    monkeypatch.setattr(offline, "load", slow)
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


def folder_of(cache: Path) -> Path:
    return cache / pack.SHA256[:12]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(granite: OfflineEmbedder, model_cache: Path) -> tuple[bytes, bytes]:
    return offline.load(model_cache)


@pytest.fixture
def copied(built: tuple[bytes, bytes], model_cache: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder_of(model_cache), folder_of(tmp_path)))


def test_first_load_leaves_only_complete_files(granite: OfflineEmbedder, model_cache: Path) -> None:
    assert names(folder_of(model_cache)) == {"model.onnx", "tokenizer.json", "manifest.json"}


@pytest.mark.usefixtures("copied")
def test_a_good_cache_is_used_without_the_package(
    built: tuple[bytes, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, pack.PACKAGE, None)
    assert offline.load(tmp_path) == built


@pytest.mark.parametrize("damage", ["truncated", "flipped", "missing", "manifest", "other_format"])
def test_a_damaged_cache_is_noticed(built: tuple[bytes, bytes], copied: Path, damage: str) -> None:
    model = copied / "model.onnx"
    if damage == "truncated":
        model.write_bytes(built[0][:-1000])
    elif damage == "flipped":
        middle = len(built[0]) // 2
        model.write_bytes(built[0][:middle] + bytes([built[0][middle] ^ 1]) + built[0][middle + 1 :])
    elif damage == "missing":
        (copied / "tokenizer.json").unlink()
    elif damage == "manifest":
        (copied / "manifest.json").write_text("{", encoding="utf-8")
    else:
        manifest = json.loads((copied / "manifest.json").read_bytes())
        (copied / "manifest.json").write_text(json.dumps(manifest | {"format": -1}), encoding="utf-8")

    assert offline._from_cache(copied) is None


def test_a_damaged_cache_is_built_again(built: tuple[bytes, bytes], copied: Path, tmp_path: Path) -> None:
    (copied / "model.onnx").write_bytes(built[0][:1000])
    assert offline.load(tmp_path) == built
    assert offline._from_cache(copied) == built
    assert names(copied) == {"model.onnx", "tokenizer.json", "manifest.json"}


def test_a_cache_folder_that_cannot_be_made_does_not_matter(built: tuple[bytes, bytes], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    assert offline.load(blocked) == built
    assert blocked.read_text(encoding="utf-8") == "not a folder"


def test_several_processes_may_build_at_once(built: tuple[bytes, bytes], tmp_path: Path) -> None:
    program = (
        "import sys, hashlib; from pathlib import Path; from everlore.models import offline;"
        "print(hashlib.sha256(offline.load(Path(sys.argv[1]))[0]).hexdigest())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    hashes = {process.communicate(timeout=120)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(hashes) == 1
    assert hashes != {""}
    assert offline.load(tmp_path) == built
    assert names(folder_of(tmp_path)) == {"model.onnx", "tokenizer.json", "manifest.json"}

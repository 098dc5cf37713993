from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from everlore.models import pack, unpacked
from everlore.models.offline import OfflineEmbedder


def folder_of(cache: Path) -> Path:
    return cache / pack.SHA256[:12]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(granite: OfflineEmbedder, model_cache: Path) -> unpacked.Unpacked:
    return unpacked.load(model_cache)


def copy_of(built: unpacked.Unpacked, cache: Path) -> Path:
    unpacked._to_cache(folder_of(cache), built)
    return folder_of(cache)


def test_first_load_leaves_only_complete_files(granite: OfflineEmbedder, model_cache: Path) -> None:
    assert names(folder_of(model_cache)) == {"model.onnx", "tokenizer.json", "manifest.json"}


def test_a_good_cache_is_used_without_the_package(
    built: unpacked.Unpacked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_of(built, tmp_path)
    monkeypatch.setitem(sys.modules, pack.PACKAGE, None)
    assert unpacked.load(tmp_path) == built


@pytest.mark.parametrize("damage", ["truncated", "flipped", "missing", "manifest", "other_format"])
def test_a_damaged_cache_is_noticed(built: unpacked.Unpacked, tmp_path: Path, damage: str) -> None:
    folder = copy_of(built, tmp_path)
    model = folder / "model.onnx"
    if damage == "truncated":
        model.write_bytes(built.model[:-1000])
    elif damage == "flipped":
        middle = len(built.model) // 2
        model.write_bytes(built.model[:middle] + bytes([built.model[middle] ^ 1]) + built.model[middle + 1 :])
    elif damage == "missing":
        (folder / "tokenizer.json").unlink()
    elif damage == "manifest":
        (folder / "manifest.json").write_text("{", encoding="utf-8")
    else:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        (folder / "manifest.json").write_text(json.dumps(manifest | {"format": -1}), encoding="utf-8")

    assert unpacked._from_cache(folder) is None


def test_a_damaged_cache_is_built_again(built: unpacked.Unpacked, tmp_path: Path) -> None:
    folder = copy_of(built, tmp_path)
    (folder / "model.onnx").write_bytes(built.model[:1000])
    assert unpacked.load(tmp_path) == built
    assert unpacked._from_cache(folder) == built
    assert names(folder) == {"model.onnx", "tokenizer.json", "manifest.json"}


def test_a_cache_folder_that_cannot_be_made_does_not_matter(built: unpacked.Unpacked, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    assert unpacked.load(blocked) == built
    assert blocked.read_text(encoding="utf-8") == "not a folder"


def test_several_processes_may_build_at_once(built: unpacked.Unpacked, tmp_path: Path) -> None:
    program = (
        "import sys, hashlib; from pathlib import Path; from everlore.models import unpacked;"
        "print(hashlib.sha256(unpacked.load(Path(sys.argv[1])).model).hexdigest())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    hashes = {process.communicate(timeout=120)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(hashes) == 1
    assert hashes != {""}
    assert unpacked.load(tmp_path) == built
    assert names(folder_of(tmp_path)) == {"model.onnx", "tokenizer.json", "manifest.json"}

"""`everlore code` in a pipe: index, search, status, list, delete."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from embeddings import Endpoint
from serving import clean_env


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "cart.py").write_text("def add_item(cart, item):\n    cart.append(item)\n", encoding="utf-8")
    return root


def everlore(tmp_path: Path, vectors: Endpoint, *args: str) -> subprocess.CompletedProcess[str]:
    embedding = {
        "EVEROS_EMBEDDING__BASE_URL": vectors.url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
    }
    return subprocess.run(
        [sys.executable, "-m", "everlore", "code", *args],
        env=clean_env(tmp_path / "vault", embedding),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def test_from_a_folder_to_a_hit_and_back(tmp_path: Path, project: Path, vectors: Endpoint) -> None:
    done = everlore(tmp_path, vectors, "index", str(project), "--json")
    assert done.returncode == 0, done.stderr
    status = json.loads(done.stdout)
    assert (status["status"], status["total_files"], status["total_chunks"]) == ("completed", 1, 1)
    assert "files: 1/1" in done.stderr
    found = everlore(tmp_path, vectors, "search", "add_item", "--json")
    [hit] = json.loads(found.stdout)
    assert (hit["project_id"], hit["file_path"], hit["start_line"], hit["end_line"]) == ("shop", "cart.py", 1, 2)
    plain = everlore(tmp_path, vectors, "search", "add_item")
    assert plain.stdout.split("\t")[1:] == ["shop/cart.py:1-2", "function add_item\n"]
    assert json.loads(everlore(tmp_path, vectors, "status", "--json").stdout)[0]["progress_percent"] == 100.0
    assert everlore(tmp_path, vectors, "list").stdout == f"shop\t1\t{project}\n"
    deleted = everlore(tmp_path, vectors, "delete", "shop")
    assert deleted.stdout.startswith("deleted: 1 chunks of shop")
    assert everlore(tmp_path, vectors, "list").stdout == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [(["index", "/no/such"], "Invalid path: /no/such"), (["delete", "nobody"], "Project not found: nobody")],
)
def test_a_mistake_is_named(tmp_path: Path, vectors: Endpoint, args: list[str], message: str) -> None:
    done = everlore(tmp_path, vectors, *args)
    assert done.returncode == 1
    assert done.stderr == f"error: {message}\n"

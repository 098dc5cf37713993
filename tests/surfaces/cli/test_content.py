"""`everlore content`: a folder of markdown becomes documents, and leaves again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from embeddings import Endpoint
from serving import everlore


def test_a_folder_comes_and_goes(tmp_path: Path, vectors: Endpoint) -> None:
    root, folder = tmp_path / "root", tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.md").write_text("---\ntitle: Tea\n---\nSteep it for three minutes.\n", encoding="utf-8")
    (folder / "bad.md").write_bytes(b"\xff\xfe\xff")

    embedding = {
        "EVEROS_EMBEDDING__BASE_URL": vectors.url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
    }

    def run(*args: str) -> dict[str, Any]:
        done = everlore("content", *args, "--json", root=root, env=embedding)
        assert done.returncode == (1 if args[0] == "import" and (folder / "bad.md").exists() else 0), done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    first = run("import", str(folder))
    assert first["added"]
    assert list(first["unreadable"]) == ["bad.md"]
    (folder / "bad.md").unlink()
    assert run("import", str(folder))["added"] == 0
    assert run("status")["folders"] == {str(folder): first["added"]}
    assert run("forget", str(folder))["removed"] == first["added"]
    assert run("status")["folders"] == {}


def test_nothing_is_imported_yet(tmp_path: Path) -> None:
    assert "run: everlore content import FOLDER" in everlore("content", "status", root=tmp_path).stdout

"""Processes that die, processes that work at once, and folders that change while they are watched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from code_tools_client import call, completed, names, put, status
from embeddings import Endpoint, endpoint
from vaults import open_vault, within

from everlore.code import code_hits, open_code
from everlore.code.projects import Projects
from everlore.engine import Engine

SUPPORT = Path(__file__).parents[1] / "support"
FILES = 120
EACH = 8


def fill(root: Path, files: int = FILES) -> Path:
    for number in range(files):
        functions = [f"def f_{number}_{n}(value):\n    return value + {n}\n" for n in range(EACH)]
        put(root, f"pkg{number % 7}/m{number}.py", "\n\n".join(functions))
    return root


def start(vault: Path, url: str, folder: Path, seconds: float = 200) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(SUPPORT), *sys.path])
    return subprocess.Popen(
        [sys.executable, str(SUPPORT / "code_process.py"), str(vault), url, str(folder), str(seconds)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("moment", ["reading", "embedding"])
def test_a_killed_run_is_taken_up_by_the_next_process(tmp_path: Path, moment: str) -> None:
    vault, folder = tmp_path / "vault", fill(tmp_path / "big")
    with endpoint() as vectors:
        vectors.delay = 0.1
        process = start(vault, vectors.url, folder)
        seen = vault / ".everlore" / "projects.db"
        within(30, seen.exists)
        projects = Projects(seen)
        within(30, lambda: any(p.indexed_files > 0 and (moment == "reading" or p.read) for p in projects.all()))
        process.kill()
        process.communicate()
        [left] = projects.all()
        projects.close()
        assert left.completed_at is None
        vectors.delay = 0
        engine = open_vault(vault, vectors.url)
        try:
            assert status(engine, "big")["status"] in ("pending", "indexing")
            done = completed(engine, "big")
            assert (done["total_files"], done["indexed_files"]) == (FILES, FILES)
            assert done["total_chunks"] == FILES * EACH
            assert names(engine, f"f_{FILES - 1}_3")[0] == f"f_{FILES - 1}_3"
            index = engine.part(open_code).index
            assert index.check() == []
            assert index.status().unembedded == 0
        finally:
            engine.close()


def test_two_processes_that_index_one_project_do_the_work_once(tmp_path: Path) -> None:
    vault, folder = tmp_path / "vault", fill(tmp_path / "big", 40)
    with endpoint() as vectors:
        running = [start(vault, vectors.url, folder) for _ in range(2)]
        answers = [process.communicate(timeout=240) for process in running]
        assert [process.returncode for process in running] == [0, 0], answers
        done = [json.loads(out.splitlines()[1]) for out, _ in answers]
        assert all(one["status"] == "completed" and one["total_chunks"] == 40 * EACH for one in done), answers
        created = [json.loads(out.splitlines()[0])["chunks_created"] for out, _ in answers]
        assert sum(created) == 40 * EACH, created
        assert vectors.texts.most_common(1)[0][1] == 1, "nothing is embedded twice"
        engine = open_vault(vault, vectors.url)
        assert engine.part(open_code).index.check() == []
        engine.close()


def test_many_threads_may_ask_for_the_same_project(engine: Engine, tmp_path: Path) -> None:
    folder = fill(tmp_path / "big", 20)
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(call(engine, "index_project", path=str(folder))["project_id"]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert answers == ["big"] * 8
    assert completed(engine, "big")["total_chunks"] == 20 * EACH


def test_a_watched_project_follows_its_folder(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "live"
    put(folder, "a.py", "def before(): pass\n")
    put(folder, "gone.py", "def leaving(): pass\n")
    call(engine, "index_project", path=str(folder), watch=True)
    completed(engine, "live")
    put(folder, "a.py", "def after(): pass\n")
    put(folder, "new/b.py", "def fresh(): pass\n")
    put(folder, "node_modules/c.js", "function vendored() {}\n")
    (folder / "gone.py").unlink()

    def shown() -> set[str | None]:
        return {hit.name for hit in code_hits(engine, "before leaving after fresh vendored", "live", limit=50)}

    within(10, lambda: shown() == {"after", "fresh"})
    put(folder, ".gitignore", "new/\n")
    within(10, lambda: shown() == {"after"})
    call(engine, "delete_project", project_id="live")
    put(folder, "a.py", "def unseen(): pass\n")
    code = engine.part(open_code)
    within(10, lambda: not code._watched)
    assert call(engine, "search_code", query="unseen")["count"] == 0


def test_watching_is_remembered(tmp_path: Path, vectors: Endpoint) -> None:
    vault, folder = tmp_path / "vault", tmp_path / "live"
    put(folder, "a.py", "def before(): pass\n")
    engine = open_vault(vault, vectors.url)
    call(engine, "index_project", path=str(folder), watch=True)
    completed(engine, "live")
    engine.close()
    put(folder, "b.py", "def meanwhile(): pass\n")
    engine = open_vault(vault, vectors.url)
    try:
        call(engine, "list_projects")
        within(10, lambda: "meanwhile" in names(engine, "meanwhile"))
        put(folder, "c.py", "def later(): pass\n")
        within(10, lambda: "later" in names(engine, "later"))
        assert not status(engine, "live").get("error")
    finally:
        engine.close()


def test_closing_in_the_middle_is_quick_and_nothing_is_lost(tmp_path: Path) -> None:
    vault, folder = tmp_path / "vault", fill(tmp_path / "big", 60)
    with endpoint() as vectors:
        vectors.delay = 0.05
        engine = open_vault(vault, vectors.url)
        engine.part(open_code).add(str(folder), watch=False)
        engine.close()
        engine = open_vault(vault, vectors.url)
        try:
            assert completed(engine, "big")["total_chunks"] == 60 * EACH
        finally:
            engine.close()

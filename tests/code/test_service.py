"""The code index at work: several processes, watching, closing, taking up."""

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
from everlore.code.rows import owner_of
from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.sync.doctor import repair

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


CART = '''"""A shop."""


class ShoppingCart:
    """Collects what a customer wants to buy."""

    def add_item(self, item, quantity=1):
        """Put an article into the cart."""
        self.items.append((item, quantity))

    def totalPrice(self):
        return sum(item.price * quantity for item, quantity in self.items)


def parse_config(path):
    """Read the settings from a TOML file."""
    return tomllib.loads(path.read_text())
'''


MAIN_RS = """fn main() {
    println!("hello");
}

pub struct Engine {
    cylinders: u32,
}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    put(root, "src/cart.py", CART)
    put(root, "src/main.rs", MAIN_RS)
    put(root, "README.md", "# Shop\n\nHow refunds are handled by the accounting people.\n")
    put(root, "node_modules/left/pad.js", "function leftPad() {}\n")
    return root


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
            assert index.upkeep.check() == []
            assert index.upkeep.status().unembedded == 0
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
        assert engine.part(open_code).index.upkeep.check() == []
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


def test_a_call_does_not_wait_for_slow_embeddings(tmp_path: Path) -> None:
    root = tmp_path / "large"
    for number in range(40):
        put(root, f"m{number}.py", "\n\n".join(f"def f_{number}_{n}():\n    return {n}" for n in range(10)))
    with endpoint() as vectors:
        vectors.delay = 0.3
        engine = open_vault(tmp_path / "vault", vectors.url)
        try:
            answer = call(engine, "index_project", path=str(root))
            assert answer["files_indexed"] == 40
            assert names(engine, "f_39_9")[0] == "f_39_9", "found by its words before it has a vector"
            now = status(engine, "large")
            assert now["status"] == "indexing"
            assert now["completed_at"] is None
            assert 0 < now["progress_percent"] < 100
            assert now["eta_seconds"] >= 1
            vectors.delay = 0
            completed(engine, "large")
        finally:
            engine.close()


def test_a_folder_that_is_gone_takes_nothing_with_it(engine: Engine, shop: Path) -> None:
    call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    code = engine.part(open_code)
    shop.rename(shop.with_name("moved"))
    run = code._run("shop")
    assert run.over.wait(60)
    failed = status(engine, "shop")
    assert failed["status"] == "failed"
    assert str(shop) in failed["error"]
    assert failed["total_chunks"] == 8


def test_an_index_that_was_lost_is_filled_again(tmp_path: Path, shop: Path, vectors: Endpoint) -> None:
    root = tmp_path / "vault"
    engine = open_vault(root, vectors.url)
    call(engine, "index_project", path=str(shop))
    completed(engine, "shop")
    engine.close()
    for path in (root / ".everlore").glob("code.db*"):
        path.unlink()
    engine = open_vault(root, vectors.url)
    try:
        within(10, lambda: status(engine, "shop")["total_chunks"] == 8)
        completed(engine, "shop")
    finally:
        engine.close()


def test_chunks_of_no_project_are_cleared_away(tmp_path: Path, shop: Path, vectors: Endpoint) -> None:
    root = tmp_path / "vault"
    engine = open_vault(root, vectors.url)
    call(engine, "index_project", path=str(shop))
    engine.close()
    for path in (root / ".everlore").glob("projects.db*"):
        path.unlink()
    engine = open_vault(root, vectors.url)
    try:
        with pytest.raises(Damaged, match=r"projects\.db"):
            call(engine, "search_code", query="add_item")
    finally:
        engine.close()
    assert any("projects.db" in said for said in repair(engine.settings)), "it may be made anew from here on"
    engine = open_vault(root, vectors.url)
    try:
        assert call(engine, "search_code", query="add_item")["count"] == 0
        index = engine.part(open_code).index
        within(10, lambda: not dict(index.rows.owners()).get(owner_of("shop")))
    finally:
        engine.close()


def test_nothing_is_opened_before_it_is_used(engine: Engine) -> None:
    assert not (engine.settings.memory.root / ".everlore" / "code.db").exists()
    assert call(engine, "list_projects")["count"] == 0
    assert (engine.settings.memory.root / ".everlore" / "code.db").exists()


def test_another_model_gets_vectors_of_its_own(tmp_path: Path, shop: Path) -> None:
    root = tmp_path / "vault"
    with endpoint() as first, endpoint(32) as second:
        engine = open_vault(root, first.url)
        call(engine, "index_project", path=str(shop))
        completed(engine, "shop")
        engine.close()
        settings = {"base_url": second.url, "model": "other", "dimension": 32, "timeout_seconds": 2}
        engine = open_vault(root, second.url, embedding=settings)
        try:
            call(engine, "list_projects")
            within(10, lambda: second.texts.total() >= 8)
            completed(engine, "shop")
            assert engine.part(open_code).index.upkeep.status().unembedded == 0
        finally:
            engine.close()

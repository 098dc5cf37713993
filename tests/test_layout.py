"""The habits that keep the code in order, held by machine: tests mirror the source, and nothing grows without bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "everlore"
TESTS = ROOT / "tests"
LINES_OF_A_FILE = 400
LINES_OF_THE_SOURCE = 57_121
"""It may only become less. The redesign held 44,500; reviewing drafts, the commands for people and the page came
after it, and the cuts that stores and surfaces owe for them are still to be made."""
LOCAL_IMPORTS = 10
"""First-party imports inside functions: only where a start-up budget needs them, each with its reason beside it."""
BY_CONTRACT = ("stores/",)
"""Two stores behind one Protocol: `tests/contract` asks both the same, so a module of theirs may have no other test."""
SCENARIOS = ("bench", "contract", "crash", "fuzz", "optional", "store", "support")
"""Folders of tests that mirror no package: suites over both stores, processes that are killed, requests by chance,
helpers."""
SPOKEN_TO = ("surfaces/everme", "surfaces/mcp/knowledge", "surfaces/mcp/records")
"""Suites that speak to processes as the clients of one contract do."""


def _modules() -> list[str]:
    """Every module as a path below the package: `vault/paths.py`."""
    found = (path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    return sorted(path for path in found if not path.rsplit("/", 1)[-1].startswith("__"))


def _test_of(module: str) -> Path:
    path = TESTS / module
    return path.with_name(f"test_{path.name}")


def test_every_module_has_a_test_of_its_name() -> None:
    without = {module for module in _modules() if not (_test_of(module).exists() or module.startswith(BY_CONTRACT))}
    assert without == set(), "each needs a tests/<same path>/test_<module>.py"


def test_folders_of_tests_are_folders_of_the_source() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py")}
    mirrors = {folder for folder in folders if not folder.startswith(SCENARIOS + SPOKEN_TO)}
    assert sorted(folder for folder in mirrors if not (SOURCE / folder).is_dir()) == []


@pytest.mark.parametrize("part", ["src", "tests", "bench", "docs"])
def test_no_file_is_long(part: str) -> None:
    endings = {".py", ".md"} - ({".md"} if part == "bench" else set())  # the results of the benchmark are written by it
    files = [path for path in (ROOT / part).rglob("*") if path.suffix in endings]
    assert files
    assert {path.relative_to(ROOT).as_posix(): n for path in files if (n := _lines(path)) > LINES_OF_A_FILE} == {}


def test_the_source_stays_small() -> None:
    assert sum(_lines(path) for path in SOURCE.rglob("*.py")) <= LINES_OF_THE_SOURCE


def test_imports_stand_at_the_top() -> None:
    local = [found for path in sorted(SOURCE.rglob("*.py")) for found in _local_imports(path)]
    listing = "\n".join(f"{where}: {reason or 'NO REASON'}" for where, reason in local)
    print(listing)
    assert len(local) <= LOCAL_IMPORTS, listing
    assert all(reason for _, reason in local), listing


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _local_imports(path: Path) -> Iterator[tuple[str, str]]:
    """Where each import of our own inside a function stands, with the comment beside it or above its block."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        above, reason = 0, ""
        for node in _own_statements(function):
            if _is_ours(node):
                around = lines[node.lineno - 2 : node.end_lineno]
                beside = " ".join(line.split("#", 1)[1].strip() for line in around if "#" in line)
                reason = beside or (reason if node.lineno == above + 1 else "")
                above = node.end_lineno or node.lineno
                yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", reason


def _own_statements(function: ast.AST) -> Iterator[ast.stmt]:
    """Without those of functions inside it, which are walked on their own."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _own_statements(node)


def _is_ours(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] == "everlore"
    return isinstance(node, ast.Import) and any(name.name.split(".")[0] == "everlore" for name in node.names)

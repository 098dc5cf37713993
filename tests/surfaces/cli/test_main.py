"""The command line as a person and a script meet it: help, exit codes, output in a pipe and in a terminal."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from serving import everlore

from everlore import __version__
from everlore.extras import load
from everlore.surfaces.cli import commands, main

COMMANDS = [
    [],
    ["server"],
    ["server", "start"],
    ["index"],
    ["index", "status"],
    ["index", "rebuild"],
    ["index", "reembed"],
    ["index", "sync"],
    ["code"],
    ["code", "index"],
    ["code", "search"],
    ["code", "status"],
    ["code", "list"],
    ["code", "delete"],
    ["doctor"],
    ["search"],
    ["add"],
    ["log"],
    ["show"],
    ["history"],
    ["forget"],
    ["rules"],
    ["users"],
    ["edit"],
    ["undo"],
    ["open"],
    ["people"],
    ["sessions"],
    ["cases"],
    ["tail"],
    ["curate"],
    ["keys"],
    ["keys", "create"],
    ["keys", "list"],
    ["keys", "revoke"],
    ["keys", "audit"],
    ["export"],
    ["import"],
    ["store"],
    ["store", "distribute"],
    ["store", "tidy"],
]


def _path_with(folder: Path) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.mark.parametrize("module", ["everlore", "everlore.surfaces.cli.main"])
def test_version(module: str) -> None:
    done = everlore("--version", module=module)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"everlore {__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: list[str]) -> None:
    done = everlore(*command, "-h")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: everlore")
    assert "Traceback" not in done.stderr
    if len(command) != 1 or command == ["doctor"]:
        assert "Example" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs the processor time of a child")
def test_help_is_quick() -> None:
    import resource

    def seconds(*command: str) -> float:
        """Processor time, so that a busy machine does not decide."""
        best = 9.0
        for _ in range(4):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *command], capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        return best

    assert seconds("-m", "everlore", "--help") < 15 * seconds("-c", "pass")


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\nfrom everlore.surfaces.cli import main\n"
        "heavy = {'fastapi', 'uvicorn', 'numpy', 'apsw', 'onnxruntime', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "args",
    [
        ["nope"],
        ["index", "nope"],
        ["--nope"],
        ["server", "start", "--port", "x"],
        ["server", "start", "--port", "70000"],
        ["server", "start", "--port", "-1"],
        ["server", "start", "--log-level", "loud"],
        ["index", "status", "extra"],
    ],
)
def test_wrong_usage_exits_2(args: list[str]) -> None:
    done = everlore(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "Error" in done.stderr


@pytest.mark.parametrize("module", ["typer", "apsw"])
def test_a_module_that_is_missing_is_one_line(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(f"raise ModuleNotFoundError('gone', name='{module}')", encoding="utf-8")
    done = everlore("index", "status", root=tmp_path / "root", env={"PYTHONPATH": _path_with(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: the module {module} is missing")
    assert len(done.stderr.splitlines()) == 1


def test_an_early_ctrl_c_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    done = everlore("--help", env={"PYTHONPATH": _path_with(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_completion_is_offered() -> None:
    done = everlore("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert done.returncode == 0
    assert "everlore" in done.stdout


def test_operators_and_people_have_one_program() -> None:
    group = typer.main.get_group(main.app)
    assert {"search", "curate", "server", "doctor"} <= set(group.commands)


@pytest.mark.parametrize(("command", "target"), commands.TARGETS.items(), ids=commands.TARGETS.values())
def test_a_command_is_done_by_a_function_that_takes_its_arguments(command: Callable[..., None], target: str) -> None:
    inspect.signature(load(f"everlore.surfaces.{target}")).bind(**dict.fromkeys(inspect.signature(command).parameters))

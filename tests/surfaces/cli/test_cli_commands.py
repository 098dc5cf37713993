"""The command line as a person and a script meet it: help, exit codes, output in a pipe and in a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Api, clean_env, everlore, running

from everlore import __version__

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
    ["keys"],
    ["keys", "create"],
    ["keys", "list"],
    ["keys", "revoke"],
    ["keys", "audit"],
    ["export"],
    ["import"],
    ["store"],
    ["store", "distribute"],
]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with one episode, and no server on it any more."""
    root = tmp_path_factory.mktemp("cli") / "root"
    with running(root) as server:
        api = Api(server.client, root)
        api.tell("s", "I love climbing in Yosemite every spring.")
        api.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="episode")
    # the watcher may have seen the new files only when the server was stopping, and left them to the next one
    assert everlore("index", "sync", root=root).returncode == 0
    return root


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

    assert seconds("-m", "everlore", "--help") < 0.25


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


def _path_with(folder: Path) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def test_completion_is_offered() -> None:
    done = everlore("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert done.returncode == 0
    assert "everlore" in done.stdout


def test_status_in_a_pipe_is_plain(vault: Path) -> None:
    done = everlore("index", "status", root=vault)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    pairs = dict(line.split("\t") for line in done.stdout.splitlines())
    assert pairs["vault"] == str(vault)
    assert pairs["episodes"] == "1"
    assert pairs["queued"] == "0"
    assert pairs["changed since"] == "0"


def test_status_tells_of_what_an_empty_index_lacks(vault: Path, tmp_path: Path) -> None:
    root = shutil.copytree(vault, tmp_path / "root")
    (root / ".everlore/index.db").write_bytes(b"x" * 3000)
    files = len(list(root.rglob("*.md")))
    done = everlore("index", "status", root=root)
    assert f"files\t0\nchanged since\t{files}; run: everlore index sync\n" in done.stdout, done.stderr
    assert everlore("index", "sync", root=root).returncode == 0
    assert json.loads(everlore("index", "status", "--json", root=root).stdout)["changed"] == 0


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["code", "list"], "everlore code index"),
        (["code", "status"], "everlore code index"),
        (["keys", "list", "--format", "text"], "everlore keys create"),
        (["keys", "audit", "--format", "text"], "nothing"),
    ],
)
def test_an_empty_list_says_so_beside_the_result(tmp_path: Path, command: list[str], told: str) -> None:
    done = everlore(*command, root=tmp_path / "root")
    assert (done.returncode, done.stdout) == (0, "")
    assert told in done.stderr


def test_status_as_json(vault: Path) -> None:
    done = everlore("index", "status", "--json", root=vault)
    body = json.loads(done.stdout)
    assert body["vault"] == str(vault)
    assert body["rows"]["episode"] == 1
    assert body["failed"] == 0
    assert body["messages_buffered"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_findings_in_a_terminal_have_colours(vault: Path) -> None:
    terminal, inside = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "everlore", "doctor"],
        env=clean_env(vault, {"TERM": "xterm-256color"}),
        stdin=subprocess.DEVNULL,
        stdout=inside,
        stderr=inside,
    )
    os.close(inside)
    shown = b""
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while chunk := os.read(terminal, 4096):
            shown += chunk
    os.close(terminal)
    assert process.wait(60) == 0
    assert b"\x1b[32m" in shown
    assert str(vault).encode() in shown, "no colours inside of names"


def test_rebuild_says_what_it_did(vault: Path) -> None:
    done = everlore("index", "rebuild", root=vault)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"rebuilt: \d+ memories\n", done.stdout)
    assert "reading files" in done.stderr
    assert json.loads(everlore("index", "status", "--json", root=vault).stdout)["rows"]["episode"] == 1


def test_reembed_and_sync(vault: Path) -> None:
    done = everlore("index", "reembed", root=vault)
    assert (done.returncode, done.stdout) == (0, "embedded: 0 pieces\n"), done.stderr
    done = everlore("index", "sync", root=vault)
    assert (done.returncode, done.stdout) == (0, "synced: 0 files had changed\n"), done.stderr


def test_doctor_is_content_with_a_sound_vault(vault: Path) -> None:
    done = everlore("doctor", root=vault)
    assert done.returncode == 0, done.stdout
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == {"ok"}
    findings = json.loads(everlore("doctor", "--json", root=vault).stdout)
    assert {finding["level"] for finding in findings} == {"ok"}


def test_doctor_tells_of_what_people_wrote_and_nobody_reads(vault: Path, tmp_path: Path) -> None:
    root = shutil.copytree(vault, tmp_path / "root")
    [day] = root.rglob("episodes/*.md")
    text = day.read_text(encoding="utf-8")
    day.with_name(f"{day.stem} (conflicted copy).md").write_text(text, encoding="utf-8")
    day.with_name("own thoughts.md").write_text("# Mine\n\nNothing of Everlore's.\n", encoding="utf-8")
    day.write_text(f"{text}\n# Later\n\n---\n\nAllergic to peanuts.\n", encoding="utf-8")
    assert everlore("index", "sync", root=root).returncode == 0
    done = everlore("doctor", root=root)
    assert done.returncode == 0, "nothing is broken"
    told = [line.split("\t")[1] for line in done.stdout.splitlines() if line.startswith("warning")]
    line = text.count("\n") + 6
    assert told[0].endswith(f"{day.name}:{line}: text outside the entries is kept, but not searched")
    assert "(conflicted copy).md holds entries and is not read" in told[1]
    assert len(told) == 2


def test_sync_finds_an_edit_and_doctor_names_the_damage(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with running(root) as server:
        api = Api(server.client, root)
        api.tell("s", "I love climbing in Yosemite every spring.")
        file = api.files("users/alice/episodes/*.md")[0]
    file.write_text(file.read_text(encoding="utf-8").replace("### Content", "### Contents"), encoding="utf-8")
    done = everlore("index", "sync", root=root)
    assert done.stdout == "synced: 1 files had changed\n", done.stderr
    done = everlore("doctor", root=root)
    assert done.returncode == 1
    assert any(line.startswith("error\t") and file.name in line for line in done.stdout.splitlines())
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ({"EVEROS_API__PORT": "many"}, "EVEROS_API__PORT"),
        ({"EVEROS_API": '{"port": 1'}, "setting EVEROS_API: this is not valid JSON"),
        ({"EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS": "x"}, "EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS: Input is not"),
        ({"EVEROS_MEMORY__TIMEZONE": "Mars/Olympus"}, "EVEROS_MEMORY__TIMEZONE"),
        ({"EVEROS_CONFIG_FILE": "/no/such/file.toml"}, "EVEROS_CONFIG_FILE"),
        ({"EVEROS_LOG_LEVEL": "loud"}, "EVEROS_LOG_LEVEL"),
    ],
)
@pytest.mark.parametrize("command", [["doctor"], ["server", "start"]])
def test_wrong_settings_are_one_line(tmp_path: Path, command: list[str], env: dict[str, str], told: str) -> None:
    done = everlore(*command, root=tmp_path / "root", env=env)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_in_the_config_file_is_looked_for_there(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[api]\nport = "many"\n', encoding="utf-8")
    done = everlore("doctor", root=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: api.port in {config}: ")


@pytest.mark.parametrize("content", [b"api = [", b"\xff\xfe"])
def test_a_config_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    config = tmp_path / "config.toml"
    config.write_bytes(content)
    done = everlore("doctor", root=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {config} cannot be read: ")
    assert "Traceback" not in done.stderr


def test_a_root_that_is_a_file_is_told(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.write_text("not a folder", encoding="utf-8")
    done = everlore("index", "status", root=root)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "EVEROS_MEMORY__ROOT" in done.stderr
    assert "Errno" not in done.stderr
    assert len(done.stderr.splitlines()) == 1, "trying again would not help"


def test_a_reader_that_leaves_early_causes_no_traceback(vault: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "everlore", "index", "status"],
        env=clean_env(vault),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.wait(60)
    process.stderr.close()
    assert b"Traceback" not in errors


@pytest.mark.parametrize("empty", [False, True])
def test_the_vault_is_in_the_home_folder_by_default(tmp_path: Path, empty: bool) -> None:
    env = clean_env(tmp_path, {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "EVEROS_MEMORY__ROOT": ""})
    if not empty:
        del env["EVEROS_MEMORY__ROOT"]
    done = subprocess.run(
        [sys.executable, "-m", "everlore", "index", "status", "--json"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert json.loads(done.stdout)["vault"] == str(tmp_path / ".everos"), done.stderr
    assert not (tmp_path / "~").exists()

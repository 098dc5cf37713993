"""The contract's sentences on streams, formats, envelopes, settings and redaction, on real processes."""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from evercli import KEY, NOWHERE, POSIX, Evercli, answering, gateway, http, url_of

from everlore import __version__

TOKEN = "evt_" + "c3d4" + "1" * 28


# streams and formats


def test_version_in_every_format(evercli: Evercli) -> None:
    done = evercli("--version", "--format", "json")
    assert done.data == {"name": "evercli", "version": __version__}
    assert done.err == ""
    assert evercli("--version").out[:1] == "{", "auto is json in a pipe"
    assert yaml.safe_load(evercli("--version", "--format=yaml").out)["data"]["version"] == __version__
    assert evercli("--version", "--format", "text").out == f"evercli {__version__}\n"


@POSIX
@pytest.mark.parametrize(("ci", "is_text"), [("", True), ("false", True), ("true", False), ("1", False)])
def test_auto_is_text_in_a_terminal(evercli: Evercli, ci: str, is_text: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    env = evercli.environment({"CI": ci})
    done = subprocess.run(evercli.command("--version"), env=env, stdout=theirs, stderr=subprocess.PIPE, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 4096).decode()
    os.close(ours)
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown.strip() == f"evercli {__version__}" if is_text else json.loads(shown)["ok"]


def test_text_does_not_steer_the_terminal(evercli: Evercli, listener: socket.socket) -> None:
    episode = {"id": "e1", "summary": "red \x1b[31m\x07\x9b5m\x7f", "timestamp": "2026-01-01T00:00:00Z"}
    answering(listener, http(200, {"request_id": "r", "data": {"episodes": [episode]}}))
    here = {"EVERCLI_API_BASE_URL": url_of(listener)}
    done = evercli("memory", "search", "x", "--format", "text", env=here)
    assert "red \ufffd[31m\ufffd\ufffd5m\ufffd" in done.out
    failed = evercli("memory", "search", "x", "--format", "text", "--config", "/no\x1b]0;such")
    assert failed.code == 5
    assert "\x1b" not in failed.err


def test_the_success_envelope(evercli: Evercli) -> None:
    envelope = evercli("plugin", "list", "--format", "json").envelope
    assert list(envelope) == ["ok", "data", "meta"]
    assert envelope["ok"] is True
    assert envelope["meta"]["count"] == len(envelope["data"]["platforms"]) > 0
    assert isinstance(envelope["meta"]["requestId"], str)


def test_the_error_envelope_of_the_contract(evercli: Evercli) -> None:
    done = evercli("--format", "xml", "auth", "status")
    assert done.code == 2
    assert list(done.envelope) == ["ok", "error", "meta"]
    assert list(done.error) == ["type", "code", "message", "hint", "detail"]
    assert done.error["type"] == "invalid_args"
    assert done.error["code"] == 0
    assert done.error["message"] == "invalid value for --format"
    assert done.error["hint"].startswith("Use --format text|json|yaml")
    assert done.error["detail"] == {"flag": "format"}
    assert isinstance(done.envelope["meta"]["requestId"], str)


def test_not_logged_in_in_text_is_what_the_contract_shows(evercli: Evercli) -> None:
    done = evercli("--format", "text", "auth", "status")
    assert (done.code, done.out) == (3, "")
    assert done.err == "error: Not logged in\nhint: Run `evercli auth login` first\n"


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["nonsense"],
        ["auth"],
        ["auth", "status", "--nonsense"],
        ["auth", "status", "extra"],
        ["plugin", "install"],
        ["plugin", "install", "no-such-host"],
        ["memory", "search"],
        ["memory", "search", "x", "--top-k", "many"],
        ["import", "run", "markdown"],
        ["completion", "tcsh"],
        ["--timeout", "soon", "doctor"],
        ["doctor", "--timeout"],
        ["auth", "login", "--api-key", "nonsense"],
        ["auth", "login", "--api-key", KEY, "--no-wait"],
        ["memory", "add", "   "],
        ["auth", "status", "--form", "json"],
        ["auth", "status", ""],
    ],
)
def test_argument_errors_have_the_envelope(evercli: Evercli, args: list[str]) -> None:
    done = evercli(*args, "--format", "json")
    assert done.code == 2
    assert done.error["type"] == "invalid_args"
    assert done.error["message"]
    assert done.error["hint"]
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("args", "flag", "command"),
    [
        (["--bogus"], "--bogus", "evercli"),
        (["-V"], "-V", "evercli"),
        (["auth", "--bogus"], "--bogus", "evercli auth"),
        (["auth", "login", "--bogus"], "--bogus", "evercli auth login"),
    ],
)
def test_an_unknown_flag_is_named_with_the_help_of_its_command(
    evercli: Evercli, args: list[str], flag: str, command: str
) -> None:
    error = evercli(*args).error
    assert error["message"] == f"unknown flag {flag}"
    assert f"`{command} --help`" in error["hint"]


def test_argument_errors_in_text_and_yaml(evercli: Evercli) -> None:
    done = evercli("--format", "text", "plugin", "install", "--nonsense")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert "\nhint: " in done.err
    answer = yaml.safe_load(evercli("bogus", "--format", "yaml").out)
    assert answer["error"]["type"] == "invalid_args"


def test_global_flags_work_anywhere_and_not_behind_two_dashes(evercli: Evercli) -> None:
    assert evercli("auth", "--format", "text", "status").out == ""
    assert evercli("auth", "status", "--format=text").out == ""
    done = evercli("memory", "search", "--", "--format", env=NOWHERE)
    assert done.error["type"] == "network", "what stands behind -- is the query"


def test_help_is_a_result_like_any_other(evercli: Evercli) -> None:
    data = evercli("plugin", "install", "--help").data
    assert data["command"] == "evercli plugin install"
    assert {one["name"] for one in data["arguments"]} >= {"platform", "--dry-run", "--force"}
    text = evercli("--help", "--format", "text")
    assert text.code == 0
    assert "Usage: evercli" in text.out
    assert all(word in text.out for word in ("auth", "plugin", "memory", "import", "doctor", "--timeout"))


# settings


def test_where_the_address_comes_from(evercli: Evercli) -> None:
    def asked(env: dict[str, str] | None = None, *args: str) -> str:
        server: str = evercli("memory", "search", "x", *args, env=env).error["detail"]["server"]
        return server

    config = evercli.home / "other.yaml"
    config.write_text("api_base_url: http://127.0.0.1:3/api/v1/\ntimeout: 5s\n", encoding="utf-8")
    plugins = {"EVERME_API_BASE": "http://127.0.0.1:2"}
    assert asked(plugins) == "http://127.0.0.1:2"
    assert asked(plugins, "--config", str(config)) == "http://127.0.0.1:3"
    assert asked(plugins | NOWHERE, "--config", str(config)) == "http://127.0.0.1:1"
    for wrong in ("ftp://x", "http://[::1", "http://127.0.0.1:99999"):
        done = evercli("memory", "search", "x", env={"EVERCLI_API_BASE_URL": wrong})
        assert (done.code, done.error["type"]) == (2, "invalid_args")
    for password in ("s3cret", "s3cret@x", "s3cret/x"):
        done = evercli("doctor", env={"EVERCLI_API_BASE_URL": f"http://me:{password}@127.0.0.1:1"})
        assert done.code == 2
        assert "s3cret" not in done.out + done.err


def test_format_and_prompting_from_the_environment(evercli: Evercli) -> None:
    assert evercli("--version", env={"EVERCLI_FORMAT": "text"}).out == f"evercli {__version__}\n"
    assert evercli("--version", env={"EVERCLI_FORMAT": "xml"}).code == 2
    assert evercli("--version", "--no-prompt", "-v").code == 0


# redaction


@pytest.mark.parametrize("form", ["json", "yaml", "text"])
def test_secrets_never_leave_in_any_format_or_stream(evercli: Evercli, form: str) -> None:
    for args in (["plugin", "install", KEY], ["--nope" + TOKEN, KEY], ["memory", "search", "x", "--user", TOKEN]):
        done = evercli(*args, "--format", form, "-v", env=NOWHERE)
        assert done.code != 0
        for secret in (KEY, TOKEN):
            assert secret not in done.out + done.err
            assert secret[8:] not in done.out + done.err
    done = evercli("plugin", "install", KEY, "--format", form)
    assert "emk_a1b2_REDACTED" in done.out + done.err


def test_there_is_one_way_out() -> None:
    """Nothing in the package writes to a stream but the output layer, which redacts."""
    package = Path(__file__).parents[3] / "src" / "everlore" / "surfaces" / "cli" / "evercli"
    for file in package.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert name != "print", file.name
            if file.name != "output.py":
                assert not name.startswith(("sys.stdout", "sys.stderr")) or name.endswith(".isatty"), file.name


def test_short_prefixes_stay(evercli: Evercli) -> None:
    assert "'emk_a1b2'" in evercli("plugin", "install", "emk_a1b2").error["message"]


def test_upstream_errors_are_redacted(evercli: Evercli, listener: socket.socket) -> None:
    said = f"ErrX: {TOKEN} AKIAIOSFODNN7EXAMPLE http://b/x?X-Amz-Signature=abcdef0123456789&X-Amz-Credential=AKIA%2F1"
    answering(listener, gateway(50000, said, 500))
    done = evercli("auth", "login", "--api-key", KEY, env={"EVERCLI_API_BASE_URL": url_of(listener)})
    assert "evt_c3d4_REDACTED" in done.error["message"]
    for secret in (TOKEN, KEY, "AKIAIOSFODNN7EXAMPLE", "abcdef0123456789"):
        assert secret not in done.out + done.err


# start-up


def test_a_command_starts_without_the_heavy_parts(evercli: Evercli) -> None:
    """What is not imported cannot cost time."""
    code = (
        "import sys, runpy; sys.argv = ['evercli', 'auth', 'status', '--format', 'text']\n"
        f"try: runpy.run_module('{'everlore.surfaces.cli.evercli'}', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print(','.join(sorted(m.split('.')[0] for m in sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=evercli.environment(), capture_output=True, text=True)
    loaded = set(done.stdout.strip().split(","))
    assert "everlore" in loaded
    heavy = {"typer", "rich", "httpx", "pydantic", "fastapi", "mcp", "numpy", "apsw", "yaml", "tomlkit", "uvicorn"}
    assert not loaded & heavy


@POSIX
def test_a_command_starts_quickly(evercli: Evercli) -> None:
    import resource

    def seconds(command: list[str]) -> float:
        """Processor time, so that a busy machine does not decide."""
        best = 9.0
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, env=evercli.environment(), capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return best

    bare = seconds([sys.executable, "-c", "pass"])
    assert seconds(evercli.command("auth", "status")) - bare < 0.25


# completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_in_a_pipe_and_an_envelope_on_request(evercli: Evercli, shell: str) -> None:
    raw = evercli("completion", shell)
    assert raw.code == 0
    assert raw.out.startswith("#")
    assert evercli("completion", shell, "--format", "json").data["script"].strip() == raw.out.strip()


def test_bash_completes(evercli: Evercli, tmp_path: Path) -> None:
    script = tmp_path / "evercli.bash"
    script.write_text(evercli("completion", "bash").out, encoding="utf-8")

    def complete(*words: str) -> set[str]:
        given = " ".join(f"'{word}'" for word in words)
        line = f"source {script}; COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; _evercli; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=30)
        assert done.stderr == ""
        return set(done.stdout.split())

    assert complete("evercli", "pl") == {"plugin"}
    assert {"install", "uninstall", "list"} <= complete("evercli", "plugin", "")
    assert "claude-code" in complete("evercli", "--format", "json", "plugin", "install", "cl")
    assert complete("evercli", "--format", "y") == {"yaml"}

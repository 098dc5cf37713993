"""Streams, formats, envelopes and redaction, on real processes."""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from evercli import KEY, NOWHERE, POSIX, Evercli, answering, gateway, http, url_of

from everlore import __version__

TOKEN = "evt_" + "c3d4" + "1" * 28


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
    """Nothing in the package writes to a stream but the output layer, which redacts; a hook does both by itself."""
    package = Path(__file__).parents[4] / "src" / "everlore" / "surfaces" / "cli" / "evercli"
    for file in package.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert name != "print", file.name
            if file.name != "output.py" and name.startswith(("sys.stdout", "sys.stderr")):
                redacted = file.name == "hook.py" and ast.unparse(node).startswith("sys.stdout.write(redact(")
                assert redacted or name.endswith((".isatty", ".flush")), file.name


def test_short_prefixes_stay(evercli: Evercli) -> None:
    assert "'emk_a1b2'" in evercli("plugin", "install", "emk_a1b2").error["message"]


def test_upstream_errors_are_redacted(evercli: Evercli, listener: socket.socket) -> None:
    said = f"ErrX: {TOKEN} AKIAIOSFODNN7EXAMPLE http://b/x?X-Amz-Signature=abcdef0123456789&X-Amz-Credential=AKIA%2F1"
    answering(listener, gateway(50000, said, 500))
    done = evercli("auth", "login", "--api-key", KEY, env={"EVERCLI_API_BASE_URL": url_of(listener)})
    assert "evt_c3d4_REDACTED" in done.error["message"]
    for secret in (TOKEN, KEY, "AKIAIOSFODNN7EXAMPLE", "abcdef0123456789"):
        assert secret not in done.out + done.err


@POSIX
def test_a_broken_pipe_is_quiet(evercli: Evercli) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        evercli.command("plugin", "list"), env=evercli.environment(), stdout=writing, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_stdout_is_said(evercli: Evercli) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            evercli.command("--version"), env=evercli.environment(), stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert done.returncode == 5
    assert done.stderr.startswith(b"error: cannot write the result")
    assert b"Traceback" not in done.stderr

"""The contract's error types and exit codes, on real processes: servers that fail, interrupts, files and folders."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from evercli import KEY, NOWHERE, POSIX, Evercli, answering, gateway, http, url_of

from everlore.surfaces.cli.evercli import client
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.files import replace_file


def test_network_errors(evercli: Evercli) -> None:
    for base in ("http://127.0.0.1:1", "http://no-such-host.invalid"):
        done = evercli("memory", "search", "x", env={"EVERCLI_API_BASE_URL": base})
        assert (done.code, done.error["type"]) == (4, "network")
    text = evercli("memory", "search", "x", "--format", "text", env=NOWHERE)
    assert (text.code, text.out) == (4, "")
    assert text.err.startswith("error: no server answers")


@pytest.mark.parametrize("drip", [False, True])
def test_a_server_that_does_not_finish_is_a_timeout(evercli: Evercli, listener: socket.socket, drip: bool) -> None:
    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            if drip:
                connection.sendall(b"H")
            while not over.wait(0.2):
                with suppress(OSError):
                    connection.sendall(b"T" if drip else b"")

    over = threading.Event()
    threading.Thread(target=serve, daemon=True).start()
    done = evercli("--timeout", "600ms", "memory", "search", "x", env={"EVERCLI_API_BASE_URL": url_of(listener)})
    assert (done.code, done.error["type"]) == (4, "network")
    assert "0.6 s" in done.error["message"]
    over.set()


@pytest.mark.parametrize(
    ("reply", "kind", "code", "exit_code"),
    [
        (gateway(30201, "ErrApiKeyInvalid: no", 401), "auth", 30201, 3),
        (gateway(30302, "ErrAgentDisconnected: no", 401), "auth", 30302, 3),
        (gateway(30104, "ErrSlowDown: no", 429, "Retry-After: 7\r\n"), "rate_limit", 30104, 1),
        (gateway(20005, "ErrRateLimited: no", 429), "rate_limit", 20005, 1),
        (gateway(30303, "ErrScopeInsufficient: no", 403), "permission", 30303, 1),
        (gateway(40005, "ErrIdempotencyConflict: no", 409), "conflict", 40005, 1),
        (gateway(40101, "ErrRecordNotFound: no", 404), "not_found", 40101, 1),
        (gateway(30005, "ErrUpstream: no", 502), "upstream", 30005, 1),
        (gateway(50000, "ErrInternal: no", 500), "upstream", 50000, 1),
        (gateway(20001, "ErrInvalidParams: no", 400), "invalid_args", 20001, 2),
        (http(200, b"<html>hello</html>"), "upstream", 0, 1),
        (http(302, b"", "Location: http://127.0.0.1:1/\r\n"), "upstream", 0, 1),
        (http(501, b"<html>no such method</html>"), "upstream", 0, 1),
        (http(500, {"error": {"message": "broken"}}), "upstream", 0, 1),
        (http(429, b"slow down", "Retry-After: 9\r\n"), "rate_limit", 0, 1),
        (b"garbage\r\n\r\n", "network", 0, 4),
        (b"", "network", 0, 4),
    ],
)
def test_what_the_gateway_says_becomes_a_type_and_a_code(
    listener: socket.socket, reply: bytes, kind: str, code: int, exit_code: int
) -> None:
    answering(listener, reply)
    with pytest.raises(Failure) as failed:
        client.gateway(client.Server(url_of(listener), 10.0), "/auth/login", {"apiKey": KEY})
    failure = failed.value
    assert (failure.exit_code, failure.kind, failure.code) == (exit_code, kind, code)
    assert failure.request_id == ("req_up" if b"requestId" in reply else "")
    if b"Retry-After: 7" in reply:
        assert failure.detail["retryAfterSec"] == 7


def test_the_gateways_answer_reaches_the_envelope(evercli: Evercli, listener: socket.socket) -> None:
    answering(listener, gateway(30104, "ErrSlowDown: no", 429, "Retry-After: 7\r\n"))
    done = evercli("auth", "login", "--api-key", KEY, env={"EVERCLI_API_BASE_URL": url_of(listener)})
    assert (done.code, done.error["type"], done.error["code"]) == (1, "rate_limit", 30104)
    assert done.error["detail"]["retryAfterSec"] == 7
    assert done.envelope["meta"]["requestId"] == "req_up"
    assert not list(evercli.home.rglob("credentials.json")), "nothing is stored when the login failed"


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_cancelled_130(evercli: Evercli, listener: socket.socket, number: int) -> None:
    process = evercli.start("memory", "search", "x", "--format", "json", env={"EVERCLI_API_BASE_URL": url_of(listener)})
    connection, _ = listener.accept()
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    connection.close()
    assert process.returncode == 130
    assert json.loads(out)["error"]["type"] == "cancelled"
    assert b"Traceback" not in err


@POSIX
def test_an_interrupt_in_text_leaves_stdout_empty(evercli: Evercli, listener: socket.socket) -> None:
    process = evercli.start("memory", "search", "x", "--format", "text", env={"EVERCLI_API_BASE_URL": url_of(listener)})
    connection, _ = listener.accept()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    connection.close()
    assert (process.returncode, out) == (130, b"")
    assert err.startswith(b"error: interrupted")


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


def test_io_errors(evercli: Evercli, tmp_path: Path) -> None:
    done = evercli("--config", str(tmp_path / "none.yaml"), "auth", "status")
    assert (done.code, done.error["type"]) == (5, "io")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [", encoding="utf-8")
    assert evercli("--config", str(broken), "auth", "status").error["type"] == "io"
    folder = evercli.home / ".local" / "share" / "evercli"
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text("{", encoding="utf-8")
    assert evercli("auth", "status", env={"XDG_DATA_HOME": str(folder.parent)}).error["type"] == "io"


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(evercli: Evercli) -> None:
    (evercli.home / ".cursor").mkdir()
    (evercli.home / ".cursor").chmod(0o500)
    done = evercli("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (5, "io")


def test_a_folder_where_a_file_should_be(evercli: Evercli) -> None:
    (evercli.home / ".cursor" / "mcp.json").mkdir(parents=True)
    done = evercli("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (5, "io")
    assert "Traceback" not in done.err


def test_odd_environments(evercli: Evercli) -> None:
    assert evercli("--version", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}).code == 0
    done = subprocess.run(
        [*map(os.fsencode, evercli.command("plugin", "install")), b"caf\xe9"],
        env=evercli.environment(),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert json.loads(done.stdout.decode("utf-8"))["error"]["type"] == "invalid_args"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make files")
def test_a_file_that_cannot_be_written_is_named_and_not_the_one_beside_it() -> None:
    with pytest.raises(Failure) as failed:
        replace_file(Path("/proc/config.json"), None, b"{}", private=True)
    assert failed.value.message.startswith("cannot write: /proc/config.json: ")
    assert failed.value.detail == {"path": "/proc/config.json"}

"""`everlore server start`: the port, the log, the warnings, and stopping in order."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import Api, Server, clean_env


def begin(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Start a server that is expected not to run."""
    return subprocess.run(
        [sys.executable, "-m", "everlore", "server", "start", *args],
        env=clean_env(root),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")


def test_the_log_says_where_it_listens_and_where_the_vault_is(server: Server) -> None:
    (line,) = [line for line in server.log() if line["event"] == "listening"]
    assert line["host"] == "127.0.0.1"
    assert line["port"] == server.port > 0
    assert line["url"] == server.url
    assert line["vault"] == str(server.root)
    assert line["level"] == "info"


def test_a_taken_port_is_explained(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = begin(tmp_path / "root", "--port", str(port))
    assert done.returncode == 1
    assert f"error: port {port} on 127.0.0.1 is in use" in done.stderr
    assert f"--port {port + 1} or EVEROS_API__PORT" in done.stderr, "`make run` takes no --port"
    assert len(done.stderr.splitlines()) == 1, "trying again would not help"
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "root").exists(), "nothing is touched before the port is ours"


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7"])
def test_a_host_that_is_not_ours_is_explained(tmp_path: Path, host: str) -> None:
    done = begin(tmp_path / "root", "--host", host, "--port", "0", "--insecure")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert host in done.stderr
    assert "Traceback" not in done.stderr


def test_environment_sets_host_and_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "everlore", "server", "start"],
            env=clean_env(tmp_path / "root", {"EVEROS_API__PORT": str(port)}),
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
    assert f"port {port} on 127.0.0.1 is in use" in done.stderr


def test_an_open_interface_is_refused_unless_one_insists(tmp_path: Path) -> None:
    done = begin(tmp_path / "root", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 1
    for way in ("EVEROS_AUTH__ENABLED=true", "everlore keys create", "--host 127.0.0.1", "--insecure"):
        assert way in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "root").exists()


def test_with_accounts_an_open_interface_is_welcome(start: Any) -> None:
    server = start({"EVEROS_AUTH__ENABLED": "true"}, args=["--host", "0.0.0.0"])
    (warned,) = [line for line in server.log() if line["level"] == "warning"]
    assert "everlore keys create" in warned["event"], "there is no key yet"
    assert server.client.get("/healthz", headers={"Host": "memory.example"}).status_code == 200
    assert server.client.post("/api/v1/memory/flush", json={"session_id": "s"}).status_code == 401


def test_an_open_interface_is_warned_about_and_takes_any_host(start: Any) -> None:
    server = start(args=["--host", "0.0.0.0", "--insecure"])
    warnings = [line for line in server.log() if line["level"] == "warning"]
    assert any("AUTHENTICATION" in line["event"] and "gateway" in line["event"] for line in warnings)
    assert server.client.get("/health", headers={"Host": "memory.example"}).status_code == 200


def test_loopback_is_not_warned_about(server: Server) -> None:
    assert not [line for line in server.log() if "AUTHENTICATION" in line["event"]]


@posix_only
@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_stops_in_order_and_quietly(start: Any, how: int, code: int) -> None:
    server = start()
    server.client.get("/health")  # leaves a kept-alive connection open
    assert server.stop(how) == code
    text = server.log_path.read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "Aborted" not in text
    assert server.log()[-1]["event"] == "stopped"


@posix_only
def test_running_requests_finish_before_it_stops(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    begun = threading.Event()
    answers: list[int] = []

    def dripping() -> Any:
        yield b'{"session_id": "s", "messages": [{"sender_id": "alice", "role": "user", "timestamp": 1780000000000, '
        begun.set()
        time.sleep(1.0)
        yield b'"content": "The last word."}]}'

    def send() -> None:
        headers = {"Content-Type": "application/json"}
        answers.append(api.client.post("/api/v1/memory/add", content=dripping(), headers=headers).status_code)

    sender = threading.Thread(target=send)
    sender.start()
    assert begun.wait(60)
    # connections are taken in order: whoever answers a later one has taken that of the sender
    assert httpx.get(f"{server.url}/health", timeout=60).status_code == 200
    assert server.stop() == 0
    sender.join(60)
    assert answers == [200]

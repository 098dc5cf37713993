"""Interrupts and odd environments."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess

import pytest
from evercli import POSIX, Evercli, url_of


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

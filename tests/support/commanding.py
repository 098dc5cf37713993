"""`everlore` as a person at a terminal calls it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from serving import clean_env, everlore

from everlore.background.place import Server


def about(root: Path, word: str, *command: str) -> str:
    """The id of the memory that a list names with this word."""
    listed = json.loads(everlore(*(command or ("log",)), "--json", root=root).stdout)
    return next(str(row["id"]) for row in listed if word in row["text"])


def in_terminal(root: Path, *arguments: str, typed: str = "", **env: str) -> str:
    """What a person sees of a command, and of what they type into it."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pty")
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "everlore", *arguments]
    env = clean_env(root, {"TERM": "xterm-256color", **env})
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    with suppress(OSError):
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    process.wait(60)
    return shown.decode()


def answering(lines: bytes) -> tuple[socket.socket, Server]:
    """A server that reads what it is asked, and answers so."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(lines)

    threading.Thread(target=serve, daemon=True).start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    return listener, Server(os.getpid(), "0.1.0", "", "", address, "t", "", background=True)

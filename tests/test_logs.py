"""The log of a process: JSON lines in a pipe, readable on request."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from serving import clean_env


def test_every_line_in_a_pipe_is_json_and_the_level_option_wins(start: Any) -> None:
    server = start({"EVEROS_LOG_LEVEL": "error"}, args=["--log-level", "DEBUG"])
    server.client.get("/health")
    server.client.post("/api/v1/memory/flush", json={"session_id": "s"})
    assert server.stop() == 0
    for line in server.log_path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert {"event", "level", "timestamp"} <= set(record)
    assert any(record["level"] == "debug" and record.get("path") == "/health" for record in server.log())


def test_readable_logs_on_request(tmp_path: Path) -> None:
    env = clean_env(tmp_path / "root", {"EVEROS_LOG_FORMAT": "console"})
    process = subprocess.Popen(
        [sys.executable, "-m", "everlore", "server", "start", "--port", "0"], env=env, stderr=subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        while b"listening" not in (line := process.stderr.readline()):
            assert line, "the server ended"
        assert b"127.0.0.1" in line
        assert not line.startswith(b"{")
    finally:
        process.terminate()
        process.communicate(timeout=120)

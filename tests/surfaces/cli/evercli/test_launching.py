"""What hosts start stays good when Everlore moves."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from evercli import POSIX, Evercli
from serving import Server

from everlore.surfaces.cli.evercli.launching import LAUNCHER, write_launchers


def test_launchers_are_written_once(tmp_path: Path) -> None:
    assert write_launchers(tmp_path)
    assert not write_launchers(tmp_path)


@POSIX
def test_a_launcher_whose_program_is_gone_takes_another_or_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "launcher"
    path.write_text(
        LAUNCHER.format(first="/gone/everlore", command="/gone/everlore", name="everlore"), encoding="utf-8"
    )
    path.chmod(0o755)
    done = subprocess.run([path, "mcp"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (127, "")
    assert "evercli doctor" in done.stderr
    other = tmp_path / "bin" / "everlore"
    other.parent.mkdir()
    other.write_text('#!/bin/sh\necho here "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    done = subprocess.run([path, "mcp"], env={"PATH": f"{other.parent}:/usr/bin:/bin"}, capture_output=True, text=True)
    assert done.stdout == "here mcp\n"


@POSIX
def test_doctor_mends_what_hosts_start(evercli: Evercli, server: Server) -> None:
    evercli.env |= {"PATH": "/usr/bin:/bin", "EVERCLI_API_BASE_URL": server.url}
    config = evercli.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    old = {"command": "/gone/.venv/bin/everlore", "args": ["mcp", "--toolset", "everme"], "env": {"MY": "1"}}
    config.write_text(json.dumps({"mcpServers": {"everme-memory": old, "other": {"command": "x"}}}), encoding="utf-8")
    checks = {one["name"]: one for one in evercli("doctor").data["checks"]}
    assert "mended" in checks["plugin cursor"]["message"]
    servers = json.loads(config.read_bytes())["mcpServers"]
    assert servers["other"] == {"command": "x"}
    assert servers["everme-memory"]["env"] == {"MY": "1"}
    program = Path(servers["everme-memory"]["command"])
    assert program.is_file()
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    checks = {one["name"]: one for one in evercli("doctor").data["checks"]}
    assert "has moved" in checks["plugin cursor"]["message"]
    assert subprocess.run([program, "--version"], env=evercli.environment(), capture_output=True).returncode == 0
    assert "mended" not in json.dumps(evercli("doctor").data)

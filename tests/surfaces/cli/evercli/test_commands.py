"""Version, help and a quick start."""

from __future__ import annotations

import subprocess
import sys

import yaml
from evercli import POSIX, Evercli

from everlore import __version__


def test_version_in_every_format(evercli: Evercli) -> None:
    done = evercli("--version", "--format", "json")
    assert done.data == {"name": "evercli", "version": __version__}
    assert done.err == ""
    assert evercli("--version").out[:1] == "{", "auto is json in a pipe"
    assert yaml.safe_load(evercli("--version", "--format=yaml").out)["data"]["version"] == __version__
    assert evercli("--version", "--format", "text").out == f"evercli {__version__}\n"


def test_help_is_a_result_like_any_other(evercli: Evercli) -> None:
    data = evercli("plugin", "install", "--help").data
    assert data["command"] == "evercli plugin install"
    assert {one["name"] for one in data["arguments"]} >= {"platform", "--dry-run", "--force"}
    text = evercli("--help", "--format", "text")
    assert text.code == 0
    assert "Usage: evercli" in text.out
    assert all(word in text.out for word in ("auth", "plugin", "memory", "import", "doctor", "--timeout"))


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

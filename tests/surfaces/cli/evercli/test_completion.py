"""Completion scripts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from evercli import Evercli


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
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
        assert done.stderr == ""
        return set(done.stdout.split())

    assert complete("evercli", "pl") == {"plugin"}
    assert {"install", "uninstall", "list"} <= complete("evercli", "plugin", "")
    assert "claude-code" in complete("evercli", "--format", "json", "plugin", "install", "cl")
    assert complete("evercli", "--format", "y") == {"yaml"}

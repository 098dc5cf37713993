"""A host's first session remembers, and its second one knows: a process that does what hosts do, with the commands and
the entry that `evercli plugin install` wrote, on a machine on which nothing runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from evercli import POSIX, Evercli
from serving import IDLE_MINUTES

from everlore.background import client

PATIENT = {"EVERCLI_TIMEOUT": "90", "EVEROS_BACKGROUND__IDLE_MINUTES": IDLE_MINUTES}
"""A busy machine is not what is tested here."""


class Host:
    """Starts what its configuration says, as its documentation says."""

    def __init__(self, cli: Evercli, name: str, config: Path, hooks: Path, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self._env = cli.environment(PATIENT)
        self._entry = json.loads(config.read_bytes())["mcpServers"]["everme-memory"]
        self._hooks = json.loads(hooks.read_bytes())["hooks"]

    def hook(self, event: str, **said: Any) -> str:
        found: list[str] = []
        for one in self._hooks.get(event, []):
            for hook in one.get("hooks", [one]):
                command = hook.get("command") or hook["bash"]
                given = json.dumps({"hook_event_name": event, "cwd": str(self.folder), **said}).encode()
                done = subprocess.run(command, shell=True, input=given, env=self._env, capture_output=True, timeout=120)
                assert (done.returncode, done.stderr) == (0, b"")
                if done.stdout.strip():
                    answer = json.loads(done.stdout)
                    inner = answer.get("hookSpecificOutput", answer)
                    found.append(inner.get("additionalContext") or inner["additional_context"])
        return "\n".join(found)

    def tools(self) -> list[str]:
        """What the model is offered."""
        version = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": self.name, "version": "1"},
        }
        lines = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": version},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        ]
        done = subprocess.run(
            [self._entry["command"], *self._entry["args"]],
            input="".join(json.dumps(line) + "\n" for line in lines).encode(),
            env=self._env,
            capture_output=True,
            timeout=120,
        )
        return [tool["name"] for tool in json.loads(done.stdout.splitlines()[-1])["result"]["tools"]]


@pytest.fixture
def machine(evercli: Evercli) -> Iterator[Evercli]:
    """Whose servers go with the test."""
    yield evercli
    for place, server in client.running(evercli.home / ".everos"):
        if not client.stop(place, server):
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGKILL)


def claude_code(path: Path, said: str) -> dict[str, Any]:
    lines = [("user", said), ("assistant", [{"type": "text", "text": "Good to know."}])]
    moments = ("2026-05-01T10:00:00Z", "2026-05-01T10:00:05Z")
    rows = [
        {"type": role, "timestamp": at, "message": {"role": role, "content": content}}
        for (role, content), at in zip(lines, moments, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return {"session_id": path.stem, "transcript_path": str(path)}


@POSIX
def test_claude_code_remembers_and_knows(machine: Evercli, tmp_path: Path) -> None:
    (machine.home / ".claude").mkdir()
    assert machine("plugin", "install", "claude-code").code == 0
    host = Host(machine, "claude-code", machine.home / ".claude.json", machine.home / ".claude/settings.json", tmp_path)
    first = claude_code(tmp_path / "first.jsonl", "My cat is called Saffron.")
    assert host.hook("SessionStart", source="startup", **first) == "", "nothing is known yet"
    assert host.tools() == ["mem_search", "mem_context", "mem_save_turn", "mem_save_fact"]
    assert host.hook("UserPromptSubmit", prompt="My cat is called Saffron.", **first) == ""
    for event in ("PreCompact", "SubagentStop", "Stop", "Stop", "SessionEnd"):
        assert host.hook(event, **first) == ""
    for source in ("startup", "resume", "clear", "compact"):
        assert "Saffron" in host.hook("SessionStart", source=source, session_id="second")
    known = host.hook("UserPromptSubmit", session_id="second", prompt="What is my cat called?")
    assert "Saffron" in known
    assert "no instructions" in known
    files = [path.read_text("utf-8") for path in (machine.home / ".everos").rglob("episode-*.md")]
    assert "".join(files).count("### Content\n") == 1, "saved once, however many events told it"
    last = {"session_id": "last", "transcript_path": str(tmp_path / "last.jsonl")}
    begun = (tmp_path / "first.jsonl").read_text("utf-8").splitlines(keepends=True)[0]
    (tmp_path / "last.jsonl").write_text(begun.replace("cat is called Saffron", "boat is called Kestrel"), "utf-8")
    for event in ("Stop", "SessionEnd"):
        assert host.hook(event, **last) == ""
    assert "Kestrel" in host.hook("SessionStart", source="startup", session_id="third"), "its last words had no answer"


@POSIX
def test_hosts_that_keep_no_transcript_are_heard_event_by_event(machine: Evercli, tmp_path: Path) -> None:
    """Cursor and Windsurf; what one was told the other knows."""
    for folder in (".cursor", ".codeium/windsurf"):
        (machine.home / folder).mkdir(parents=True)
    assert machine("plugin", "install", "cursor", "windsurf").code == 0
    surf = machine.home / ".codeium" / "windsurf"
    host = Host(machine, "windsurf", surf / "mcp_config.json", surf / "hooks.json", tmp_path)
    host.hook("pre_user_prompt", trajectory_id="t", tool_info={"user_prompt": "My boat is called Kestrel."})
    host.hook("post_cascade_response", trajectory_id="t", tool_info={"response": "A fine name."})
    cursor = machine.home / ".cursor"
    other = Host(machine, "cursor", cursor / "mcp.json", cursor / "hooks.json", tmp_path)
    said = {"conversation_id": "c", "cursor_version": "3.1", "workspace_roots": [str(tmp_path)]}
    assert "Kestrel" in other.hook("sessionStart", **said)
    other.hook("beforeSubmitPrompt", prompt="My rowing club is in Linz.", **said)
    other.hook("afterAgentResponse", text="Noted.", **said)
    asked = machine("memory", "search", "rowing club", env={"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"})
    assert asked.code == 4, "there is no other server than the vault's own"
    told = machine("hook", "prompt", stdin=json.dumps({"prompt": "Where is my rowing club?"}), env=PATIENT)
    assert "Linz" in told.out


@POSIX
def test_cursor_does_not_hear_a_talk_twice(machine: Evercli, tmp_path: Path) -> None:
    """It runs the hooks of Claude Code, too."""
    said = claude_code(tmp_path / "a.jsonl", "My cat is called Saffron.") | {"cursor_version": "3.1"}
    assert machine("hook", "stop", stdin=json.dumps(said), env=PATIENT).out == ""
    assert not (machine.home / ".everos").exists()

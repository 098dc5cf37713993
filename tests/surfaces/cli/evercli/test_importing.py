"""`evercli import`: transcripts and exports become memories, once, whatever happens on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from evercli import Evercli, session_lines
from serving import Server
from transcripts import ForUser, Own, claude_line, claude_project, episodes, until


@pytest.fixture
def own(server: Server, tmp_path: Path) -> Own:
    return Own(server, tmp_path.name)


@pytest.fixture
def cli(evercli: Evercli, server: Server) -> Evercli:
    return ForUser(evercli.home, {"EVERCLI_API_BASE_URL": server.url})


def _codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-04-02T10:00:01Z", "type": "response_item", "payload": {"type": kind, **payload}}


def _chatgpt(role: str, text: str, at: float) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, "create_time": at}


def test_claude_code_and_codex_with_their_true_times(cli: Evercli, own: Own) -> None:
    claude_project(
        cli.home,
        "aaa",
        [
            {"type": "summary", "summary": "not a message"},
            claude_line("user", "<command-name>/clear</command-name>", "2026-03-01T08:59:00Z"),
            claude_line("user", "My dentist is Dr. Moreau in Lyon.", "2026-03-01T09:00:00Z"),
            claude_line(
                "assistant",
                [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}],
                "2026-03-01T09:00:05Z",
            ),
            claude_line("user", "Internal.", "2026-03-01T09:01:00Z", isMeta=True),
            claude_line("user", "A helper's own talk.", "2026-03-01T09:01:00Z", isSidechain=True),
        ],
        tail='{"type": "user", "mess',
    )
    codex = cli.home / ".codex" / "sessions" / "2026" / "04" / "02"
    codex.mkdir(parents=True)
    rows = [
        {"timestamp": "2026-04-02T10:00:00Z", "type": "session_meta", "payload": {"id": "bbb"}},
        _codex("message", role="user", content=[{"type": "input_text", "text": "<environment_context>x"}]),
        _codex("message", role="user", content=[{"type": "input_text", "text": "I keep my bees near Avignon."}]),
        _codex("function_call", name="shell", arguments='{"cmd": "ls"}', call_id="c1"),
        _codex("function_call_output", output="hive.txt", call_id="c1"),
        _codex("message", role="assistant", content=[{"type": "output_text", "text": "I see your hive file."}]),
    ]
    (codex / "rollout-1.jsonl").write_text(session_lines(rows), encoding="utf-8")
    scanned = {one["platform"]: one for one in cli("import", "scan").data["sources"]}
    assert {name: (one["fileCount"], one["newFiles"]) for name, one in scanned.items()} == {
        "claude-code": (1, 1),
        "codex": (1, 1),
    }
    dry = cli("import", "run", "--dry-run").data
    assert [one["messages"] for one in dry["imports"]] == [2, 4]
    assert episodes(own) == []
    done = cli("import", "run")
    assert [one["messages"] for one in done.data["imports"]] == [2, 4]
    assert done.err == "", "no progress where there is no terminal"
    found = until(own, 2)
    assert [item["timestamp"][:10] for item in found] == ["2026-03-01", "2026-04-02"]
    assert "Moreau" in found[0]["episode"]
    assert "Avignon" in found[1]["episode"]
    told = json.dumps(found)
    assert not any(noise in told for noise in ("Internal.", "helper's own", "command-name", "environment_context"))
    again = cli("import", "run").data
    assert [(one["messages"], one["unchangedFiles"]) for one in again["imports"]] == [(0, 1), (0, 1)]
    forced = cli("import", "run", "--force").data
    assert [one["messages"] for one in forced["imports"]] == [2, 4]
    assert len(episodes(own)) == 2, "the server recognises what it has"


def test_exports_and_markdown(cli: Evercli, own: Own, tmp_path: Path) -> None:
    chatgpt = [
        {
            "conversation_id": "c-1",
            "create_time": 1767261600.5,
            "current_node": "d",
            "mapping": {
                "a": {"parent": None, "message": None},
                "b": {"parent": "a", "message": _chatgpt("user", "My sister Ines plays the oboe.", 1767261600.5)},
                "x": {"parent": "b", "message": _chatgpt("assistant", "An abandoned branch.", 1767261601.0)},
                "d": {"parent": "b", "message": _chatgpt("assistant", "Lovely.", 1767261602.0)},
            },
        }
    ]
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner/conversations.json", json.dumps(chatgpt))
    claude = [
        {
            "uuid": "u-1",
            "created_at": "2026-02-03T10:00:00Z",
            "chat_messages": [
                {"sender": "human", "text": "I learn Basque on Mondays.", "created_at": "2026-02-03T10:00:00Z"},
                {
                    "sender": "assistant",
                    "content": [{"type": "text", "text": "Ongi!"}],
                    "created_at": "2026-02-03T10:01:00Z",
                },
            ],
        }
    ]
    folder = tmp_path / "claude"
    folder.mkdir()
    (folder / "conversations.json").write_text(json.dumps(claude), encoding="utf-8")
    notes = tmp_path / "notes"
    (notes / "private").mkdir(parents=True)
    (notes / "garden.md").write_text("# Garden\n\nI planted three quince trees.\n", encoding="utf-8")
    (notes / "private" / "diary.md").write_text("I am afraid of geese.", encoding="utf-8")
    assert cli("import", "run", "chatgpt", "--path", str(packed)).data["imports"][0]["messages"] == 2
    assert cli("import", "run", "claude", "--path", str(folder)).data["imports"][0]["messages"] == 2
    run = cli("import", "run", "markdown", "--path", str(notes), "--exclude", "private")
    assert run.data["imports"][0]["messages"] == 1
    told = json.dumps(until(own, 3))
    assert all(word in told for word in ("oboe", "Basque", "quince"))
    assert "geese" not in told
    assert "abandoned" not in told


def test_secrets_in_transcripts_stay_on_this_machine(cli: Evercli, own: Own) -> None:
    secret = "ghp_" + "Zq9" * 12
    claude_project(cli.home, "s", [claude_line("user", f"Use {secret} for the deploy.", "2026-03-01T09:00:00Z")])
    cli("import", "run", "claude-code")
    assert secret not in json.dumps(until(own, 1))


def test_bad_input(cli: Evercli, tmp_path: Path) -> None:
    assert cli("import", "run", "claude-code").error["type"] == "plugin_not_detected"
    assert cli("import", "run", "chatgpt", "--path", str(tmp_path / "none")).error["type"] == "not_found"
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"not a zip")
    done = cli("import", "run", "chatgpt", "--path", str(broken))
    assert (done.code, done.error["type"]) == (5, "io")
    assert cli("import", "run").data["imports"] == []
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    (notes / "b.md").write_bytes(b"zero \0 bytes")
    (notes / "c.md").write_text("My \u00dcbersetzer is called Karl.", encoding="utf-8")
    error = cli("import", "run", "markdown", "--path", str(notes)).error
    assert [Path(one["path"]).name for one in error["detail"]["failed"]] == ["a.md", "b.md"]
    assert error["detail"]["imports"][0]["messages"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_progress_is_shown_in_a_terminal_and_only_on_stderr(cli: Evercli) -> None:
    import pty

    claude_project(cli.home, "p", [claude_line("user", "I like fog.", "2026-03-01T09:00:00Z")])
    ours, theirs = pty.openpty()
    done = subprocess.run(
        cli.command("import", "run"),
        env=cli.environment({"TERM": "xterm"}),
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=60,
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert json.loads(done.stdout)["data"]["imports"][0]["messages"] == 1
    assert "1/1" in shown

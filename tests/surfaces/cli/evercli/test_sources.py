"""What `evercli import` finds on a machine, host by host, and what becomes of it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from evercli import Evercli
from serving import Server
from transcripts import ForUser, Own, claude_line, claude_project, until


@pytest.fixture
def cli(evercli: Evercli, server: Server) -> Evercli:
    return ForUser(evercli.home, {"EVERCLI_API_BASE_URL": server.url})


@pytest.fixture
def own(server: Server, tmp_path: Path) -> Own:
    return Own(server, tmp_path.name)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


NOTES = {
    "claude-code": [".claude/CLAUDE.md", ".claude/projects/-home-me-app/memory/MEMORY.md"],
    "codex": [".codex/AGENTS.md"],
    "gemini": [".gemini/GEMINI.md"],
    "cursor": [".cursor/rules/style.mdc"],
    "windsurf": [".codeium/windsurf/memories/global_rules.md"],
    "openclaw": [".openclaw/workspace/USER.md", ".openclaw/workspace/memory/2026-05-01.md"],
}


def test_notes_of_every_host_are_found_and_remembered_without_their_front_matter(cli: Evercli, own: Own) -> None:
    for host, files in NOTES.items():
        for number, name in enumerate(files):
            write(cli.home / name, f"---\nalwaysApply: {host}-yes\n---\nMy lucky number at {host} is {number + 40}.\n")
    write(cli.home / ".openclaw/workspace/skills/other.md", "Not a memory.")
    write(cli.home / ".claude/projects/big.md", "x" * (1 << 21))
    scanned = {one["platform"]: one for one in cli("import", "scan").data["sources"]}
    assert {host: scanned[host]["fileCount"] for host in NOTES} == {host: len(files) for host, files in NOTES.items()}
    assert scanned["claude-code"]["skippedCount"] == 1
    assert {"type", "rootPath", "totalBytes", "sampleTitles", "skippedSamples"} <= set(scanned["codex"])
    done = cli("import", "run").data
    assert {one["platform"]: one["messages"] for one in done["imports"]} == {
        host: len(files) for host, files in NOTES.items()
    }
    upstream = "recordId sourceId objectKey fileCount totalBytes mergedBytes contentHash documentKey idempotencyKey"
    assert set(upstream.split()) <= set(done["imports"][0])
    told = json.dumps(until(own, sum(map(len, NOTES.values()))))
    assert all(f"My lucky number at {host} is 40" in told for host in NOTES)
    assert "alwaysApply" not in told
    assert "Not a memory" not in told


def test_a_transcript_and_the_notes_of_a_project_belong_to_it(cli: Evercli, own: Own, tmp_path: Path) -> None:
    for name in ("tool", "shop"):
        git = tmp_path / name / ".git"
        git.mkdir(parents=True)
        (git / "config").write_text(f'[remote "origin"]\n\turl = git@example.org:me/{name}.git\n', encoding="utf-8")
    said = claude_line("user", "We deploy with the blue button.", "2026-03-01T09:00:00Z", cwd=str(tmp_path / "tool"))
    claude_project(cli.home, "a", [said])
    write(tmp_path / "shop" / "CLAUDE.md", "The till is tested with pytest.")
    done = subprocess.run(
        cli.command("import", "run", "claude-code"),
        env=cli.environment(),
        cwd=tmp_path / "shop",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["data"]["imports"][0]["messages"] == 2
    until(own, 2)
    for project, word in (("example.org--me--tool", "blue button"), ("example.org--me--shop", "till")):
        body = {"user_id": own.user, "query": "how do we deploy and test", "project": project, "top_k": 5}
        found = own.server.client.post("/api/v1/memory/search", json=body).json()["data"]["episodes"]
        assert [word in one["episode"] for one in found] == [True], project

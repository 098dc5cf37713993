"""`everlore index` and `everlore doctor`, on a real vault."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from serving import Api, everlore, running


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with one episode, and no server on it any more."""
    root = tmp_path_factory.mktemp("cli") / "root"
    with running(root) as server:
        api = Api(server.client, root)
        api.tell("s", "I love climbing in Yosemite every spring.")
        api.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="episode")
    # the watcher may have seen the new files only when the server was stopping, and left them to the next one
    assert everlore("index", "sync", root=root).returncode == 0
    return root


def test_status_in_a_pipe_is_plain(vault: Path) -> None:
    done = everlore("index", "status", root=vault)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    pairs = dict(line.split("\t") for line in done.stdout.splitlines())
    assert pairs["vault"] == str(vault)
    assert pairs["episodes"] == "1"
    assert pairs["queued"] == "0"
    assert pairs["changed since"] == "0"


def test_status_tells_of_what_an_empty_index_lacks(vault: Path, tmp_path: Path) -> None:
    root = shutil.copytree(vault, tmp_path / "root")
    (root / ".everlore/index.db").write_bytes(b"x" * 3000)
    files = len(list(root.rglob("*.md")))
    done = everlore("index", "status", root=root)
    assert f"files\t0\nchanged since\t{files}; run: everlore index sync\n" in done.stdout, done.stderr
    assert everlore("index", "sync", root=root).returncode == 0
    assert json.loads(everlore("index", "status", "--json", root=root).stdout)["changed"] == 0


def test_status_as_json(vault: Path) -> None:
    done = everlore("index", "status", "--json", root=vault)
    body = json.loads(done.stdout)
    assert body["vault"] == str(vault)
    assert body["rows"]["episode"] == 1
    assert body["failed"] == 0
    assert body["messages_buffered"] == 0


def test_rebuild_says_what_it_did(vault: Path) -> None:
    done = everlore("index", "rebuild", root=vault)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"rebuilt: \d+ memories\n", done.stdout)
    assert "reading files" in done.stderr
    assert json.loads(everlore("index", "status", "--json", root=vault).stdout)["rows"]["episode"] == 1


def test_reembed_and_sync(vault: Path) -> None:
    done = everlore("index", "reembed", root=vault)
    assert (done.returncode, done.stdout) == (0, "embedded: 0 pieces\n"), done.stderr
    done = everlore("index", "sync", root=vault)
    assert (done.returncode, done.stdout) == (0, "synced: 0 files had changed\n"), done.stderr


def test_doctor_is_content_with_a_sound_vault(vault: Path) -> None:
    done = everlore("doctor", root=vault)
    assert done.returncode == 0, done.stdout
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == {"ok"}
    findings = json.loads(everlore("doctor", "--json", root=vault).stdout)
    assert {finding["level"] for finding in findings} == {"ok"}


def test_doctor_tells_of_what_people_wrote_and_nobody_reads(vault: Path, tmp_path: Path) -> None:
    root = shutil.copytree(vault, tmp_path / "root")
    [day] = root.rglob("episodes/*.md")
    text = day.read_text(encoding="utf-8")
    day.with_name(f"{day.stem} (conflicted copy).md").write_text(text, encoding="utf-8")
    day.with_name("own thoughts.md").write_text("# Mine\n\nNothing of Everlore's.\n", encoding="utf-8")
    day.write_text(f"{text}\n# Later\n\n---\n\nAllergic to peanuts.\n", encoding="utf-8")
    assert everlore("index", "sync", root=root).returncode == 0
    done = everlore("doctor", root=root)
    assert done.returncode == 0, "nothing is broken"
    told = [line.split("\t")[1] for line in done.stdout.splitlines() if line.startswith("warning")]
    line = text.count("\n") + 6
    assert told[0].endswith(f"{day.name}:{line}: text outside the entries is kept, but not searched")
    assert "(conflicted copy).md holds entries and is not read" in told[1]
    assert len(told) == 2


def test_sync_finds_an_edit_and_doctor_names_the_damage(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with running(root) as server:
        api = Api(server.client, root)
        api.tell("s", "I love climbing in Yosemite every spring.")
        file = api.files("users/alice/episodes/*.md")[0]
    file.write_text(file.read_text(encoding="utf-8").replace("### Content", "### Contents"), encoding="utf-8")
    done = everlore("index", "sync", root=root)
    assert done.stdout == "synced: 1 files had changed\n", done.stderr
    done = everlore("doctor", root=root)
    assert done.returncode == 1
    assert any(line.startswith("error\t") and file.name in line for line in done.stdout.splitlines())
    assert done.stderr == ""

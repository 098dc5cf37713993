"""`everlore curate` with commands that answer well, badly, late or not at all."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from serving import Api, everlore, running

ANSWERS = {
    "good": """
text = sys.stdin.read()
data = json.loads(text[text.index("\\n\\n{") + 2:])
facts = [{"text": f"Alice told: {turn['text']}", "turns": [turn["turn"]]} for turn in data["turns"]]
print("Here it is:\\n```json\\n" + json.dumps({"facts": facts}) + "\\n```")
""",
    "wrapped": """
print(json.dumps({"type": "result", "result": json.dumps({"title": "I play the violin", "facts": []})}))
""",
    "silent": "print('I would rather not.')",
    "failing": "sys.exit('no credit left')",
    "late": "import time; time.sleep(60)",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("curate") / "root"
    with running(root) as server:
        api = Api(server.client, root, "default", "default")
        api.tell("a", "I play the violin.")
        api.tell("b", "I live in Linz.", at=1_780_100_000_000)
    return root


def answering(folder: Path, how: str) -> str:
    script = folder / f"{how}.py"
    script.write_text(f"import json, sys\n{ANSWERS[how]}", encoding="utf-8")
    return shlex.join([sys.executable, str(script)])


def test_drafts_are_shown_reviewed_and_put_back(template: Path, tmp_path: Path) -> None:
    command = answering(tmp_path, "good")
    trial = everlore("curate", "--with", command, "--user", "alice", "--dry-run", root=template)
    assert (trial.returncode, trial.stdout.count("+ Alice told: I ")) == (0, 2)
    assert "2 reviewed, 0 failed" in trial.stderr
    assert "2 of alice wait" in trial.stderr
    first = everlore("curate", "--with", command, "--user", "alice", "--limit", "1", "--json", root=template)
    done = json.loads(first.stdout)
    assert (first.returncode, done["state"]) == (0, "curated")
    second = everlore("curate", "--with", command, "--user", "alice", root=template)
    assert "0 of alice wait" in second.stderr
    undone = everlore("curate", "--user", "alice", "--undo", done["id"], root=template)
    assert (undone.returncode, "(drafted)" in undone.stdout) == (0, True)


def test_an_answer_inside_an_answer_is_found(template: Path, tmp_path: Path) -> None:
    command = answering(tmp_path, "wrapped")
    done = everlore("curate", "--with", command, "--user", "alice", "--dry-run", "--limit", "1", root=template)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("how", "says"),
    [("silent", "printed no JSON object"), ("failing", "no credit left"), ("late", "did not answer within 1 seconds")],
)
def test_a_command_that_fails_costs_nothing(template: Path, tmp_path: Path, how: str, says: str) -> None:
    everlore("curate", "--with", answering(tmp_path, "good"), "--user", "alice", root=template)
    [day] = (template / "default_app/default_project/users/alice/episodes").glob("*28.md")
    known = f"alice_{day.read_text(encoding='utf-8').partition('entry:')[2].partition(' ')[0]}"
    everlore("curate", "--user", "alice", "--undo", known, root=template)
    before = day.read_bytes()
    command = answering(tmp_path, how)
    done = everlore("curate", "--with", command, "--user", "alice", "--timeout", "1", root=template)
    assert (done.returncode, says in done.stderr) == (1, True), done.stderr
    assert "1 failed" in done.stderr
    assert day.read_bytes() == before


def test_without_any_model_it_says_what_to_do(template: Path) -> None:
    done = everlore("curate", root=template)
    assert done.returncode != 0
    assert "--with" in done.stderr

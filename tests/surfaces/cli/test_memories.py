"""A person at a terminal, with no server running: the sentence that answers, and whether it still holds."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from serving import clean_env, everlore


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("people") / "root"
    for text in ("I live in Vienna.", "I moved to Graz yesterday.", "My dentist is Dr. Huber in the Herrengasse."):
        done = everlore("add", text, root=root)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("Remembered.\n  ")
    return root


def test_the_sentence_that_answers_is_printed_and_the_past_is_marked(vault: Path) -> None:
    done = everlore("search", "where do I live?", root=vault)
    first, below, second, ended, *_ = done.stdout.splitlines()
    assert first == "I moved to Graz yesterday."
    assert "today" in below
    assert (second, "ended " in ended, "Graz" in ended) == ("I live in Vienna.", True, True)
    assert "\x1b" not in done.stdout


def test_in_a_terminal_the_words_of_the_question_stand_out(vault: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no pty")
    ours, theirs = pty.openpty()
    env = clean_env(vault) | {"TERM": "xterm-256color"}
    done = subprocess.run([sys.executable, "-m", "everlore", "search", "dentist"], stdout=theirs, env=env, check=False)
    os.close(theirs)
    shown = b""
    with suppress(OSError):
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert done.returncode == 0
    assert b"\x1b[1;32mdentist" in shown


def test_why_is_told_on_demand(vault: Path) -> None:
    assert "score" not in everlore("search", "dentist", root=vault).stdout
    assert "score 0." in everlore("search", "-v", "dentist", root=vault).stdout


def test_a_script_gets_json(vault: Path) -> None:
    [first, *_] = json.loads(everlore("search", "dentist", "--json", "-n", "1", root=vault).stdout)
    assert first["kind"] == "episode"
    assert "Huber" in first["passages"][0]["text"] if "passages" in first else "Huber" in first["text"]


def test_nothing_found_says_whose_memories_were_searched(vault: Path) -> None:
    done = everlore("search", "dentist", "--user", "bob", root=vault)
    assert done.returncode == 1
    assert "memories of 'bob'" in done.stdout
    assert "default" in done.stdout


def test_the_past_can_be_asked(vault: Path) -> None:
    told = everlore("history", root=vault).stdout
    assert any("Vienna" in line and "(until " in line for line in told.splitlines())
    assert "Vienna" not in everlore("history", "--as-of", "2020-01-01", root=vault).stdout
    wrong = everlore("history", "--as-of", "last week", root=vault)
    assert (wrong.returncode, "is not an ISO-8601 time" in wrong.stderr) == (1, True)


def test_a_memory_is_listed_shown_and_forgotten(vault: Path) -> None:
    line = next(line for line in everlore("log", root=vault).stdout.splitlines() if "dentist" in line.lower())
    found = line.split()[1]
    shown = everlore("show", found, root=vault).stdout
    assert "Herrengasse" in shown
    assert ".md" in shown
    kept = everlore("forget", found, root=vault)
    assert (kept.returncode, "Nothing was forgotten" in kept.stderr) == (1, True)
    assert everlore("forget", found, "--yes", root=vault).stdout.startswith("Forgotten: ")
    assert "Herrengasse" not in "".join(path.read_text(encoding="utf-8") for path in vault.rglob("*.md"))


def test_users_and_rules_are_listed(vault: Path) -> None:
    assert list(json.loads(everlore("users", "--json", root=vault).stdout)) == ["default"]
    assert everlore("rules", root=vault).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", "  "], "say what to look for"),
        (["add", "-"], "nothing to remember"),
        (["show", "x"], "no memory 'x'"),
    ],
)
def test_what_cannot_be_done_is_explained(vault: Path, arguments: list[str], says: str) -> None:
    done = everlore(*arguments, root=vault)
    assert (done.returncode, says in done.stderr) == (1, True), done.stderr

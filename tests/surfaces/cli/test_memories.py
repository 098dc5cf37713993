"""A person at a terminal, with no server running: the sentence that answers, and whether it still holds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commanding import about, in_terminal
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
    assert "\x1b[1;32mdentist" in in_terminal(vault, "search", "dentist")
    assert "\x1b[1;32m" not in in_terminal(vault, "search", "dentist", NO_COLOR="1")


def test_a_long_list_in_a_terminal_is_shown_in_pages(vault: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho A PAGER\ncat\n", encoding="utf-8")
    pager.chmod(0o755)
    assert "A PAGER" not in in_terminal(vault, "log", PAGER=str(pager), LINES="24")
    paged = in_terminal(vault, "log", PAGER=str(pager), LINES="2")
    assert "A PAGER" in paged
    assert "dentist" in paged
    assert "A PAGER" not in in_terminal(vault, "log", PAGER="", LINES="2")


def test_why_is_told_on_demand(vault: Path) -> None:
    assert "score" not in everlore("search", "dentist", root=vault).stdout
    assert "score 0." in everlore("search", "-v", "dentist", root=vault).stdout


def test_a_script_gets_json(vault: Path) -> None:
    [first, *_] = json.loads(everlore("search", "dentist", "--json", "-n", "1", root=vault).stdout)
    assert first["kind"] == "episode"
    assert "Huber" in first["passages"][0]["text"] if "passages" in first else "Huber" in first["text"]


def test_where_nothing_fits_that_is_said_before_the_nearest(vault: Path) -> None:
    nothing, *nearest = everlore("search", "who is the king of France?", root=vault).stdout.splitlines()
    assert nothing == "Nothing fits well. The nearest:"
    assert nearest
    assert not any(row["fits"] for row in json.loads(everlore("search", "king of France", "--json", root=vault).stdout))
    for question in ("where do I live?", "dentist Herrengasse"):
        [first, *_] = json.loads(everlore("search", question, "--json", root=vault).stdout)
        assert first["fits"]
        told = everlore("search", question, root=vault).stdout
        assert "Nothing fits" not in told
        assert told.index("These fit less well:") > 0, "not everything that was told is about that"


def test_nothing_found_says_whose_memories_were_searched(vault: Path) -> None:
    done = everlore("search", "dentist", "--user", "bob", root=vault)
    assert done.returncode == 1
    assert "memories of 'bob'" in done.stdout
    assert "default" in done.stdout
    meant = everlore("search", "dentist", "--user", "defualt", root=vault)
    assert "Did you mean --user default?" in meant.stdout


def test_the_past_can_be_asked(vault: Path) -> None:
    told = everlore("history", root=vault).stdout
    [past] = [line for line in told.splitlines() if "Vienna" in line and "(until " in line]
    assert past.split()[1] in everlore("show", past.split()[1], root=vault).stdout
    assert "Vienna" not in everlore("history", "--as-of", "2020-01-01", root=vault).stdout
    wrong = everlore("history", "--as-of", "last week", root=vault)
    assert (wrong.returncode, "is no day, such as" in wrong.stderr) == (1, True)


def test_a_memory_is_listed_shown_forgotten_and_brought_back(vault: Path) -> None:
    found = about(vault, "dentist")
    shown = everlore("show", found, root=vault).stdout
    assert "Herrengasse" in shown
    assert ".md" in shown
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    kept = everlore("forget", found, root=vault)
    assert (kept.returncode, "Nothing was forgotten" in kept.stderr) == (1, True)
    assert "Huber in the Herrengasse" in kept.stderr
    asked = in_terminal(vault, "forget", found, typed="n\n")
    assert "Nothing was forgotten" in asked
    done = everlore("forget", found, "--yes", root=vault)
    assert done.stdout.startswith("Forgotten: 2, with what was made of them.\nFor 30 days `everlore undo ")
    assert "Herrengasse" not in "".join(path.read_text(encoding="utf-8") for path in vault.rglob("*.md"))
    [row] = json.loads(everlore("undo", "--json", root=vault).stdout)
    assert "Huber" in row["text"]
    assert everlore("undo", row["id"], root=vault).stdout.startswith("Back: ")
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
    assert everlore("undo", root=vault).stdout.startswith("The bin is empty.")


def test_what_a_forgotten_memory_had_ended_is_told_and_may_hold_again(vault: Path) -> None:
    gone = in_terminal(vault, "forget", about(vault, "Graz"), typed="y\n")
    assert "stays ended: User lives in Vienna." in gone
    assert "Still ended: User lives in Vienna." in gone
    assert "(until " in everlore("history", root=vault).stdout
    assert (
        everlore("undo", about(vault, "Vienna", "history"), root=vault).stdout == "Holds again: User lives in Vienna.\n"
    )
    assert "(until " not in everlore("history", root=vault).stdout
    everlore("undo", json.loads(everlore("undo", "--json", root=vault).stdout)[0]["id"], root=vault)


@pytest.mark.parametrize("listed", ["log", "history", "people", "sessions", "users", "cases", "rules", "undo"])
def test_lists_are_text_and_json(vault: Path, listed: str) -> None:
    told, data = (everlore(listed, *more, root=vault) for more in ([], ["--json"]))
    assert told.stdout.strip()
    assert bool(json.loads(data.stdout)) == (listed not in ("cases", "rules", "undo"))
    assert told.stderr == data.stderr == ""


def test_rules_are_lines(tmp_path: Path) -> None:
    root = tmp_path / "root"
    everlore("add", "Never use tabs in my Python files.", root=root)
    told, data = (everlore("rules", *more, root=root) for more in ([], ["--json"]))
    assert told.stdout == "Never use tabs in my Python files.\n"
    assert json.loads(data.stdout) == ["Never use tabs in my Python files."]


def test_what_is_learnt_is_shown_as_it_happens(vault: Path) -> None:
    command = [sys.executable, "-m", "everlore", "tail", "--json"]
    process = subprocess.Popen(command, env=clean_env(vault), stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert process.stdout is not None
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(process.stdout.readline() if process.stdout else ""))
    reader.start()
    for number in range(60):  # until it listens
        everlore("add", f"My locker has the number {number}.", root=vault)
        reader.join(2.0)
        if not reader.is_alive():
            break
    assert "locker" in json.loads(found[0])["text"]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.stdout.close()


def test_a_shell_is_told_users_ids_and_sessions(vault: Path) -> None:
    def offered(*words: str) -> list[str]:
        line = " ".join(["everlore", *words])
        env = {"_EVERLORE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
        return everlore(root=vault, env=env).stdout.split()

    assert offered("log", "--user", "de") == ["default"]
    assert about(vault, "dentist") in offered("show", "default_ep_")
    assert offered("log", "--session", "nothing-begins-so") == []


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

"""The part of an output that is worth keeping."""

from __future__ import annotations

import json
from functools import partial

import pytest
from growth import assert_linear
from runs import HELPER, does, session, user

from everlore.extract.agent.case import tasks_of, write_case
from everlore.extract.agent.outcome import GIST, Outcome, outcome_of
from everlore.kinds.case import Case
from everlore.types import Cell, Message

# -- the steps


def written(cell: Cell) -> Case:
    [task] = tasks_of(cell, HELPER)
    return write_case(task, cell, HELPER, "ac_1")


def steps(*parts: list[Message]) -> list[str]:
    return written(session(*parts)).approach.splitlines()


LOG = "\n".join(f"2026-11-09 02:{minute:02d}:11 INFO batch {minute} of the import" for minute in range(60))


PAGE = "<!DOCTYPE html><html><head><title>Rules</title><style>p{}</style></head><p>Article&nbsp;7</p>"


COMPILED = "error[E0432]: unresolved import `a`\nerror: could not compile `b` due to 1 previous error"


DENIED = "permission denied while trying to connect to the Docker daemon socket"


def ended(text: str, status: int) -> str:
    return json.dumps({"output": text, "metadata": {"exit_code": status}})


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("....\n12 passed in 0.61s", "ok: 12 passed in 0.61s"),
        ("ok", "ok"),
        ("Done.", "ok"),
        ('{"success": true}', "ok"),
        (f"{LOG}\n2026-11-09 03:00 the import ended", "2026-11-09 03:00 the import ended"),
        (PAGE, "ok: Rules Article 7"),
        (ended("disk.go:88:2: unreachable code\n", 1), "error: disk.go:88:2: unreachable code"),
        (ended("ok  acme/storage 0.4s\n", 0), "ok: ok acme/storage 0.4s"),
        (ended("", 2), "error: exit status 2"),
        (json.dumps({"content": [{"type": "text", "text": "No such user"}], "isError": True}), "error: No such user"),
        (DENIED, f"error: {DENIED}"),
        ("valve did not respond", "error: valve did not respond"),
        ('{"errors": {"assignee": "no such user"}}', "error: assignee: no such user"),
        (COMPILED, "error: error[E0432]: unresolved import `a`"),
    ],
)
def test_the_telling_part_of_an_output_is_kept(output: str, told: str) -> None:
    line = steps(user("Do the thing"), does("run_it", output))[0]
    assert line.endswith(f"{'' if told.startswith('2026') else '`: '}{told}")
    assert len(line) <= GIST + 30


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Traceback (most recent call last):\n  x\nKeyError: 'id'", "KeyError: 'id'"),
        ("Error: it broke\nat line 3", "it broke"),
        (
            "============\nE   ModuleNotFoundError: No module named 'stripe'\n=== 1 error in 0.1s ===\nexit code 1",
            "ModuleNotFoundError: No module named 'stripe'",
        ),
        (
            "Traceback (most recent call last):\n  x\nKeyError: 'a'\n\nDuring handling:\n\nTraceback (most recent call "
            "last):\n  y\napp.ConfigError: no key a\nexit code 1",
            "app.ConfigError: no key a",
        ),
        (
            "cc main.c\nmain.c:3:5: error: unknown type name 'foo'\nmake: *** [all] Error 2",
            "main.c:3:5: error: unknown type name 'foo'",
        ),
        (
            "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree",
            "npm ERR! ERESOLVE unable to resolve dependency tree",
        ),
        (json.dumps({"exit_code": 1, "stdout": "", "stderr": "Traceback\nValueError: bad"}), "ValueError: bad"),
        (
            json.dumps({"returncode": 1, "output": "x\nE: Unable to locate package foo"}),
            "E: Unable to locate package foo",
        ),
        (json.dumps({"status": "declined", "reason": "insufficient funds"}), "insufficient funds"),
        ("Exit code: 1\nWall time: 1s\nOutput:\npsql: error: connection refused", "psql: error: connection refused"),
        ("building\nexit code 3", "exit code 3"),
    ],
)
def test_the_line_that_tells_most(output: str, line: str) -> None:
    assert outcome_of(output, "runs") == Outcome("error", line, proven=True)


def test_a_result_is_bounded() -> None:
    assert len(outcome_of("Error: " + "long " * 1000).told) <= 300
    assert len(outcome_of("fine " * 1000).told) <= 300


@pytest.mark.parametrize("run", ["a ", "error ", "x:", "no 0 failed\n", ": "])
def test_a_huge_output_is_read_in_linear_time(run: str) -> None:
    def read(text: str) -> None:
        for manner in ("looks", "answers", "runs"):
            outcome_of(text, manner)

    assert_linear(lambda size: partial(read, run * (size // len(run))), 100_000)

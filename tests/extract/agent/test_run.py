"""The calls of a run with their results."""

from __future__ import annotations

import json
from typing import Any

import pytest
from trajectories import call, turn, written

from everlore.extract.agent.run import short_arguments

# -- the way


def test_equal_calls_in_a_row_are_told_once() -> None:
    tries = [
        message
        for number, output in enumerate(["Error: timed out", "Error: timed out", "12 rows"])
        for message in (
            turn("assistant", "", call(str(number), "query", sql="select 1")),
            turn("tool", output, to=str(number)),
        )
    ]
    result = written(turn("user", "Count the rows"), *tries)
    assert result.approach == "1. `query(sql=select 1)`: ok: 12 rows (3 tries, failed with timed out)"
    assert result.key_insight is None, "nothing that can be seen made the difference"


def test_results_without_a_call_are_no_tries_of_each_other() -> None:
    result = written(turn("user", "Go"), turn("tool", "one", to="x"), turn("tool", "two", to="y"))
    assert result.approach.splitlines() == ["1. `tool()`: ok: one", "2. `tool()`: ok: two"]


def test_results_find_their_calls_in_any_order() -> None:
    result = written(
        turn("assistant", "", call("a", "first"), call("b", "second"), call("c", "third")),
        turn("tool", "two", to="b"),
        turn("tool", "one", to="a"),
        turn("tool", "stray", to="unknown"),
    )
    assert result.approach.splitlines() == [
        "1. `first()`: ok: one",
        "2. `second()`: ok: two",
        "3. `third()`: no result",
        "4. `tool()`: ok: stray",
    ]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"from": "BER", "n": 2, "deep": {"a": [1]}}', 'from=BER, n=2, deep={"a": [1]}'),
        ("{broken", "{broken"),
        ("", ""),
        (None, ""),
        ({"a": "b"}, "a=b"),
        ([1, "x"], "1, x"),
        ("[1, 2]", "1, 2"),
        ("7", "7"),
        (7, "7"),
        ('{"text": "line\\nline"}', "text=line line"),
    ],
)
def test_arguments_of_every_form_are_read(arguments: Any, shown: str) -> None:
    assert short_arguments(arguments) == shown


def test_arguments_are_shortened() -> None:
    assert len(short_arguments(json.dumps({str(n): "x" * 500 for n in range(50)}))) <= 200

"""The tools by name."""

from __future__ import annotations

import inspect

from everlore.content import arguments, tools


def test_every_tool_takes_one_shape_of_arguments() -> None:
    assert len(tools.TOOLS) == 14
    for name, function in tools.TOOLS.items():
        *_, given = inspect.signature(function, eval_str=True).parameters.values()
        assert issubclass(given.annotation, arguments.Arguments), name

"""What commands share."""

from __future__ import annotations

import pytest
import typer

from everlore.surfaces.cli.commands import TARGETS, command


def test_a_command_that_fails_ends_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(TARGETS)

    @command(typer.Typer(), "says", "cli.output:show_line", "everlore says hello")
    def says(text: str) -> None:
        """Say something."""

    assert TARGETS[says] == "cli.output:show_line"
    says(text="hello")
    monkeypatch.setattr("everlore.surfaces.cli.output.show_line", lambda text: False)
    with pytest.raises(typer.Exit) as ended:
        says(text="hello")
    assert ended.value.exit_code == 1
    TARGETS.clear()
    TARGETS.update(known)

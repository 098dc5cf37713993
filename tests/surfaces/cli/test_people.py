"""The words of the commands for people."""

from __future__ import annotations

from everlore.surfaces.cli.people import commands


def test_every_command_says_what_it_does_and_shows_an_example() -> None:
    for command in commands.registered_commands:
        assert command.callback is not None
        assert (command.callback.__doc__ or "").strip()
        assert "everlore " in (command.epilog or "")

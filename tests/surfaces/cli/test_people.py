"""The words of the commands for people."""

from __future__ import annotations

from everlore.surfaces.cli import people
from everlore.surfaces.cli.main import app


def test_every_command_says_what_it_does_and_shows_an_example() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        assert (command.callback.__doc__ or "").strip()
        assert "everlore " in (command.epilog or "")


def test_what_people_do_every_day_comes_first_in_the_help() -> None:
    modules = [getattr(command.callback, "__module__", "") for command in app.registered_commands]
    assert modules[0] == people.__name__
    assert sorted(modules, key=lambda name: name != people.__name__) == modules

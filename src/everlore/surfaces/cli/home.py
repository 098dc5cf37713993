"""`everlore` alone, and `everlore import`: what is known of whoever calls it, and what their agents have kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from everlore.background.place import place_of
from everlore.errors import EverloreError
from everlore.me import display_name
from everlore.surfaces.cli import output
from everlore.surfaces.cli.asking import asking
from everlore.surfaces.cli.evercli.arguments import read_line
from everlore.surfaces.cli.evercli.commands import dispatch
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.types import Json


def home() -> None:
    """Asks nothing: offers what could be taken in, and ends with what is known."""
    with asking() as ask:
        known = ask("known")
    output.show_cells((f"Everlore remembers for {display_name()}, in {place_of().root}.", "bold"))
    if kept := [one for one in _kept() if one["newFiles"]]:
        output.show_line("\nAgents on this machine have kept talks that are not here yet:")
        for one in kept:
            output.show_cells(
                (f"{one['platform']:<12}", "cyan"), (f"{one['newFiles']} files", ""), (one["rootPath"], "dim"), indent=2
            )
        _show_next("everlore import", "takes them in")
    _show_known(known)
    if not known["talks"]:
        _show_next("everlore add 'I live in Vienna.'", "tells the first thing")
        _show_next("evercli plugin install --help", "lets an agent remember, Claude Code for example")
    _show_next("everlore search 'where do I live?'", "asks")
    _show_next("everlore --help", "has all commands")


def take_in(*, force: bool, dry_run: bool) -> bool:
    """What agents have kept. True when all of it could be read."""
    words = ["import", "run", *(["--force"] if force else []), *(["--dry-run"] if dry_run else [])]
    try:
        output.show_line(dispatch(read_line([*words, "--format", "text"])).text)
    except Failure as failure:
        output.show_line(failure.report or "")
        raise EverloreError(f"{failure.message}; {failure.hint}") from None
    if not dry_run:
        with asking() as ask:
            _show_known(ask("known"))
    return True


def _kept() -> list[Mapping[str, Json]]:
    """What could be taken in; nothing where that cannot be told."""
    with suppress(Failure, OSError):
        return list(dispatch(read_line(["import", "scan", "--format", "text"])).data["sources"])
    return []


def _show_known(known: Mapping[str, Json]) -> None:
    output.show_line("\nHere is what I know of you:")
    for line in known["about"]:
        output.show_cells((line, "green"), indent=2)
    counted = [(known["talks"], "talks"), (known["rules"], "rules"), (known["waiting"], "messages that wait")]
    told = ", ".join(f"{number} {what}" for number, what in counted if number)
    output.show_cells((told or "Nothing yet.", "dim"), indent=2)
    output.show_line("")


def _show_next(command: str, what: str) -> None:
    output.show_cells((f"{command:<36}", "bold"), (what, "dim"))

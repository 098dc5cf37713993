"""Changes of hosts' files, worked out in memory before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from everlore.surfaces.cli.evercli.failure import Failure, unusable
from everlore.surfaces.cli.evercli.files import BACKUP, read_bytes, remove_file, replace_file
from everlore.types import Json

WHOLE: Final = ("hooks", "plugin", "skill")
"""Files that may be ours as a whole, and then go."""


class Change(NamedTuple):
    path: Path
    what: str
    of: Callable[[str], str]


@dataclass(frozen=True)
class Edit:
    """One file: what it held and what it is to hold. `what` says which part is ours."""

    path: Path
    before: bytes | None
    after: bytes
    what: str

    @property
    def action(self) -> str:
        if self.before is None:
            return "create" if self.after else "unchanged"
        if self.before and not self.after and self.what in WHOLE:
            return "remove"
        return "unchanged" if self.before == self.after else "update"


def plan(changes: Iterable[Change]) -> list[Edit]:
    """One edit for each file, in the order of their first changes."""
    edits: dict[Path, Edit] = {}
    for path, what, change in changes:
        known = edits.get(path)
        text = text_of(path) if known is None else known.after.decode()
        after = change(text).encode("utf-8")
        if known is None:
            edits[path] = Edit(path, read_bytes(path), after, what)
        else:
            edits[path] = replace(known, after=after, what=f"{known.what}, {what}")
    return list(edits.values())


def text_of(path: Path) -> str:
    try:
        return (read_bytes(path) or b"").decode("utf-8")
    except UnicodeDecodeError:
        hint = "Convert the file to UTF-8, then run the command again"
        raise unusable(path, f"{path} is not UTF-8; it was left as it is", hint) from None


def apply(edits: list[Edit]) -> None:
    written: list[Json] = []
    for edit in edits:
        if edit.action == "unchanged":
            continue
        secret = b"EVERME_AGENT_TOKEN" in edit.after or b"EVERME_AGENT_TOKEN" in (edit.before or b"")
        try:
            if edit.action == "remove":
                remove_file(edit.path)
            else:
                replace_file(edit.path, edit.before, edit.after, private=secret)
        except Failure as failure:
            if written:
                failure.message += f" (written before that: {', '.join(written)})"
                failure.with_detail(written=written)
            raise
        written.append(str(edit.path))


def told(edits: list[Edit], *, show_diff: bool) -> list[dict[str, Json]]:
    """For the report of a command."""
    return [
        {
            "path": str(edit.path),
            "what": edit.what,
            "action": edit.action,
            "backup": f"{edit.path}{BACKUP}" if edit.action == "update" else "",
            **({"diff": "\n".join(_diff(edit))} if show_diff else {}),
        }
        for edit in edits
    ]


def _diff(edit: Edit) -> Iterator[str]:
    import difflib

    old, new = (edit.before or b"").decode(), edit.after.decode()
    name = str(edit.path)
    return difflib.unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="", n=2)

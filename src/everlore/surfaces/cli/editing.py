"""`everlore edit`: a memory in the person's own editor, and nothing lost when somebody else changes it meanwhile."""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from everlore.errors import Conflict, EverloreError, InvalidInput, Misconfigured
from everlore.surfaces.cli import output
from everlore.surfaces.cli.asking import Asker, asking


def edit(id_: str, user: str | None) -> bool:
    """True unless somebody was quicker."""
    with asking(user) as ask:
        seen = ask("source", id_=id_)
        folder = Path(tempfile.mkdtemp(prefix="everlore-edit-"))
        file = folder / f"{Path(seen['path']).stem}.md"
        file.write_text(seen["text"], encoding="utf-8")
        _run_editor(file)
        text = file.read_text(encoding="utf-8")
        if text.strip() == seen["text"].strip():
            output.note("Nothing was changed.")
        else:
            try:
                ask("edit", changes=True, id_=id_, version=seen["version"], text=text)
            except Conflict as error:
                _show_theirs(ask, id_, seen["text"])
                output.note(f"error: {error}\nWhat you wrote is kept in {file}")
                return False
            except EverloreError:
                output.note(f"What you wrote is kept in {file}")
                raise
            output.show_line(f"Changed: {seen['path']}")
        file.unlink()
        folder.rmdir()
    return True


def _run_editor(file: Path) -> None:
    default = "notepad" if sys.platform == "win32" else "vi"
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or default, posix=sys.platform != "win32")
    try:
        code = subprocess.run([*words, str(file)], check=False).returncode
    except OSError as error:
        raise Misconfigured(f"the editor {words[0]!r} cannot be run ({error}): set EDITOR to one that can") from None
    if code:
        raise InvalidInput(f"{words[0]} ended with exit code {code}, so nothing was changed")


def _show_theirs(ask: Asker, id_: str, before: str) -> None:
    """What somebody else changed since."""
    now = ask("source", id_=id_)
    lines = difflib.unified_diff(
        before.splitlines(), now["text"].splitlines(), "as you saw it", now["path"], lineterm=""
    )
    for line in lines:
        output.show_cells((line, {"+": "green", "-": "red"}.get(line[0], "dim")))

"""Programs of this installation as hosts start them: by files that stay where they are, wherever Everlore moves."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli.files import read_bytes, replace_file

PROGRAMS: Final = ("everlore", "evercli")
LAUNCHER: Final = """#!/bin/sh
# Written by evercli: hosts start this, so their entries stay good when Everlore moves.
if [ -x {first} ]; then exec {command} "$@"; fi
if command -v {name} >/dev/null 2>&1; then exec {name} "$@"; fi
echo "error: Everlore is not where it was; run: evercli doctor" >&2
exit 127
"""
HAS_SHELL: Final = sys.platform != "win32"


def program(name: str) -> list[str]:
    """How to start a program of this installation from anywhere: hosts do not know our virtual environment."""
    import shutil

    for folder in (Path(sys.argv[0]).resolve().parent, Path(sys.executable).parent):
        for file in (folder / name, folder / f"{name}.exe"):
            if file.is_file() and os.access(file, os.X_OK):
                return [str(file)]
    found = shutil.which(name)
    if found:
        return [str(Path(found).absolute())]
    module = "everlore" if name == "everlore" else "everlore.surfaces.cli.evercli"
    return [sys.executable, "-m", module]


def launcher(folder: Path, name: str) -> list[str]:
    """What hosts start."""
    return [str(folder / name)] if HAS_SHELL else program(name)


def write_launchers(folder: Path) -> bool:
    """Whether one of them had to be written: there was none, or Everlore was elsewhere."""
    written = False
    for name in PROGRAMS if HAS_SHELL else ():
        words = program(name)
        text = LAUNCHER.format(first=shlex.quote(words[0]), command=shlex.join(words), name=name)
        path = folder / name
        if read_bytes(path) != text.encode() or not os.access(path, os.X_OK):
            replace_file(path, None, text.encode(), private=False, shared=False)
            path.chmod(0o755)
            written = True
    return written

"""Entry point. An interrupt is answered like any other failure, also while the program is still being imported."""

from __future__ import annotations

import importlib
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

PROGRAM = "everlore.surfaces.cli.evercli.commands"
HOOK = "everlore.surfaces.cli.evercli.hook"
"""Hosts wait for it: what it can do without the rest of the program, it does without."""


def run() -> NoReturn:
    """The console script."""
    signal.signal(signal.SIGINT, _interrupt)  # also where a shell started us in the background, with SIGINT ignored
    signal.signal(signal.SIGTERM, _interrupt)
    program: Any
    try:
        if sys.argv[1:2] == ["hook"]:
            importlib.import_module(HOOK).quick(sys.argv[2:])
        program = importlib.import_module(PROGRAM)
        code = program.main(sys.argv[1:])
    except KeyboardInterrupt:
        # from here on there is only the answer to write; a second Ctrl-C must not cut it in two
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        program = importlib.import_module(PROGRAM)
        code = program.cancelled(sys.argv[1:])
    sys.exit(code)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt

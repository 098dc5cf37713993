"""What a process does that is killed while it reviews a draft, or takes a review back."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from crash_driver import CALLS
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says

from everlore.engine import Engine
from everlore.memory import curate, flush, remember, review, undo_curation

REPLY = {
    "title": "Alice's move to Graz",
    "facts": [{"text": "Alice lives in Graz.", "turns": [1]}],
    "rules": [{"text": "Never book flights before 9:30 for Alice.", "turns": [2]}],
}


def tell(engine: Engine) -> None:
    for number, texts in enumerate([["I live in Vienna."], ["I moved to Graz.", "Never book flights before 9:30."]]):
        at = MAY_28 + number * DAY
        remember(engine, SCOPE, str(number), [says(text, at=at + n) for n, text in enumerate(texts)])
        flush(engine, SCOPE, str(number))


def review_and_die(operation: Literal["curate", "undo"], step: int, root: Path, url: str, log: Path) -> None:
    """Do one thing and be killed before its step number so and so; with 0, count the steps instead."""
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    engine = open_vault(root, url)
    [item] = review(engine, ALICE)
    if operation == "undo":
        curate(engine, ALICE, item.id, item.lease, REPLY, "tests")
    taken = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal taken
        if event == "c_call" and getattr(argument, "__name__", "") in CALLS:
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    if operation == "curate":
        curate(engine, ALICE, item.id, item.lease, REPLY, "tests")
    else:
        undo_curation(engine, ALICE, item.id)
    sys.setprofile(None)
    engine.close()
    (root / "steps").write_text(str(taken), encoding="utf-8")

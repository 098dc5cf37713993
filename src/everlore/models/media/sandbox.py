"""Parsing a payload in a process of its own, so that a bad file can take down nothing but its own parser.

The child gets the bytes on its standard input and a bare environment (no keys, no settings), limits its own memory,
time and rights (`child.py`), and answers with one JSON object. Whatever else happens to it is a reason to refuse
the content, never an error of the server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia
from everlore.models.media.formats import Format

_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LANG", "LC_ALL", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "VIRTUAL_ENV")
_ADDED = {
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "2",
    "OMP_THREAD_LIMIT": "2",
    "MALLOC_ARENA_MAX": "2",  # else glibc reserves address space for every thread, which the limit counts
    "HF_HUB_OFFLINE": "1",
    "ORT_DISABLE_TELEMETRY": "1",
}
GRACE_SECONDS = 5.0
"""The child ends itself when its time is over; it is killed when it does not."""


def parse(label: str, form: Format, raw: bytes, settings: MultimodalSection) -> str:
    """The text in a payload. Raises UnsupportedMedia with a reason for people."""
    answer = _run(form, raw, settings)
    if "text" in answer:
        return str(answer["text"])
    raise UnsupportedMedia(f"{label}: {answer['refused']}")


def _run(form: Format, raw: bytes, settings: MultimodalSection) -> dict[str, Any]:
    seconds = settings.parse_seconds
    limits = json.dumps([seconds, settings.parse_memory_mb, settings.max_pixels, settings.max_text_chars])
    too_long = {"refused": f"reading it took longer than {seconds:g} seconds"}
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | _ADDED
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "everlore.models.media.child", form.name, limits],
            input=raw,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=seconds + GRACE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return too_long
    if done.returncode == -14:  # SIGALRM: the child's own clock
        return too_long
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {"refused": f"the content could not be read as {form.name}: the parser ended without an answer"}
    return answer if isinstance(answer, dict) else {"refused": "the parser gave no usable answer"}

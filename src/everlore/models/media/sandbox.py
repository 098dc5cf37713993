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
import threading
import time
from contextlib import suppress
from contextvars import ContextVar
from typing import IO

from everlore.config import MultimodalSection
from everlore.errors import Unavailable, UnsupportedMedia
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
BASE_SECONDS, SECONDS_OF_MIB = 20.0, 20.0
PAGE_MIB, PICTURE_MIB, MIB_OF_MIB = 768, 1280, 64
"""What reading takes at most: whatever was sent, and for each MiB of it."""
LOOK_SECONDS = 0.25
GONE: ContextVar[threading.Event | None] = ContextVar("gone", default=None)
"""Set when the client that waits for the text has gone."""
GRACE_SECONDS = 5.0
"""The child ends itself when its time is over; it is killed when it does not."""


def parse(form: Format, raw: bytes, settings: MultimodalSection) -> str:
    """The text in a payload. Raises UnsupportedMedia with a reason for people."""
    seconds = settings.parse_seconds
    limits = json.dumps([seconds, *allowed(form, len(raw), settings), settings.max_pixels, settings.max_text_chars])
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | _ADDED
    command = [sys.executable, "-P", "-m", "everlore.models.media.child", form.name, limits]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as child:
        try:
            said = _awaited(child, raw, time.monotonic() + seconds + GRACE_SECONDS)
        finally:
            child.kill()  # does nothing to one that has ended
    if said is None or child.returncode in (-14, -24):  # SIGALRM and SIGXCPU: the child's own clocks
        raise UnsupportedMedia(f"reading it took longer than {seconds:g} seconds")
    with suppress(ValueError):
        match json.loads(said):
            case {"text": str(text)}:
                return text
            case {"refused": str(reason)}:
                raise UnsupportedMedia(reason)
    raise UnsupportedMedia(f"the content could not be read as {form.name}: the parser ended without an answer")


def allowed(form: Format, size: int, settings: MultimodalSection) -> tuple[int, int]:
    """Seconds of computing, and MiB of address space, by what was sent: a page needs its libraries and some room for
    itself. A model that hears needs all that there may be."""
    if form.kind == "audio":
        return int(settings.parse_seconds) + 1, settings.parse_memory_mb
    mib = size / 2**20
    seconds = int(min(settings.parse_seconds, BASE_SECONDS + SECONDS_OF_MIB * mib)) + 1
    base = PICTURE_MIB if form.kind == "image" else PAGE_MIB
    return seconds, min(settings.parse_memory_mb, int(base + MIB_OF_MIB * mib))


def _awaited(child: subprocess.Popen[bytes], raw: bytes, until: float) -> bytes | None:
    """What it answers; None when its time is over. Raises `Unavailable` when nobody waits for it any more."""
    gone, into = GONE.get(), child.stdin
    child.stdin = None  # else waiting a second time would not go on sending
    threading.Thread(target=_fed, args=(into, raw), daemon=True).start()
    while time.monotonic() < until:
        if gone is not None and gone.is_set():
            raise Unavailable("the client has gone")
        try:
            return child.communicate(timeout=LOOK_SECONDS)[0]
        except subprocess.TimeoutExpired:
            continue
    return None


def _fed(into: IO[bytes] | None, raw: bytes) -> None:
    with suppress(OSError):  # it ended before it had read everything
        assert into is not None
        with into:
            into.write(raw)

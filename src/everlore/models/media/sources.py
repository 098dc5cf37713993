"""Where a payload comes from when it is not fetched: inline base64, and files of the server's own disk.

A `file://` address is read inside the guardrails of the settings: an existing regular file (links followed), of
bounded size, and below one of the allowed folders when any are set. Devices, pipes and the kernel's own
file systems (whose "files" tell about this very process) are refused everywhere.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia

_KERNEL = tuple(Path(folder) for folder in ("/proc", "/sys", "/dev"))
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""Never waits for the other end of a pipe, and follows no link that took the place of the checked file."""


def from_base64(label: str, value: str) -> bytes:
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        raise UnsupportedMedia(f"{label}: `base64` is not plain base64 (no data: prefix)") from None


def from_file(label: str, uri: str, settings: MultimodalSection) -> tuple[bytes, str]:
    """The bytes, and the extension of the file's name."""
    if not settings.file_uri_enabled:
        raise UnsupportedMedia(f"{label}: this server reads no files for clients; send the payload itself")
    allowed = [folder.expanduser().resolve() for folder in settings.file_uri_allow_dirs]
    limit = settings.file_uri_max_bytes
    try:
        parts = urlsplit(uri)
        if parts.netloc not in ("", "localhost"):
            raise UnsupportedMedia(f"{label}: a file:// address must name a file on this machine")
        path = Path(url2pathname(parts.path)).resolve()
        # where it lies comes before whether it is there: outside, not even that is told
        if allowed and not any(path.is_relative_to(folder) for folder in allowed):
            raise UnsupportedMedia(f"{label}: the file lies outside the folders this server may read")
        if any(path.is_relative_to(folder) for folder in _KERNEL) or not path.is_file():
            raise UnsupportedMedia(f"{label}: there is no such regular file")
        with os.fdopen(os.open(path, _OPEN), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnsupportedMedia(f"{label}: there is no such regular file")
            raw = file.read(limit + 1)
    except (OSError, ValueError):
        raise UnsupportedMedia(f"{label}: the file cannot be read") from None
    if len(raw) > limit:
        raise UnsupportedMedia(f"{label}: the file has more than the {limit} bytes allowed")
    return raw, path.suffix

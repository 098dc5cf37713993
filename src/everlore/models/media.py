"""Content items become text. Plain text and Markdown are read here; nothing else is guessed at.

A `file://` address is read from the server's own disk, inside the guardrails of the settings: an existing
regular file (links followed), of bounded size, and below one of the allowed folders when any are set.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from everlore.config import MultimodalSection
from everlore.errors import InvalidInput, UnsupportedMedia
from everlore.types import Json

PAYLOADS = ("text", "uri", "base64")


def read_content(content: str | Sequence[Mapping[str, Json]], settings: MultimodalSection) -> str:
    """The plain reading of a message body. Raises before anything is stored."""
    if isinstance(content, str):
        return content
    return "\n".join(_read_item(number, item, settings) for number, item in enumerate(content))


def _read_item(number: int, item: Mapping[str, Json], settings: MultimodalSection) -> str:
    kind = item["type"]
    given = [name for name in PAYLOADS if item.get(name) is not None]
    label = f"content item {number} ({kind})"
    if len(given) > 1:
        raise InvalidInput(
            f"{label}: carry the payload in exactly one of text / uri / base64, not {' and '.join(given)}"
        )
    if kind == "text":
        if given != ["text"]:
            raise InvalidInput(f"{label}: a text item needs `text`")
        return str(item["text"])
    if not given:
        raise InvalidInput(f"{label}: needs {'text, uri or base64' if kind == 'md' else 'uri or base64'}")
    if kind == "md":
        return _read_markdown(label, given[0], str(item[given[0]]), settings)
    if given == ["text"]:
        raise UnsupportedMedia(f'{label}: send `uri` or `base64`; to store it as plain text use type "text"')
    raise UnsupportedMedia(f'{label}: no parser for {kind} content is installed; send its text with type "text"')


def _read_markdown(label: str, payload: str, value: str, settings: MultimodalSection) -> str:
    if payload == "text":
        return value
    if payload == "base64":
        try:
            raw = base64.b64decode("".join(value.split()), validate=True)
        except (binascii.Error, ValueError):
            raise UnsupportedMedia(f"{label}: `base64` is not plain base64 (no data: prefix)") from None
    else:
        raw = _read_file(label, value, settings)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnsupportedMedia(f"{label}: the payload is not UTF-8 text") from None


def _read_file(label: str, uri: str, settings: MultimodalSection) -> bytes:
    parts = urlsplit(uri)
    if parts.scheme.lower() != "file":
        raise UnsupportedMedia(f"{label}: only file:// addresses are supported for Markdown")
    if not settings.file_uri_enabled:
        raise UnsupportedMedia(f"{label}: this server reads no files for clients; send the text itself")
    if parts.netloc not in ("", "localhost"):
        raise UnsupportedMedia(f"{label}: a file:// address must name a file on this machine")
    allowed = [folder.expanduser().resolve() for folder in settings.file_uri_allow_dirs]
    try:
        path = Path(url2pathname(parts.path)).resolve()
        # where it lies comes before whether it is there: outside, not even that is told
        if allowed and not any(path.is_relative_to(folder) for folder in allowed):
            raise UnsupportedMedia(f"{label}: the file lies outside the folders this server may read")
        if not path.is_file():
            raise UnsupportedMedia(f"{label}: there is no such regular file")
        with path.open("rb") as file:
            raw = file.read(settings.file_uri_max_bytes + 1)
    except (OSError, ValueError):
        raise UnsupportedMedia(f"{label}: the file cannot be read") from None
    if len(raw) > settings.file_uri_max_bytes:
        raise UnsupportedMedia(f"{label}: the file has more than the {settings.file_uri_max_bytes} bytes allowed")
    return raw

"""What a tool printed: taken out of the JSON that some tools wrap it in, and the part of it that is worth keeping.

A program tells how it went in its last lines, and so does a log; a page or a list begins with what it is about.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence

from everlore.extract.action import Manner
from everlore.extract.phrases import one_line, word_set
from everlore.types import Json

GIST = 200
"""Characters of an output that are kept where nothing went wrong."""
PAGE = 100_000
"""Characters of a web page that are looked at."""

_STATUS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code")
_STREAMS = ("stdout", "stderr", "output", "aggregated_output")
_FINE = word_set("ok okay done success succeeded successful true 1 none null undefined accepted completed complete")
_SAYS_FINE = ("ok", "success", "status", "result")
_PAGE = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style|noscript|svg)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.I | re.DOTALL)
_LOGGED = re.compile(r"\W?(?:\d{4}-\d\d-\d\d|\d\d/\w{3}/\d{4}|[A-Z][a-z]{2} [ \d]\d \d\d:|\d\d:\d\d:\d\d)")
"""How a line of a log begins."""
_LOG_LINES = 3


def unwrapped(output: str) -> tuple[str, int | None]:
    """The text itself, and the exit status if the tool gave one beside it."""
    text = output.strip()
    if not text.startswith(("{", "[")):
        return text, None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, None
    if isinstance(value, list):
        inner = _blocks(value)
        return (text, None) if inner is None else (inner, None)
    status = _status(value)
    inner = _blocks(value.get("content")) if isinstance(value.get("content"), list) else None
    if inner is not None and status is None and (value.get("isError") is True or value.get("is_error") is True):
        status = 1
    streams = [value[name] for name in _STREAMS if isinstance(value.get(name), str)]
    if inner is None and status is not None and streams:
        inner = "\n".join(stream.strip() for stream in streams if stream.strip())
    return (text, None) if inner is None else (inner, status)


def _status(value: Mapping[str, Json]) -> int | None:
    beside = value.get("metadata")
    for place in (value, beside if isinstance(beside, Mapping) else {}):
        for name in _STATUS:
            if isinstance(place.get(name), int) and not isinstance(place[name], bool):
                return int(place[name])
    return None


def _blocks(value: Json) -> str | None:
    """The text of content blocks, if these are such."""
    if not isinstance(value, list) or not value:
        return None
    texts = [block.get("text") for block in value if isinstance(block, Mapping) and block.get("type") == "text"]
    told = [text for text in texts if isinstance(text, str)]
    return "\n".join(told).strip() if len(told) == len(value) else None


def gist(text: str, manner: Manner) -> str:
    """One line of an output that reports no failure; empty where it says only that all is well."""
    if _only_fine(text):
        return ""
    if _PAGE.match(text):
        text = html.unescape(_UNSEEN.sub(" ", text[:PAGE]))
    lines = [line for line in map(str.strip, text.splitlines()) if any(map(str.isalnum, line))]
    if manner == "runs" or _is_log(lines):
        return _ending(lines) if lines else one_line(text, GIST)
    return one_line(text, GIST)


def _only_fine(text: str) -> bool:
    if text.lower().strip(" .!\"'✓✔✅\n") in _FINE:
        return True
    if not text.startswith("{") or len(text) > GIST:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, Mapping) and all(
        name in _SAYS_FINE and str(item).lower() in _FINE for name, item in value.items()
    )


def _is_log(lines: Sequence[str]) -> bool:
    return len(lines) >= _LOG_LINES and all(_LOGGED.match(line) for line in (lines[0], lines[-1]))


def _ending(lines: Sequence[str]) -> str:
    """The last lines, as many as there is room for."""
    at, room = len(lines), GIST
    while at and (room := room - len(lines[at - 1]) - 1) >= 0:
        at -= 1
    kept = lines[at:] or [one_line(lines[-1], GIST)]
    return one_line(" ".join(kept), GIST)

"""Small pure functions on text: cut it to a limit, without losing or breaking more than needed."""

from __future__ import annotations

import json
from typing import Final

from everlore.types import Json

HEAD_SHARE: Final = 0.7
_CUT: Final = "\n[...]\n"


def json_object(text: str | bytes) -> dict[str, Json] | None:
    """None when the text is not JSON, or JSON of another kind."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def trim(text: str, limit: int) -> str:
    """Beginning and end of a text that is too long: what was asked, and what came out."""
    if len(text) <= limit:
        return text
    room = limit - len(_CUT)
    head = int(room * HEAD_SHARE)
    return text[:head] + _CUT + text[len(text) - (room - head) :]


def pieces(text: str, limit: int) -> list[str]:
    """A long text in parts of at most `limit` characters, cut between paragraphs, lines or words where possible."""
    found: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        window = rest[:limit]
        cut = next((at for at in map(window.rfind, ("\n\n", "\n", ". ", " ")) if at > limit // 2), limit - 1) + 1
        found.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [piece for piece in [*found, rest] if piece]

"""The limits of the EverMe contract, and how texts are made to fit. Pure, and imports nothing heavy."""

from __future__ import annotations

import re

QUERY_MOST = 1024
CONTENT_MOST = 8000
TOP_K, TOP_K_MOST = 5, 50
HEAD_SHARE = 0.7
"""Of a text that is too long the beginning and the end are kept: results and reasons stand at the end."""
CONTEXT_TOKENS = 2000
SEARCH_TOKENS = 4000

_BLANKS = re.compile(r"\s+")


def trim(text: str, most: int = CONTENT_MOST) -> str:
    """At most so many characters: 70 % from the beginning, 30 % from the end, and between them how many are missing."""
    if len(text) <= most:
        return text
    room = most - len(_missing(len(text)))
    if room < 1:
        return text[:most]
    head = int(room * HEAD_SHARE)
    tail = room - head
    return text[:head] + _missing(len(text) - room) + text[len(text) - tail :]


def _missing(count: int) -> str:
    return f"\n[... {count} characters left out ...]\n"


def wanted(top_k: object, default: int) -> int:
    """How many results: a whole positive number as it is, up to the most; anything else is the default."""
    if isinstance(top_k, float) and top_k.is_integer():
        top_k = int(top_k)
    if isinstance(top_k, str) and top_k.strip().isdecimal():
        top_k = int(top_k)
    if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k <= 0:
        return default
    return min(top_k, TOP_K_MOST)


def one_line(text: str) -> str:
    """Nothing that a stored text holds can begin a line of its own."""
    return _BLANKS.sub(" ", text).strip()

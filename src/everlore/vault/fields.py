"""The value of an inline field `**name**: value`: one line, a text or a list of texts.

Plain text stands as it is; what would be misread is written as a JSON string. `[a, "b, c"]` is a list. Pure.
"""

from __future__ import annotations

import json
import re

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
"""Control characters, line separators and half characters: some editor would break or drop them."""
_ITEM_UNSAFE = re.compile(r'[,\[\]"]')
_DECODER = json.JSONDecoder()


def write_value(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        listed = value.startswith("[") and value.endswith("]")
        return _quote(value) if listed or _needs_quotes(value) else value
    return "[" + ", ".join(_write_item(item) for item in value) + "]"


def read_value(text: str) -> str | tuple[str, ...]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return tuple(_read_items(text[1:-1]))
    if text.startswith('"'):
        found, end = _unquote(text, 0)
        return found if found is not None and end == len(text) else text
    return text


def _write_item(item: str) -> str:
    return _quote(item) if not item or _needs_quotes(item) or _ITEM_UNSAFE.search(item) else item


def _needs_quotes(text: str) -> bool:
    return text.startswith('"') or text != text.strip() or bool(_UNSAFE.search(text))


def _quote(text: str) -> str:
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _unquote(text: str, at: int) -> tuple[str | None, int]:
    """The JSON string that begins here and where it ends; None when it is not one."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError:
        return None, at
    return (value, end) if isinstance(value, str) else (None, at)


def _read_items(text: str) -> list[str]:
    items: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == ",":
            at += 1
            continue
        item, end = _unquote(text, at) if text[at] == '"' else (None, at)
        comma = text.find(",", end)
        stop = comma if comma >= 0 else len(text)
        # words after the closing quote: a person's text that only begins with a quotation mark
        items.append(item if item is not None and not text[end:stop].strip() else text[at:stop].strip())
        at = stop
    return items

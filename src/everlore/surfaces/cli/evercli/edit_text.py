"""Small pure functions on text: put lines or an item into a file's text and take them out again."""

from __future__ import annotations

import re


def shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3].rstrip() + "..."


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def add_below(text: str, block: str) -> str:
    """The text, an empty line, the block. A text without a last line break gets none, by which `cut_out` knows it."""
    newline = newline_of(text)
    if not text:
        return block + newline
    return f"{text}{newline}{block}{newline}" if text.endswith("\n") else f"{text}{newline * 2}{block}"


def cut_out(text: str, start: int, end: int) -> str:
    """The text without these whole lines, nor the empty line that `add_below` put before them."""
    above = text[:start]
    if end == len(text) and not text.endswith("\n"):
        above = re.sub(r"(?:\r?\n){1,2}\Z", "", above)
    else:
        above = re.sub(r"(\A|\n)\r?\n\Z", r"\1", above)
    return above + text[end:]


def put_first(text: str, at: int, item: str, *, alone: bool) -> str:
    """An item in brackets that open right before `at`: `{b: 2}` becomes `{a: 1, b: 2}`. JSON, TOML and YAML agree."""
    return f"{text[:at]}{item}{'' if alone else ', '}{text[at:]}"


def cut_item(text: str, start: int, end: int, comma: int) -> str:
    """The text without an item in brackets, `text[start:end]`, and without its comma: the one behind it or, of the last
    item, the one before it; -1 when it stands alone. Its line goes with it when it has one of its own."""
    line = re.search(r"(?:\r?\n)[ \t]*\Z", text[:start])
    if line:
        start = line.start()
    if comma >= end:
        behind = comma + 1 + (not line and text[comma + 1 : comma + 2] == " ")
        return text[:start] + text[end:comma] + text[behind:]
    if comma < 0:
        return text[:start] + text[end:]
    between = text[comma + 1 : start]
    return text[:comma] + (between if between.strip() else "") + text[end:]

"""The text of a skill that we wrote. It ends with a mark that has its hash: if they differ, a person changed it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

_MARK = re.compile(r"\n*<!-- written by Everlore ([0-9a-f]{16}) -->\s*$")


def marked(body: str) -> str:
    return f"{body}\n\n<!-- written by Everlore {_digest(body)} -->"


def untouched(content: str) -> bool:
    """Whether the text still is what was generated. Blanks at line ends, which editors change, do not count."""
    mark = _MARK.search(content)
    return mark is not None and _digest(content[: mark.start()]) == mark[1]


def without_lines(content: str, cited: Collection[str]) -> str:
    """The text without the lines that cite these ids, and without sections that hold nothing else. A person's stays."""
    if not untouched(content):
        return content
    parts: list[str] = []
    for part in _MARK.sub("", content).split("\n\n"):
        lines = [line for line in part.split("\n") if not any(f"`{one}`" in line for one in cited)]
        if lines:
            parts.append("\n".join(lines))
        elif parts and parts[-1].startswith("## "):
            parts.pop()
    return marked("\n\n".join(parts))


def _digest(body: str) -> str:
    plain = "\n".join(line.rstrip() for line in body.strip().splitlines())
    return hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()

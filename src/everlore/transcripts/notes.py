"""What people wrote down for their agents, and agents for themselves: CLAUDE.md, MEMORY.md, rules, a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from everlore.masking import mask_secrets
from everlore.transcripts.text import pieces
from everlore.transcripts.turns import LONGEST_TEXT, Conversation, Turn, moment

BEGIN: Final = "<!-- everme-memory: begin (written by evercli) -->"
END: Final = "<!-- everme-memory: end -->"
OUR_BLOCK: Final = re.compile(rf"{re.escape(BEGIN)}(?:(?!{re.escape(BEGIN)}).)*?{re.escape(END)}", re.DOTALL)
"""Our own instructions. A begin mark whose end is missing begins nothing: what follows it is not ours."""
_FRONT: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD: Final = re.compile(r"\A[A-Za-z_][\w .-]*:(?:\s|$)")
_DATE: Final = re.compile(
    r"^(?:date|created|updated|modified|merged_at)\w*:[ \t]*['\"]?(\d{4}-\d\d-\d\d[^'\"\r\n#]*)", re.M
)


def without_front(text: str) -> tuple[str, str]:
    """A text and its front matter, which is about the text and nothing that anybody said. A rule between two lines
    that are no fields is none."""
    found = _FRONT.match(text)
    if found is None or (found[1].strip() and not _FIELD.match(found[1].lstrip())):
        return text.removeprefix("\ufeff"), ""
    return text[found.end() :], found[1]


def note(platform: str, path: Path, folder: str = "") -> Iterator[Conversation]:
    """What its owner said, at the time that its front matter tells, or at which the file was last written."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise OSError(None, "not UTF-8 text", str(path)) from None
    if "\0" in text:
        raise OSError(None, "not text", str(path))
    body, front = without_front(text)
    dated = _DATE.search(front)
    at = moment(dated[1].strip() if dated else None, 0)
    if at < 2:
        at = int(path.stat().st_mtime * 1000)
    parts = pieces(mask_secrets(OUR_BLOCK.sub("", body)), LONGEST_TEXT)
    turns = tuple(Turn("user", at + number, part) for number, part in enumerate(parts))
    yield Conversation(platform, str(path.resolve()), turns, folder)

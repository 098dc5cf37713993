"""Letters and mails inside a message: from the greeting or the headers to the name below.

Whoever writes to an assistant neither greets a third person nor signs with another name. A letter that its sender
signed is theirs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Signature(NamedTuple):
    """`end` is the number of the line behind it, `line` its first one, `by` the first name of who signed."""

    end: int
    line: int
    by: str


HEADERS = 2
"""Lines of a mail's head that make it one."""

_HEADER = re.compile(
    r"^\s*\**(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|gesendet|datum)\**:\**\s+\S",
    re.I,
)
_GREETING = re.compile(
    r"^\s*(?:hi|hey|hello|dear|hallo|liebe[rs]?|good (?:morning|afternoon|evening)|greetings)"
    r"(?: (?P<title>mr|mrs|ms|dr|prof|mom|mum|dad|sis|bro|sir|madam|team|frau"
    r"|herr)\b\.?)?(?P<name>(?: [A-Z][\w'’.-]*){0,3})"
    r"(?:[,!:]\s*(?P<more>\S.*)?$|\s*$)",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    {"there", "all", "everyone", "everybody", "again", "guys", "folks", "assistant", "claude", "chatgpt"}
)
"""Who is greeted when the one who listens is meant."""
_CLOSING = (
    r"(?:(?:with )?(?:all )?(?:my |much |lots of )?(?:best|kind|warm|kindest|warmest)?\s?(?:regards|wishes|love"
    r"|cheers|hugs|kisses)"
    r"|best|love|cheers|yours(?: (?:sincerely|truly|faithfully))?|sincerely(?: yours)?|take care|xoxo|(?:viele"
    r"|liebe|beste"
    r"|herzliche) grüße|lg|mfg)"
)
_CLOSED = re.compile(
    rf"^\s*(?:{_CLOSING}|thanks(?: (?:a lot|again|so much))?|thank you|many thanks)\s*[,!.]?\s*$",
    re.I,
)
_SIGNED = re.compile(r"^\s*[-–—]?\s*(?P<name>(?-i:[A-Z])[\w'’.-]*(?: (?-i:[A-Z])[\w'’.-]*){0,3})\s*$", re.I)
_IN_ONE_LINE = re.compile(rf"(?:^|[.!?] ){_CLOSING}, (?P<name>(?-i:[A-Z])[\w'’-]+)[.!]?\s*$", re.I)
_AFTERWORD = re.compile(r"^\s*p\.?s\b", re.IGNORECASE)


def letters(lines: Sequence[str], name: str) -> frozenset[int]:
    """The numbers of the lines that belong to letters which are not of somebody called `name`."""
    signatures = list(_signatures(lines))
    found: set[int] = set()
    number = 0
    while number < len(lines):
        end = _mail(lines, number, signatures) or _letter(lines, number, name, signatures)
        if not end:
            number += 1
            continue
        while end < len(lines) and not lines[end].strip():
            end += 1
        if end < len(lines) and _AFTERWORD.match(lines[end]):
            end = next((at for at in range(end, len(lines)) if not lines[at].strip()), len(lines))
        found |= set(range(number, end))
        number = end
    return frozenset(found)


def _mail(lines: Sequence[str], start: int, signatures: Sequence[Signature]) -> int:
    """Where a mail ends that begins with its headers; 0 where there is none."""
    body = start
    while body < len(lines) and _HEADER.match(lines[body]):
        body += 1
    return _signed(signatures, body).end or len(lines) if body - start >= HEADERS else 0


def _letter(lines: Sequence[str], start: int, name: str, signatures: Sequence[Signature]) -> int:
    """Where a letter ends that begins with its greeting; 0 where there is none, or where it may be the sender's."""
    found = _GREETING.match(lines[start])
    greeted = f"{found['title'] or ''} {found['name'] or ''}".lower().split() if found else []
    if not found or not greeted or _NOBODY & set(greeted):
        return 0
    end, _, by = _signed(signatures, start)
    own = set(name.lower().split())
    if own & set(greeted):  # nobody greets themselves
        return end or (len(lines) if not found["more"] else 0)
    return 0 if by in own or by in greeted else end


def _signatures(lines: Sequence[str]) -> Iterator[Signature]:
    for number, line in enumerate(lines):
        if found := _IN_ONE_LINE.search(line):
            yield Signature(number + 1, number, found["name"].lower())
        elif _CLOSED.match(line):
            below = next((at for at in range(number + 1, min(number + 4, len(lines))) if lines[at].strip()), 0)
            if below and (found := _SIGNED.match(lines[below])):
                yield Signature(below + 1, number, found["name"].split()[0].lower())


def _signed(signatures: Sequence[Signature], start: int) -> Signature:
    """The first signature from a line on."""
    place = bisect_left(signatures, start, key=lambda one: one.line)
    return signatures[place] if place < len(signatures) else Signature(0, 0, "")

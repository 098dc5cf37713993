"""How a tool call ended, by its output, and the line of the output that is worth keeping.

Output is taken out of the JSON that some tools wrap it in. Programs report failures in few shapes: a severity and a
colon at the head of a line, the name of an exception, a count of what failed, an exit status. Where these are looked
for depends on the call: what a call that looks has to show may be full of others' failures.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from everlore.extract.agent.action import Manner, parsed
from everlore.extract.sentences import clip
from everlore.extract.vocabulary import Vocabulary
from everlore.types import Json

GIST, FAILURE = 200, 300
"""Characters that are kept of an output: of one that reports no failure, and of a failure."""
PAGE = 100_000
"""Characters of a web page that are looked at."""
LINE = 1_000
"""Characters of a line that are looked at."""
HEAD, TAIL = 100, 300
"""Lines of an output that are looked at."""
SHORT_LINES, SHORT = 3, 400
"""An output up to here can be one answer, where a refusal may be put in any words."""
SHOWN_LINES = 5
"""What a call shows that has more lines is not a failure of its own."""

State: TypeAlias = Literal["ok", "error", "unknown"]

_STATUS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code")
_STREAMS = ("stdout", "stderr", "output", "aggregated_output")
_GOOD = ("ok", "success", "valid", "passed")
_REASONS = ("message", "reason", "detail", "error_description", "description", *_STREAMS, "content", "text")
_HINTS = ("err", "exception", "fail", "fatal", "panic", "crit", "severe", "emerg", "e: ", "reject", "conflict", "***",
          "not ok", "✗", "✘", "❌", "✖", "×")  # fmt: skip
_TRACEBACK = "Traceback (most recent call last)"
_KNOWN = Vocabulary("agent/outcome")
_FINE, _BAD_STATUS = _KNOWN.words("fine"), _KNOWN.words("bad_status")
_OWN_COMPLAINT = tuple(_KNOWN.words("own_complaint"))
_UNSEEN = re.compile(r"<(script|style|noscript|svg)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.I | re.DOTALL)
_LABEL = re.compile(r"^E\s{2,}|^\W{0,3}error:\s*(?=\S)|</?[\w-]*error[\w-]*>", re.I)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`told` is the telling line: what went wrong, or how the output begins. `proven`: it says outright how it ended,
    by an exit status, a count of tests or a checker's word."""

    state: State = "unknown"
    told: str = ""
    proven: bool = False


def one_line(text: str, limit: int) -> str:
    return clip(" ".join(text.split()), limit)


def outcome_of(output: str, manner: Manner = "answers") -> Outcome:
    text, status = _unwrapped(output)
    if not text:
        nothing_found = status == 1 and manner == "looks"  # so `grep` says that it is not there
        if status and not nothing_found:
            return Outcome("error", f"exit status {status}", proven=True)
        return Outcome("ok", "", status is not None)
    value = parsed(text) if status is None and text.startswith("{") else None
    if isinstance(value, Mapping):
        reason = _json_error(value, manner)
        if reason is not None:
            return Outcome("error", _telling(_lines(reason or text)), proven=True)
        return Outcome("ok", _gist(text, manner), any(value.get(name) is True for name in _GOOD))
    lines = _lines(text)
    status = _exit_status(lines, manner) if status is None else status
    if status is None:
        failed = _shows_failure(lines) if manner == "looks" else _reports_failure(lines, manner)
    else:
        failed = status != 0
    if failed:
        return Outcome("error", _telling(lines), proven=True)
    passed = manner != "looks" and any(_KNOWN["passed"].search(line) for line in lines[-SHOWN_LINES:])
    return Outcome("ok", _gist(text, manner), passed or status is not None)


def _unwrapped(output: str) -> tuple[str, int | None]:
    """The text itself, and the exit status if the tool gave one beside it."""
    text = output.strip()
    value = parsed(text) if text.startswith(("{", "[")) else None
    if not isinstance(value, Mapping):
        inner = _blocks(value)
        return (text if inner is None else inner), None
    beside = value.get("metadata")
    places = (value, beside if isinstance(beside, Mapping) else {})
    numbers = [place[name] for place in places for name in _STATUS if isinstance(place.get(name), int)]
    status = next((int(number) for number in numbers if not isinstance(number, bool)), None)
    inner = _blocks(value.get("content"))
    if inner is not None and status is None and True in (value.get("isError"), value.get("is_error")):
        status = 1
    streams = [value[name] for name in _STREAMS if isinstance(value.get(name), str)]
    if inner is None and status is not None and streams:
        inner = "\n".join(stream.strip() for stream in streams if stream.strip())
    return (text, None) if inner is None else (inner, status)


def _blocks(value: Json) -> str | None:
    """The text of content blocks, if these are such."""
    if not isinstance(value, list) or not value:
        return None
    texts = [block.get("text") for block in value if isinstance(block, Mapping) and block.get("type") == "text"]
    told = [text for text in texts if isinstance(text, str)]
    return "\n".join(told).strip() if len(told) == len(value) else None


def _gist(text: str, manner: Manner) -> str:
    """One line of an output that reports no failure; empty where it says only that all is well."""
    value = parsed(text) if text.startswith("{") and len(text) <= GIST else {"result": text.strip(" .!\"'✓✔✅\n")}
    if isinstance(value, Mapping) and all(
        name in (*_GOOD, "status", "result") and str(item).lower() in _FINE for name, item in value.items()
    ):
        return ""
    if text[:200].lower().lstrip().startswith(("<!doctype html", "<html", "<?xml", "<head", "<body")):
        text = html.unescape(_UNSEEN.sub(" ", text[:PAGE]))
    lines = [line for line in map(str.strip, text.splitlines()) if any(map(str.isalnum, line))]
    if manner != "runs" or not lines:
        return one_line(text, GIST)
    at, room = len(lines), GIST  # the last lines, as many as there is room for
    while at and (room := room - len(lines[at - 1]) - 1) >= 0:
        at -= 1
    return one_line(" ".join(lines[at:] or lines[-1:]), GIST)


def _lines(text: str) -> list[str]:
    found = [line.strip()[:LINE] for line in text.splitlines() if not line.isspace() and line] or [text]
    return found if len(found) <= HEAD + TAIL else [*found[:HEAD], *found[-TAIL:]]


def _exit_status(lines: Sequence[str], manner: Manner) -> int | None:
    for line in (lines[0], lines[-1]):
        found = _KNOWN["exit"].search(line[:80])
        if found and (manner != "looks" or not any(map(str.isalnum, line[: found.start()]))):
            return int(found["code"][:9])
    return None


def _shows_failure(lines: Sequence[str]) -> bool:
    first = _told(lines[0])
    if first.startswith(_TRACEBACK):
        return True
    if len(lines) > SHOWN_LINES or first.startswith("[") or _succeeds(first):
        return False
    own = first.lower().startswith(_OWN_COMPLAINT) or first.partition(": ")[0].isidentifier()
    return _rank(first) > 1 or bool(own and _KNOWN["complaint"].search(first))


def _reports_failure(lines: Sequence[str], manner: Manner) -> bool:
    last = _told(lines[-1])
    if _KNOWN["tally"].search(last) or _KNOWN["marked"].search(last):
        return True
    if _succeeds(last) and _KNOWN["finished"].search(last):
        return False
    ends = [_told(lines[0]), last]
    looked_at = lines if manner == "runs" else ends
    if _KNOWN["error_start"].search(ends[0]) or any(_rank(line) or line.startswith(_TRACEBACK) for line in looked_at):
        return True
    brief = len(lines) <= SHORT_LINES and sum(map(len, lines)) <= SHORT
    return any(_KNOWN["complaint"].search(line) and not _succeeds(line) for line in (ends if brief else ends[1:]))


def _told(line: str) -> str:
    """A line without what it says did not happen."""
    return _KNOWN["none_of_it"].sub("", line)


def _succeeds(line: str) -> bool:
    """Whether a line tells of success first: "Saved, but it cannot be undone", not "Could not be saved"."""
    success, complaint = _KNOWN["success"].search(line), _KNOWN["complaint"].search(line)
    return success is not None and not _rank(line) and (complaint is None or success.start() < complaint.start())


def _rank(line: str) -> int:
    """How much a line tells of a failure; 0 for one that tells of none."""
    folded = line.lower()
    if not any(hint in folded for hint in _HINTS):  # most lines of a long output
        return 0
    told = _told(line)
    if _KNOWN["exception"].search(told):
        return 3
    if _KNOWN["diagnostic"].search(told):
        return 2
    return 1 if _KNOWN["tally"].search(told) or _KNOWN["marked"].search(told) else 0


def _telling(lines: Sequence[str]) -> str:
    """The line with the cause: an exception rather than a message, a message rather than a count or a status.

    Of several exceptions in a trace it is the last, which the others led to; of several messages the first that has
    something to say.
    """
    ranks = [_rank(line) for line in lines]
    best = max(ranks)
    found = [line for line, rank in zip(lines, ranks, strict=True) if rank == best]
    if not best:
        found = [line for line in lines if _KNOWN["complaint"].search(_told(line))]
        found = found or [line for line in lines if _KNOWN["exit"].search(line)] or list(lines)
    if best == 3:
        chosen = found[-1] if any(line.startswith("Traceback") for line in lines) else found[0]
    else:
        found = [line for line in found if "previous error" not in line] or found  # which points back to the cause
        chosen = next((line for line in found if len(line.split()) > 4), found[0])
    return one_line(_LABEL.sub("", chosen) or chosen, FAILURE)


def _json_error(value: Mapping[str, Json], manner: Manner) -> str | None:
    """What a JSON object that says it is an error gives as its reason; None if it says no such thing."""
    error = value.get("error") or value.get("errors")
    status = value.get("status_code", value.get("status"))
    if status is None:
        status = value.get("code") if value.get("message") else None
    said = {word.lower() for word in map(value.get, ("status", "state", "result")) if isinstance(word, str)}
    failed = (
        bool(error)
        or any(value.get(name) is False for name in _GOOD)
        or any(value.get(name) is True for name in ("isError", "is_error"))
        or any(isinstance(value.get(name), int) and value[name] != 0 for name in ("exit_code", "returncode"))
        # what was looked up may have failed long ago
        or (manner != "looks" and bool(said & _BAD_STATUS))
        or (isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600)
    )
    if not failed:
        return None
    if isinstance(error, Mapping):
        error = error.get("message") or "; ".join(f"{name}: {reason}" for name, reason in error.items())
    told = error if isinstance(error, str) else next((value[name] for name in _REASONS if value.get(name)), "")
    if not told and isinstance(error, list):
        told = error
    if isinstance(told, list):
        told = "\n".join(str(part.get("text", part)) if isinstance(part, Mapping) else str(part) for part in told)
    return str(told).strip()

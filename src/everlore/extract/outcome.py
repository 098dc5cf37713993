"""How a tool call ended, by its output, and the part of the output that is worth keeping.

Output is taken out of the JSON that some tools wrap it in. Programs report failures in few shapes: a severity and a
colon at the head of a line, the name of an exception, a count of what failed, an exit status. Where these are looked
for depends on the call: what a call that looks has to show may be full of others' failures.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from everlore.extract.action import Manner, parsed
from everlore.extract.phrases import one_line
from everlore.extract.vocabulary import Vocabulary
from everlore.types import Json

GIST = 200
"""Characters of an output that are kept where nothing went wrong."""
PAGE = 100_000
"""Characters of a web page that are looked at."""

_STATUS = ("exit_code", "exitCode", "exit_status", "returncode", "return_code")
_STREAMS = ("stdout", "stderr", "output", "aggregated_output")
_KNOWN = Vocabulary("outcome")
_FINE = _KNOWN.words("fine")
_SAYS_FINE = ("ok", "success", "status", "result")
_PAGE = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style|noscript|svg)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.I | re.DOTALL)


def unwrapped(output: str) -> tuple[str, int | None]:
    """The text itself, and the exit status if the tool gave one beside it."""
    text = output.strip()
    value = parsed(text) if text.startswith(("{", "[")) else None
    if not isinstance(value, Mapping):
        inner = _blocks(value)
        return (text, None) if inner is None else (inner, None)
    status = _status(value)
    inner = _blocks(value.get("content"))
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
    return _ending(lines) if manner == "runs" and lines else one_line(text, GIST)


def _only_fine(text: str) -> bool:
    if text.lower().strip(" .!\"'✓✔✅\n") in _FINE:
        return True
    value = parsed(text) if text.startswith("{") and len(text) <= GIST else None
    return isinstance(value, Mapping) and all(
        name in _SAYS_FINE and str(item).lower() in _FINE for name, item in value.items()
    )


def _ending(lines: Sequence[str]) -> str:
    """The last lines, as many as there is room for."""
    at, room = len(lines), GIST
    while at and (room := room - len(lines[at - 1]) - 1) >= 0:
        at -= 1
    kept = lines[at:] or [one_line(lines[-1], GIST)]
    return one_line(" ".join(kept), GIST)


OUTPUT = 300
"""Characters of a failure that are kept."""
LINE = 1_000
"""Characters of a line that are looked at."""
HEAD, TAIL = 100, 300
"""Lines of an output that are looked at."""
SHORT_LINES, SHORT = 3, 400
"""An output up to here can be one answer, where a refusal may be put in any words."""
SHOWN_LINES = 5
"""What a call shows that has more lines is not a failure of its own."""

Outcome: TypeAlias = Literal["ok", "error", "unknown"]

_TRACEBACK = "Traceback (most recent call last)"
_HINTS = ("err", "exception", "fail", "fatal", "panic", "crit", "severe", "emerg", "e: ", "reject", "conflict", "***",
          "not ok", "✗", "✘", "❌", "✖", "×")  # fmt: skip
_LEVEL = re.compile(r"\b(?:ERROR|CRITICAL|FATAL|SEVERE)\b(?!\W{0,3}0\b)")
_REASONS = (
    "message", "reason", "detail", "error_description", "description", "stderr", "stdout", "output", "content", "text"
)  # fmt: skip


def outcome_of(output: str, manner: Manner = "answers") -> tuple[Outcome, str]:
    """Whether a tool's output reports a failure, and the line that tells most."""
    text, status = unwrapped(output)
    if not text:
        nothing_found = status == 1 and manner == "looks"  # so `grep` says that it is not there
        return ("error", f"exit status {status}") if status and not nothing_found else ("ok", "")
    value = parsed(text) if status is None and text.startswith("{") else None
    if isinstance(value, Mapping):
        reason = _json_error(value, manner)
        return ("ok", gist(text, manner)) if reason is None else ("error", _telling(_lines(reason or text)))
    lines = _lines(text)
    status = _exit_status(lines, manner) if status is None else status
    if status is None:
        failed = _shows_failure(lines) if manner == "looks" else _reports_failure(lines, manner)
    else:
        failed = status != 0
    return ("error", _telling(lines)) if failed else ("ok", gist(text, manner))


def _lines(text: str) -> list[str]:
    found = [line.strip()[:LINE] for line in text.splitlines() if not line.isspace() and line]
    return found if len(found) <= HEAD + TAIL else [*found[:HEAD], *found[-TAIL:]]


def _exit_status(lines: Sequence[str], manner: Manner) -> int | None:
    shape = _KNOWN["bare_exit"] if manner == "looks" else _KNOWN["exit"]
    for line in (lines[0], lines[-1]):
        found = shape.search(line[:80])
        if found:
            return int(found["code"][:9])
    return None


def _shows_failure(lines: Sequence[str]) -> bool:
    first = _told(lines[0])
    if first.startswith(_TRACEBACK):
        return True
    if len(lines) > SHOWN_LINES or first.startswith("[") or _succeeds(first):
        return False
    own = _rank(first) > 1 and not _KNOWN["marked"].search(first)
    return own or bool(_KNOWN["own_complaint"].search(first) and _KNOWN["complaint"].search(first))


def _reports_failure(lines: Sequence[str], manner: Manner) -> bool:
    last = _told(lines[-1])
    if _KNOWN["tally"].search(last) or _KNOWN["marked"].search(last) or (manner == "runs" and _LEVEL.search(last)):
        return True
    if _KNOWN["finished"].search(last) and _succeeds(last):
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
    if (
        success is None
        or _KNOWN["tally"].search(line)
        or _KNOWN["diagnostic"].search(line)
        or _KNOWN["exception"].search(line)
    ):
        return False
    return complaint is None or success.start() < complaint.start()


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
        found = [line for line in found if not _KNOWN["summed_up"].search(line)] or found
        chosen = next((line for line in found if len(line.split()) > 4), found[0])
    plain = re.sub(r"^E\s{2,}|^\W{0,3}error:\s*(?=\S)|</?[\w-]*error[\w-]*>", "", chosen, flags=re.I)
    return one_line(plain or chosen, OUTPUT)


def _json_error(value: Mapping[str, Json], manner: Manner) -> str | None:
    """What a JSON object that says it is an error gives as its reason; None if it says no such thing."""
    error = value.get("error") or value.get("errors")
    status = value.get("status_code", value.get("status"))
    if status is None:
        status = value.get("code") if value.get("message") else None
    said = [word.lower() for word in map(value.get, ("status", "state", "result")) if isinstance(word, str)]
    failed = (
        bool(error)
        or value.get("success") is False
        or value.get("ok") is False
        or value.get("isError") is True
        or value.get("is_error") is True
        or any(isinstance(value.get(name), int) and value[name] != 0 for name in ("exit_code", "returncode"))
        # what was looked up may have failed long ago
        or (manner != "looks" and any(map(_KNOWN["bad_status"].fullmatch, said)))
        or (isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600)
    )
    if not failed:
        return None
    if isinstance(error, Mapping):
        error = error.get("message") or "; ".join(f"{name}: {reason}" for name, reason in error.items())
    told = error if isinstance(error, str) else next((value[name] for name in _REASONS if value.get(name)), "")
    if isinstance(told, list):
        told = "\n".join(str(part.get("text", "")) if isinstance(part, Mapping) else str(part) for part in told)
    return str(told).strip()

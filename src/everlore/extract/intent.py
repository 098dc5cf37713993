"""The task of a run in one sentence: what was asked for, else what the agent did.

A problem that somebody tells ("pytest fails in the crm repo") is a wish that it go away: "Fix: pytest fails …".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from everlore.extract.asking import as_order, bare, is_problem, only_mends, problem, requests, things, without_greeting
from everlore.extract.phrases import any_of, heard, one_line, sentences
from everlore.extract.sentences import is_question
from everlore.extract.trajectory import Call, Said, Step
from everlore.extract.verdict import asks_nothing, courtesy

INTENT = 200
CONTEXT = 90
FEW = 2
"""Things that a request names at most which is told with the reason before it; with fewer, also with what else the
user told."""
OBJECT, OBJECTS = 30, 3
"""Characters of an argument that is told as what a tool was used on, and how many of them."""

_FIRST_PERSON = re.compile(r"\b(?<!tell )(?<!show )(?<!give )(?:i|me|my|mine|we|us|our|i'm|i've)\b", re.I)
_VAGUE = any_of(
    r"^\w+(?: \w+)? (?:it|this|that|these|those|them)\b(?:\W|$)",
    r"^\w+(?:(?:,| and| or|,? then| \+) \w+)*(?:,? (?:if|when|where|once|unless|asap|today|now)\b.*)?\W*$",
)
"""Requests that do not say what they are about: "make it faster", "check and refund if true"."""
_MENDS = any_of(
    r"^(?:fix|solve|debug|repair|resolve|investigate|look|check|help|handle|sort|find out|figure|see|have|take)\b"
)
_DO_IT = any_of(r"^(?:do|arrange|handle|manage|take care of) (?:it|this|that)\W*$")
_ALSO = any_of(r"\b(?:and|then|or)\b")
_FUNCTION_WORD = re.compile(r"^(?:The|A|An|My|Our|Your|This|That|These|There|It|When|Since|After|Every|All|Some|We)\b")
_PASTED = re.compile(r"```.*?(?:```|\Z)|^(?:Traceback|[ \t]{2,}|\s*(?:at|File) )[^\n]*$", re.DOTALL | re.MULTILINE)
_ASKED_LAST = any_of(
    r",\s+(?=(?:can|could|would|will) you\b|(?:please|pls)\b)",
    r",\s+(?=\w+ (?:it|this|that|them)(?: \w+)?(?: (?:please|pls))?\W*$)",
)
"""Where a sentence goes on with what is asked for."""
_LISTED = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s", re.MULTILINE)
_I_DID = re.compile(r"^(?:(?:ok(?:ay)?|done|great|all done)[,.!:]?\s+)*(?:i|we)(?:'ve| have)?\s+(?=\w)", re.I)


def task_intent(run: Sequence[Step], speakers: Mapping[str, str]) -> str:
    """`speakers` has the name that people read for each sender."""
    asked = _request_of(run)
    if asked is not None:
        at, request = asked
        return _told(request, run[:at], speakers.get(request.by, ""))
    spoken = [step for step in run if isinstance(step, Said) and step.role == "assistant"]
    calls = [step for step in run if isinstance(step, Call)]
    real = [step.text for step in spoken if not courtesy(step.text)]
    if calls and any(isinstance(step, Said) and step.role == "user" for step in run):
        real = real[::-1]  # the last words tell what was done
    if not calls:
        real = real or [step.text for step in run if isinstance(step, Said)]
    if real:
        said = sentences(real[0])[0]
        told = _capital(_I_DID.sub("", said) or said) if calls and _I_DID.match(said) else bare(as_order(said))
        return one_line(told, INTENT)
    used = f"Use {_used(calls)}"
    outputs = "; ".join(call.result for call in calls if not call.told and call.result)
    return one_line(f"{used} ({outputs})" if outputs else used, INTENT)


def _used(calls: Sequence[Call]) -> str:
    """The tools of a run in which nobody said a word, with what they were used on."""
    objects: dict[str, dict[str, None]] = {}
    for call in calls:
        plain = [value for value in call.values.values() if 1 < len(value) <= OBJECT and "\n" not in value]
        objects.setdefault(call.action.kind or call.name, {}).update(dict.fromkeys(plain))
    return ", ".join(f"{kind} ({', '.join(list(on)[:OBJECTS])})" if on else kind for kind, on in objects.items())


def _request_of(run: Sequence[Step]) -> tuple[int, Said] | None:
    """What the user asked for before the work began; in the middle of work, the last thing they asked for."""
    first_call = next((at for at, step in enumerate(run) if isinstance(step, Call)), len(run))
    by_user = [(at, step) for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user"]
    real = [(at, step) for at, step in by_user if not asks_nothing(step.text)]
    before = [(at, step) for at, step in real if at < first_call]
    telling = [(at, step) for at, step in before if things(heard(step.text))] or before
    if before:
        return next(((at, step) for at, step in telling if _asks(step.text)), telling[-1])
    return next(((at, step) for at, step in reversed(real) if _asks(step.text)), None)


def _asks(text: str) -> bool:
    parts = sentences(without_greeting(heard(text)))
    return any(requests(part) or is_problem(part) or is_question(part) for part in parts)


def _told(request: Said, earlier: Sequence[Step], speaker: str) -> str:
    text = heard(request.text)
    said = sentences(without_greeting(_PASTED.sub("", text).strip() or text))
    split = [_ASKED_LAST.split(sentence) for sentence in said]
    reasons = {part: before for parts in split for before, part in pairwise(parts)}
    parts = [part for sentence in split for part in sentence]
    parts = [part for part in parts if not asks_nothing(part)] or parts
    if len(parts) > 1 and _LISTED.search(text) and all(requests(part) for part in parts):
        return one_line("; ".join(bare(part) for part in parts), INTENT)
    asked = [part for part in parts if (requests(part) or is_question(part)) and not is_problem(part)]
    troubles = [part for part in parts if is_problem(part)]
    clear = [part for part in asked if things(part) and not (troubles and only_mends(part))]
    chosen = next((part for part in clear if len(things(part)) > 1), clear[0]) if clear else ""
    if chosen and not (troubles and _MENDS.match(bare(chosen)) and _VAGUE.match(bare(chosen))):
        named = len(things(chosen))
        told = [part for part in parts if part not in asked] if named < FEW else []
        reason = reasons.get(chosen, "") if named <= FEW else ""
        context = reason or next((part for part in told if len(things(part)) > named), "")
        return _with(bare(chosen), context) if context else _named(bare(chosen), parts, chosen, earlier, speaker)
    if troubles:
        return _fix(troubles[0])
    chosen = asked[0] if asked else max(parts, key=lambda part: len(things(part)))
    return _named(bare(chosen), parts, chosen, earlier, speaker)


def _named(intent: str, parts: Sequence[str], chosen: str, earlier: Sequence[Step], speaker: str) -> str:
    """The request; with what "it" is, where it says no more, and with who is meant by "my"."""
    if _VAGUE.match(intent) or not things(intent):
        rest = [part for part in parts if part != chosen]
        before = [step.text for step in earlier if isinstance(step, Said) and not courtesy(step.text)]
        context = rest[0] if rest else sentences(before[-1])[0] if before else ""
        if context and _MENDS.match(intent) and not _ALSO.search(intent):
            return _fix(context)
        if context and _DO_IT.match(intent):
            return one_line(bare(context), INTENT)
        return _with(intent, context) if context else one_line(intent, INTENT)
    if _FIRST_PERSON.search(intent) and speaker.replace(" ", "").isalpha():
        return f"{one_line(intent.rstrip('.'), INTENT - 45)} (asked by {one_line(speaker, 30)})"
    return one_line(intent, INTENT)


def _with(intent: str, context: str) -> str:
    return f"{one_line(intent.rstrip('.'), CONTEXT)} ({one_line(context.rstrip('.'), CONTEXT)})"


def _fix(trouble: str) -> str:
    told = problem(trouble).rstrip(".!")
    if _FUNCTION_WORD.match(told):
        told = told[:1].lower() + told[1:]
    return one_line(f"Fix: {told}", INTENT)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

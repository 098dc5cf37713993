"""A run cut into tasks, and each task in one sentence: what was asked for, else what the agent did.

Answers to the agent's questions, objections, second thoughts ("make it shorter") and words about the thing at hand stay
in the task; a request for something else begins the next. A problem that somebody tells ("pytest fails") is a wish that
it go away: "Fix: pytest fails ...".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from everlore.extract.phrases import heard, one_line, sentences
from everlore.extract.requests import (
    as_order,
    bare,
    definite,
    is_problem,
    lasting,
    only_mends,
    problem,
    requests,
    things,
    without_greeting,
)
from everlore.extract.sentences import is_question
from everlore.extract.trajectory import Call, Said, Step, first_call, said_by_user
from everlore.extract.verdict import asks_nothing, clauses, courtesy, objects_to
from everlore.extract.vocabulary import Vocabulary

SPOKEN = 20_000
"""Characters of a task in which a thing may have been named."""

_KNOWN = Vocabulary("tasks")


def tasks(run: Sequence[Step]) -> list[list[Step]]:
    """The tasks in order, each with some work. A run without any call is one task."""
    found: list[list[Step]] = [[]]
    for step in run:
        current = found[-1]
        if isinstance(step, Said) and step.role == "user" and current:
            said, asked = _parted(step.text)
            if asked and _begins(asked, current):
                if said:
                    current.append(replace(step, text=said))
                found.append([replace(step, text=asked)])
                continue
        current.append(step)
    if len(found) > 1 and _complains(found[-1]):
        found[-2:] = [[*found[-2], *found[-1]]]
    worked = [task for task in found if any(isinstance(step, Call) for step in task)]
    return worked or [list(run)]


def _complains(task: Sequence[Step]) -> bool:
    """The last words of a session that tell of a problem and ask for nothing: the work before brought it about."""
    first = task[0]
    if not isinstance(first, Said) or any(isinstance(step, Call) for step in task):
        return False
    return is_problem(first.text) and not requests(first.text) and problem(first.text) == first.text


def _parted(text: str) -> tuple[str, str]:
    """What a message says of the work so far, at its beginning, and the rest of it."""
    rest = text
    for clause in clauses(text):
        if not asks_nothing(clause) or not rest.startswith(clause):
            break
        rest = rest[len(clause) :].lstrip(" \n,;")
    return text[: len(text) - len(rest)].strip(" ,;\n"), rest


def _begins(text: str, current: Sequence[Step]) -> bool:
    """Whether a message asks for something else than what is going on."""
    if (
        asks_nothing(text)
        or objects_to(text)
        or (_KNOWN["goes_with_it"].match(text) and not _KNOWN["goes_on"].search(text))
    ):
        return False
    if isinstance(current[-1], Call) and _KNOWN["while_at_it"].match(text):
        return False
    asked = [part for part in sentences(heard(text)) if requests(part) or is_problem(part) or is_question(part)]
    if not asked or _answers(text, current):
        return False
    request = next((part for part in asked if things(part)), "")
    if (
        not request
        or lasting(request)
        or _KNOWN["again"].search(request)
        or _refers(request)
        or (is_question(request) and _KNOWN["about_the_work"].search(request))
    ):
        return False
    return bool(_KNOWN["goes_on"].search(text)) or not (
        _KNOWN["manner"].match(bare(request)) or _known(request, current)
    )


def _answers(text: str, current: Sequence[Step]) -> bool:
    """Whether the agent had asked. An offer ("Shall I …?") may be passed over with another request."""
    last = current[-1]
    if not isinstance(last, Said) or last.role != "assistant":
        return False
    question = sentences(last.text)[-1]
    if not is_question(question) or _KNOWN["closing"].search(question):
        return False
    return not (_KNOWN["offer"].search(question) and requests(text) and not things(heard(text)) & things(question))


def _refers(request: str) -> bool:
    """Whether a request speaks of what is at hand: "add a test for it", not "write a script and see that it runs"."""
    word = _KNOWN["referring"].search(request)
    return word is not None and len(things(request[: word.start()])) < 2


def _known(request: str, current: Sequence[Step]) -> bool:
    """Whether it is about something that was spoken of: each thing that it calls "the …", else nearly all it names."""
    spoken = " ".join(heard(step.text) if isinstance(step, Said) else step.label for step in current)
    before = things(spoken[-SPOKEN:])
    named = definite(bare(request))
    if named:
        return named <= before
    return len(things(request) & before) * 4 >= 3 * len(things(request))


INTENT = 200
CONTEXT = 90
FEW = 2
"""Things that a request names at most which is told with the reason before it; with fewer, also with what else the
user told."""
OBJECT, OBJECTS = 30, 3
"""Characters of an argument that is told as what a tool was used on, and how many of them."""

_PASTED = re.compile(r"```.*?(?:```|\Z)|^(?:Traceback|[ \t]{2,}|\s*(?:at|File) )[^\n]*$", re.DOTALL | re.MULTILINE)
_LISTED = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s", re.MULTILINE)


def task_intent(run: Sequence[Step], speakers: Mapping[str, str]) -> str:
    """`speakers` has the name that people read for each sender."""
    asked = _request_of(run)
    if asked is not None:
        at, request = asked
        return _told(request, run[:at], speakers.get(request.by, ""))
    spoken = [step for step in run if isinstance(step, Said) and step.role == "assistant"]
    calls = [step for step in run if isinstance(step, Call)]
    real = [step.text for step in spoken if not courtesy(step.text)]
    if calls and said_by_user(run):
        real = real[::-1]  # the last words tell what was done
    if not calls:
        real = real or [step.text for step in run if isinstance(step, Said)]
    if real:
        said = sentences(real[0])[0]
        if not calls or not _KNOWN["i_did"].match(said):
            return one_line(bare(as_order(said)), INTENT)
        told = _KNOWN["i_did"].sub("", said) or said
        return one_line(told[:1].upper() + told[1:], INTENT)
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
    begun = first_call(run)
    by_user = [(at, step) for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user"]
    real = [(at, step) for at, step in by_user if not asks_nothing(step.text)]
    before = [(at, step) for at, step in real if at < begun]
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
    split = [_KNOWN["asked_last"].split(sentence) for sentence in said]
    reasons = {part: before for parts in split for before, part in pairwise(parts)}
    parts = [part for sentence in split for part in sentence]
    parts = [part for part in parts if not asks_nothing(part)] or parts
    if len(parts) > 1 and _LISTED.search(text) and all(requests(part) for part in parts):
        return one_line("; ".join(bare(part) for part in parts), INTENT)
    asked = [part for part in parts if (requests(part) or is_question(part)) and not is_problem(part)]
    troubles = [part for part in parts if is_problem(part)]
    clear = [part for part in asked if things(part) and not (troubles and only_mends(part))]
    chosen = next((part for part in clear if len(things(part)) > 1), clear[0]) if clear else ""
    if chosen and not (troubles and _KNOWN["mends"].match(bare(chosen)) and _KNOWN["vague"].match(bare(chosen))):
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
    if _KNOWN["vague"].match(intent) or not things(intent):
        rest = [part for part in parts if part != chosen]
        before = [step.text for step in earlier if isinstance(step, Said) and not courtesy(step.text)]
        context = rest[0] if rest else sentences(before[-1])[0] if before else ""
        if context and _KNOWN["mends"].match(intent):
            return _fix(context)
        return _with(intent, context) if context else one_line(intent, INTENT)
    if _KNOWN["first_person"].search(intent) and speaker.replace(" ", "").isalpha():
        return f"{one_line(intent.rstrip('.'), INTENT - 45)} (asked by {one_line(speaker, 30)})"
    return one_line(intent, INTENT)


def _with(intent: str, context: str) -> str:
    return f"{one_line(intent.rstrip('.'), CONTEXT)} ({one_line(context.rstrip('.'), CONTEXT)})"


def _fix(trouble: str) -> str:
    told = problem(trouble).rstrip(".!")
    if _KNOWN["function_word"].match(told):
        told = told[:1].lower() + told[1:]
    return one_line(f"Fix: {told}", INTENT)

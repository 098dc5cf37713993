"""A run cut into tasks, and each task in one sentence: what was asked for, else what the agent did.

Answers to the agent's questions, objections, second thoughts ("make it shorter") and words about the thing at hand stay
in the task; a request for something else begins the next. A problem that somebody tells ("pytest fails") is a wish that
it go away: "Fix: pytest fails".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from everlore.extract.agent.judge import judgement
from everlore.extract.agent.outcome import one_line
from everlore.extract.agent.run import Call, Said, Step, calls_in, first_call
from everlore.extract.sentences import content_words, is_question, split
from everlore.extract.vocabulary import Vocabulary
from everlore.stem import stem

INTENT, CONTEXT = 200, 90
SPOKEN = 20_000
"""Characters of a task in which a thing may have been named."""
HEARD = 2_000
"""Characters of what a user says that are looked at: what they ask stands before or after what they paste."""
OBJECT, OBJECTS = 30, 3
"""Characters of an argument that is told as what a tool was used on, and how many of them."""

_KNOWN = Vocabulary("agent/task")
_ORDERS, _COURTESY, _GENERIC = (_KNOWN.words(name) for name in ("orders", "courtesy", "generic"))
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


def tasks(run: Sequence[Step]) -> list[list[Step]]:
    """The tasks in order, each with some work. A run without any call is one task."""
    found: list[list[Step]] = [[]]
    for step in run:
        current = found[-1]
        if isinstance(step, Said) and step.role == "user" and (calls_in(current) or _answered(current)):
            said, asked = _parted(step.text)
            if asked and _begins(asked, current):
                if said:
                    current.append(replace(step, text=said))
                found.append([replace(step, text=asked)])
                continue
        current.append(step)
    worked = [task for task in found if calls_in(task)]
    last = found[-1][0] if found[-1] else None
    if worked and found[-1] is not worked[-1] and isinstance(last, Said) and judgement(last.text):
        worked[-1].extend(found[-1])  # the last words tell what became of the work before
    return worked or [list(run)]


def _answered(task: Sequence[Step]) -> bool:
    """Whether an agent has answered in words alone."""
    return bool(task) and isinstance(task[-1], Said) and task[-1].role == "assistant" and not task[-1].acting


def courtesy(text: str) -> bool:
    """Greetings, assent and thanks, by whomever: not a word of anything else."""
    return all(word.lower() in _COURTESY for word in _WORD.findall(text[:HEARD]))


def things(text: str) -> frozenset[str]:
    """The stems of what a text is about, without words that fit any task."""
    return frozenset(stem(word) for word in content_words(text) if word not in _GENERIC)


def bare(sentence: str) -> str:
    """A request as an order: "Could you please deploy the api?" is "Deploy the api"."""
    plain = _KNOWN["polite"].sub("", sentence).strip() or sentence
    if is_order(plain):
        plain = re.sub(r",? (?:please|pls)\b(?=\W|$)", "", plain).rstrip("?").rstrip()
        plain = re.sub(r"^(\w+) (?:me|us) (?=an?\b|the\b|some\b|all\b|one\b|two\b|three\b|\d)", r"\1 ", plain)
    return plain[:1].upper() + plain[1:] if plain.partition(" ")[0].isalpha() else plain


def is_order(sentence: str) -> bool:
    first = sentence.partition(" ")[0].strip(",.:;!").lower()
    return first in _ORDERS and not _is_subject(sentence)


def _is_subject(sentence: str) -> bool:
    """ "Build is red", "Report shows nothing": the first word is what is spoken of."""
    second = (sentence.split()[1:2] or [""])[0].lower()
    return second in (
        "is",
        "are",
        "was",
        "were",
        "has",
        "does",
        "fails",
        "failed",
        "keeps",
        "shows",
        "takes",
        "doesn't",
    )


def _asks(sentence: str) -> bool:
    return bool(_KNOWN["asks"].search(sentence)) or is_order(bare(sentence)) or is_question(sentence)


def _is_problem(sentence: str) -> bool:
    told = _KNOWN["mend"].sub("", sentence)
    return bool(_KNOWN["problem"].search(told)) and not is_order(bare(told)) and not is_question(told)


def _heard(text: str) -> str:
    text = text if len(text) <= HEARD else f"{text[: HEARD * 3 // 4]}\n{text[-HEARD // 4 :]}"
    return _KNOWN["pasted"].sub("", text).strip() or text


def _parted(text: str) -> tuple[str, str]:
    """What a message says of the work so far, at its beginning, and the rest of it."""
    rest = text
    for sentence in split(_heard(text)):
        if not rest.startswith(sentence) or not (courtesy(sentence) or judgement(sentence) == "confirms"):
            break
        rest = rest[len(sentence) :].lstrip(" \n,;")
    return text[: len(text) - len(rest)].strip(), rest


def _begins(text: str, current: Sequence[Step]) -> bool:
    """Whether a message asks for something else than what is going on."""
    asked = [part for part in split(_heard(text)) if _asks(part) or _is_problem(part)]
    request = next((part for part in asked if things(part)), "")
    if not request or _answers(request, current):
        return False
    if _KNOWN["goes_on"].search(text):
        return True
    plain = bare(request)
    refers = _KNOWN["stays"].search(plain)  # "add a test for it", not "write a script and see that it runs"
    if refers and (refers[0].startswith("re") or len(things(plain[: refers.start()])) < 2):
        return False
    judged = judgement(text)
    if judged == "undo" or (judged == "rejects" and re.match(r"\W*(?:no\W+)?you\b", text, re.I)):
        return False
    spoken = " ".join(_heard(step.text) if isinstance(step, Said) else step.label for step in current)
    before = things(spoken[-SPOKEN:])
    definite = re.search(r"\b(?:the|your) (\w+)", request)
    if definite and things(definite[1]) and things(definite[1]) <= before:
        return False
    return len(things(request) & before) * 4 < 3 * len(things(request))


def _answers(request: str, current: Sequence[Step]) -> bool:
    """Whether the agent had asked. An offer ("Shall I …?") may be passed over with another request."""
    last = current[-1]
    if not isinstance(last, Said) or last.role != "assistant":
        return False
    question = (split(last.text) or [""])[-1]
    if not is_question(question) or _KNOWN["closing"].search(question):
        return False
    return not (_KNOWN["offer"].search(question) and _asks(request) and not things(request) & things(question))


def task_intent(run: Sequence[Step]) -> str:
    request = _request_of(run)
    if request is not None:
        at, text = request
        return _told(text, run[:at])
    calls = calls_in(run)
    said = [step.text for step in run if isinstance(step, Said)]
    real = [text for text in said if not courtesy(text)] or ([] if calls else said)
    if real and (parts := split(real[0])):
        done = re.sub(r"^(?:I|We)(?:'ve| have)? (?=\w+ed\b)", "", parts[0]) if calls else parts[0]
        return one_line(bare(done[:1].upper() + done[1:]), INTENT)
    outputs = "; ".join(call.outcome.told for call in calls if not call.told and call.outcome.told)
    used = f"Use {_used(calls)}"
    return one_line(f"{used} ({outputs})" if outputs else used, INTENT)


def _used(calls: Sequence[Call]) -> str:
    """The tools of a run in which nobody said a word, with what they were used on."""
    objects: dict[str, dict[str, None]] = {}
    for call in calls:
        plain = [value for value in call.values.values() if 1 < len(value) <= OBJECT and "\n" not in value]
        objects.setdefault(call.action.kind or call.name, {}).update(dict.fromkeys(plain))
    return ", ".join(f"{kind} ({', '.join(list(on)[:OBJECTS])})" if on else kind for kind, on in objects.items())


def _request_of(run: Sequence[Step]) -> tuple[int, str] | None:
    """What the user asked for before the work began; in the middle of work, the last thing they asked for."""
    begun = first_call(run)
    said = [(at, step.text) for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user"]
    real = [(at, text) for at, text in said if not courtesy(text)]
    asking = [(at, text) for at, text in real if any(_asks(part) or _is_problem(part) for part in split(_heard(text)))]
    before = [(at, text) for at, text in asking if at < begun and things(_heard(text))]
    before = before or [(at, text) for at, text in asking or real if at < begun]
    return before[0] if before else asking[-1] if asking and begun < len(run) else next(iter(real), None)


def _told(text: str, earlier: Sequence[Step]) -> str:
    parts = [part for part in split(_heard(text)) if not courtesy(part)] or split(text) or [text]
    asked = [part for part in parts if _asks(part) and not _is_problem(part)]
    troubles = [_KNOWN["mend"].sub("", part).rstrip(" ,;:.-–—!") for part in parts if _is_problem(part)]
    clear = [part for part in asked if things(part) and not (troubles and _KNOWN["mend"].fullmatch(part))]
    if clear:
        return one_line(bare(clear[0]), INTENT)
    if troubles:
        return one_line(f"Fix: {_uncapital(troubles[0])}", INTENT)
    chosen = asked[0] if asked else max(parts, key=lambda part: len(things(part)))
    before = [step.text for step in earlier if isinstance(step, Said) and not courtesy(step.text)]
    rest = [part for part in parts if part != chosen]
    context = rest[0] if rest else split(before[-1])[0] if before and split(before[-1]) else ""
    if context and (_KNOWN["vague"].match(bare(chosen)) or not things(chosen)):
        if _KNOWN["mend"].fullmatch(chosen):
            return one_line(f"Fix: {_uncapital(context.rstrip('.!'))}", INTENT)
        return f"{one_line(bare(chosen).rstrip('.'), CONTEXT)} ({one_line(context.rstrip('.'), CONTEXT)})"
    return one_line(bare(chosen), INTENT)


def _uncapital(text: str) -> str:
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first.lower() in ("the", "a", "an", "my", "our", "this", "it", "we") else text

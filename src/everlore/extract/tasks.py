"""A run cut into tasks: each begins with a request of its own and goes on while the user stays with it.

A session of work rarely has one task. Answers to the agent's questions, objections, second thoughts ("make it shorter",
"also for the tests") and words about the thing at hand stay in the task; a request for something else begins the next.
What the user says of the finished work before they go on ("Great, that works. Now …") still belongs to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from everlore.extract.asking import bare, definite, is_problem, lasting, problem, requests, things
from everlore.extract.phrases import any_of, heard, sentences
from everlore.extract.sentences import is_question
from everlore.extract.trajectory import Call, Said, Step
from everlore.extract.verdict import asks_nothing, clauses, objects_to

SPOKEN = 20_000
"""Characters of a task in which a thing may have been named."""

_GOES_ON = any_of(
    r"^(?:(?:ok(?:ay)?|great|thanks|and|so)[,.!]?\s+)*(?:now(?! (?:the|it|this|that|my|i|we|all|nothing|they)\b)|next"
    r"|then|after that|another (?:thing|task|one|request|question|issue)|one more thing|separately|unrelated"
    r"|by the way|btw|moving on|on another note|different (?:topic|thing)|new (?:task|topic|request)|second(?:ly)?)\b"
)
_GOES_WITH_IT = any_of(
    r"^and\b(?! (?:now|then|next)\b)",
    r"^(?:this|that|these|those|it|they)(?:'s|'re)? (?:is|are|was|were|looks?|seems?|should|has|have|needs?|must"
    r"|still)\b",
    r"^(?:it|they) \w+s\b|^(?:that|it|they|this)'(?:s|re)\b",
)
_WHILE_AT_IT = any_of(r"^(?:also|plus|oh|wait)\b")
_REFERRING = any_of(
    r"\b(?:it|its|them|instead|again|the same|another one|the \w+ ones?|as well|(?:in|on|from|to|over) there)\b",
    r"\b(?:this|that|these|those)(?= (?:to|in|for|with|on|as|and|by|from|into|too|again)\b|\W*$)|\bthen(?=\W*$)",
    r"\b(?:for|of|to|about|with|like|do) (?:this|that|these|those)(?=\W|$)",
)
_AGAIN = any_of(r"\b(?:retry|rerun|re-run|redo|repeat|try again)\b")
_MANNER = any_of(r"^(?:use|keep|skip|leave|sort|only|try|stick|stay)\b")
"""Orders that say how to do what is being done."""
_OFFER = any_of(r"\b(?:want me to|should i|shall i|would you like|do you want|may i|can i)\b")
_CLOSING = any_of(
    r"\b(?:anything|something|what) else\b|\bwhat(?:'s| is)? next\b|\bhow (?:else )?(?:can|may) i (?:help|assist)"
    r"|\bnext\?$"
)
_ABOUT_THE_WORK = any_of(
    r"\b(?:did|have|why|how|what) you\b|\byou(?:'ve| have)? (?:use|chose|choose|change|do|did|ma[dk]e)"
)


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
    if asks_nothing(text) or objects_to(text) or (_GOES_WITH_IT.match(text) and not _GOES_ON.search(text)):
        return False
    if isinstance(current[-1], Call) and _WHILE_AT_IT.match(text):
        return False
    asked = [part for part in sentences(heard(text)) if requests(part) or is_problem(part) or is_question(part)]
    if not asked or _answers(text, current):
        return False
    request = next((part for part in asked if things(part)), "")
    if (
        not request
        or lasting(request)
        or _AGAIN.search(request)
        or _refers(request)
        or (is_question(request) and _ABOUT_THE_WORK.search(request))
    ):
        return False
    return bool(_GOES_ON.search(text)) or not (_MANNER.match(bare(request)) or _known(request, current))


def _answers(text: str, current: Sequence[Step]) -> bool:
    """Whether the agent had asked. An offer ("Shall I …?") may be passed over with another request."""
    last = current[-1]
    if not isinstance(last, Said) or last.role != "assistant":
        return False
    question = sentences(last.text)[-1]
    if not is_question(question) or _CLOSING.search(question):
        return False
    return not (_OFFER.search(question) and requests(text) and not things(heard(text)) & things(question))


def _refers(request: str) -> bool:
    """Whether a request speaks of what is at hand: "add a test for it", not "write a script and see that it runs"."""
    word = _REFERRING.search(request)
    return word is not None and len(things(request[: word.start()])) < 2


def _known(request: str, current: Sequence[Step]) -> bool:
    """Whether it is about something that was spoken of: each thing that it calls "the …", else nearly all it names."""
    spoken = " ".join(heard(step.text) if isinstance(step, Said) else step.label for step in current)
    before = things(spoken[-SPOKEN:])
    named = definite(bare(request))
    if named:
        return named <= before
    return len(things(request) & before) * 4 >= 3 * len(things(request))

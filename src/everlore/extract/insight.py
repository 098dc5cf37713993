"""What can be learned from a run, in one sentence, or nothing: no lesson is better than a false one.

In this order: what the user objected to, where they stayed displeased; what they want from now on; the cause or the
lesson as the agent told it at the end; what the user corrected; how something that failed came to work; what failed and
was not solved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from everlore.extract.phrases import heard, one_line, sentences
from everlore.extract.reaction import admission, final_answer, objections, reaction
from everlore.extract.requests import is_problem, lasting, only_mends
from everlore.extract.sentences import content_words, is_english, is_question
from everlore.extract.trajectory import Call, Said, Step, first_call, said_by_user
from everlore.extract.verdict import verdict
from everlore.extract.vocabulary import Vocabulary

SHOWN = 80
"""Characters of a value, or of a whole command, that are told."""
CHANGES = 3
WORDS = 400
"""Words of two texts that are compared."""


def difference(failed: Call, worked: Call) -> str:
    """How the second call differs, as it goes on from "it worked with"; empty if it does the same."""
    one, two = failed.action.command, worked.action.command
    if one and two:
        return "" if one.split() == two.split() else f"`{quoted(two)}`" if len(two) <= SHOWN else _words(one, two)
    if not failed.values or not worked.values:
        return "" if failed.label == worked.label else f"`{quoted(worked.label)}`"
    told = [
        f"`{name}={quoted(value)}`" if name not in failed.values or len(value) <= SHOWN else _words(old, value)
        for name, value in worked.values.items()
        if value.split() != (old := failed.values.get(name, "")).split()
    ]
    gone = [f"no `{name}`" for name in failed.values if name not in worked.values]
    return ", ".join([*filter(None, told), *gone][:CHANGES])


def _words(old: str, new: str) -> str:
    """The words of a text that are new, and what stood in their place."""
    before, after = old.split()[:WORDS], new.split()[:WORDS]
    found = []
    for kind, i, j, k, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        here, there = quoted(" ".join(before[i:j])), quoted(" ".join(after[k:end]))
        if kind == "replace":
            found.append(f"`{there}` instead of `{here}`")
        elif kind == "insert":
            found.append(f"`{there}` added")
        elif kind == "delete":
            found.append(f"no `{here}`")
    return ", ".join(found[:CHANGES])


def quoted(text: str) -> str:
    """A text of one line, safe between backticks."""
    return one_line(text, SHOWN).replace("`", "'")


INSIGHT = 200
REASON = 110
TELLING = 3
"""Words of content that an objection needs to say more than that something failed."""

_KNOWN = Vocabulary("insight")
_FIRST_WORD = re.compile(r"^(?:the|an?|it|this|that|there|your|our)\b")
"""May be made large where it came behind "Fixed:"; any other word may be a name such as `npm`."""
_LAST_CLAUSE = re.compile(r"^.*,\s+")


def key_insight(run: Sequence[Step]) -> str | None:
    judged = reaction(run)
    calls = [step for step in run if isinstance(step, Call)]
    unsolved = None if judged == "pleased" else _unsolved(calls)
    objected = objections(run)
    if judged == "displeased":
        told = _fullest([text for _, text in objected] or _complaints(run))
        return unsolved if unsolved and len(content_words(told)) < TELLING else f"The user objected: {told}"
    lasting = _from_now_on(run)
    if lasting:
        return f"The user wants: {lasting}"
    stated = _stated(run, objected[-1][0] if objected else -1, solved=not unsolved and not admission(run))
    if stated:
        return stated
    if objected:
        return f"The user corrected: {_fullest([text for _, text in objected])}"
    return _recovery(calls) or unsolved or one_line(admission(run), INSIGHT) or None


def _complaints(run: Sequence[Step]) -> list[str]:
    """What a displeased user said that points at nothing: their last words at least."""
    said = said_by_user(run)
    return [text for text in said[1:] if verdict(text) == "displeased"] or said[-1:]


def _fullest(texts: Sequence[str]) -> str:
    """The one that says most."""
    told = max(texts, key=lambda text: len(set(content_words(text[:INSIGHT]))))
    return one_line(" ".join(sentences(told)), INSIGHT - 20)


def _from_now_on(run: Sequence[Step]) -> str:
    """What the user wants done so each time, said once the agent had begun."""
    said = said_by_user(run[first_call(run) :])
    told = [part for text in said for part in sentences(heard(text)) if not is_question(part)]
    return one_line(next(filter(lasting, reversed(told)), ""), INSIGHT - 20)


def _stated(run: Sequence[Step], after: int, solved: bool) -> str | None:
    """A cause or lesson that the agent told after the last objection and that is no guess; the latest first."""
    final = final_answer(run)
    for at in range(len(run) - 1, after, -1):
        step = run[at]
        if not isinstance(step, Said) or step.role != "assistant" or (step.acting and at != final):
            continue
        told = [
            _KNOWN["opening"].sub("", sentence)
            for sentence in sentences(step.text)
            if not _KNOWN["guess"].search(sentence)
        ]
        lesson = next((sentence for sentence in told if _KNOWN["lesson"].search(sentence)), None)
        if lesson is None and solved and _was_told_a_problem(run):
            parts = [part for sentence in told for part in sentence.split("; ")]
            lesson = next((part for part in parts if _explains(part)), None)
        if lesson:
            return one_line(_FIRST_WORD.sub(lambda first: first[0].capitalize(), lesson), INSIGHT)
    return None


def _explains(sentence: str) -> bool:
    """Whether it tells how things had been: what is in the past and not the agent's own work, after a problem."""
    told = len(content_words(sentence)) >= TELLING and is_english(sentence)
    return (
        told
        and bool(_KNOWN["past"].search(_KNOWN["present"].sub("", sentence)))
        and not _KNOWN["own_report"].search(sentence)
    )


def _was_told_a_problem(run: Sequence[Step]) -> bool:
    asked = said_by_user(run[: first_call(run)])
    parts = [part for text in asked for part in sentences(heard(text))]
    return any(is_problem(part) or only_mends(_LAST_CLAUSE.sub("", part)) for part in parts)


def _recovery(calls: Sequence[Call]) -> str | None:
    """How a call that failed came to work, if it did for good: what was changed about it or done in between."""
    found = ""
    for at, failed in enumerate(calls):
        if failed.outcome != "error" or not failed.told:
            continue
        tries = [n for n in range(at + 1, len(calls)) if calls[n].told and calls[n].action.again(failed.action)]
        worked = next((n for n in tries if calls[n].outcome == "ok"), None)
        if worked is None or calls[tries[-1]].outcome == "error" or (failed.looks and failed.action.command):
            continue
        between = [call for call in calls[at + 1 : worked] if call.outcome == "ok" and not call.looks]
        changed = difference(failed, calls[worked])
        if between and not changed:
            how = f"it worked after {_listed(between)}"
        elif changed:
            how = f"it worked with {changed}"
        else:
            how = "trying again worked"
        if not found or between:
            found = f"{_failure(failed)}; {how}"
    return one_line(found, 2 * INSIGHT) or None


def _unsolved(calls: Sequence[Call]) -> str | None:
    """The last thing that failed for good, if nothing else came of the work after it."""
    acting = [call for call in calls if call.told and call.outcome != "unknown" and not call.looks]
    if not acting or acting[-1].outcome != "error":
        return None
    return f"{_failure(acting[-1])}; this was not solved"


def _failure(call: Call) -> str:
    reason = one_line(call.result, REASON).rstrip(".") or "an error"
    return f"{_shown(call)} failed with {reason}"


def _shown(call: Call) -> str:
    return f"`{quoted(call.shown)}`"


def _listed(calls: Sequence[Call]) -> str:
    labels = list(dict.fromkeys(_shown(call) for call in calls))[-3:]
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"

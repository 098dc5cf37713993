"""How a run ended: the agent's last answer, what the user made of it, and how well it went on the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from everlore.extract.phrases import heard, sentences
from everlore.extract.requests import is_problem, requests
from everlore.extract.sentences import is_question
from everlore.extract.trajectory import Call, Said, Step, first_call, said_by_user
from everlore.extract.verdict import Verdict, asks_nothing, courtesy, objects_to, undoes, verdict
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("reaction")


_NO = re.compile(r"^\W*(?:no|nope|nah)\b[\s,.!]*", re.I)


def quality(run: Sequence[Step]) -> float:
    """How well the run went, by what can be seen of it, in [0, 1].

    0.25  for a run that can be told at all
    +0.35 if the agent gave a final answer after its last call; +0.20 where nobody said a word, as machines do
    +0.20 x (1 - unrecovered - recovered / 2), shares of the answered calls that ended in an error; an error is
          recovered if a call that tries the same worked later; +0.10 if no call was answered
    -0.25 if the last call that did something failed, or all that only looked
    -0.10 if the user had to object
    Then the last word. The user's: content lifts the score to 0.6 at least and adds 0.2, thanks alone add 0.1;
    displeasure, or the wish to have the work undone, leaves a fifth. So does an agent that admits that it failed.
    """
    answered = [step for step in run if isinstance(step, Call) and step.outcome != "unknown"]
    score = 0.25
    final = final_answer(run)
    score += 0.35 if final is not None else 0.20 if all(isinstance(step, Call) for step in run) else 0
    if answered:
        recovered, lost = _errors(answered)
        score += 0.20 * (1 - (lost + recovered / 2) / len(answered))
        acting = [call for call in answered if not call.looks]
        failed = acting[-1].outcome == "error" if acting else all(call.outcome == "error" for call in answered)
        score -= 0.25 if failed else 0
    else:
        score += 0.10
    judged = reaction(run)
    score -= 0.10 if objections(run) else 0
    if judged == "pleased":
        score = max(0.6, score) + 0.20
    elif judged == "displeased" or admission(run):
        score *= 0.2
    elif judged == "thanks":
        score += 0.10
    return round(min(1.0, max(0.0, score)), 2)


def reaction(run: Sequence[Step]) -> Verdict:
    """What the user's last words say of the work. Words that were followed by more work are no verdict, unless they
    wanted it undone, or complained and what was tried then failed."""
    calls = [at for at, step in enumerate(run) if isinstance(step, Call)]
    spoke = (at for at, step in enumerate(run) if isinstance(step, Said) and step.role == "assistant")
    worked = calls[-1] if calls else next(spoke, len(run))
    found: Verdict = ""
    for at in range(worked + 1, len(run)):
        step = run[at]
        if isinstance(step, Said) and step.role == "user":
            found = verdict(_no_answer(step.text, run[at - 1])) or found
    if found in ("", "thanks") and (_undone(run) or _not_made_good(run)):
        return "displeased"
    return found


def objections(run: Sequence[Step]) -> list[tuple[int, str]]:
    """What the user turned down or corrected after the agent had begun, and where."""
    begun = next((at for at, step in enumerate(run) if isinstance(step, Call) or step.role == "assistant"), len(run))
    said = [(at, step) for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user" and at > begun]
    return [
        (at, step.text)
        for at, step in said
        if objects_to(_no_answer(step.text, run[at - 1])) or _sets_right(step.text, run[at - 1], run[at + 1 :])
    ]


def _sets_right(text: str, before: Step, after: Sequence[Step]) -> bool:
    """Whether a user only states something where the agent thought that it was done, and the agent goes to work again.

    "It's the 17th", "v2 is the current one": no word of it objects, but what happens next does.
    """
    if not isinstance(before, Said) or before.role != "assistant" or before.acting:
        return False
    if is_question(before.text) or _KNOWN["failure"].search(before.text):  # they answer, or help out
        return False
    replied = next((step for step in after if isinstance(step, Call) or step.role == "assistant"), None)
    if replied is None or not (isinstance(replied, Call) or replied.acting or _KNOWN["concedes"].search(replied.text)):
        return False
    parts = sentences(heard(text))
    states = [part for part in parts if not (requests(part) or is_question(part) or is_problem(part))]
    if asks_nothing(text) or parts[0] not in states or asks_nothing(parts[0]):
        return False
    return len(states) == len(parts) or bool(_KNOWN["points"].match(parts[0]))


def _no_answer(text: str, before: Step) -> str:
    """Without a "no" at the head that answers a question of the agent."""
    asked = isinstance(before, Said) and before.role == "assistant" and is_question(before.text)
    return (_NO.sub("", text) or "ok") if asked else text


def _undone(run: Sequence[Step]) -> bool:
    """Whether the last thing that the user asked for was to undo the work."""
    said = said_by_user(run[first_call(run) :])
    asked = [text for text in said if undoes(text) or any(requests(part) for part in sentences(heard(text)))]
    return bool(asked) and undoes(asked[-1])


def _not_made_good(run: Sequence[Step]) -> bool:
    """Whether what the agent tried after the user's last complaint failed."""
    at = max((at for at, step in enumerate(run) if isinstance(step, Said) and step.role == "user"), default=0)
    last = run[at]
    if at == 0 or not isinstance(last, Said) or verdict(last.text) != "displeased" or not objects_to(last.text):
        return False
    tried = [step for step in run[at:] if isinstance(step, Call) and not step.looks]
    return bool(tried) and tried[-1].outcome == "error"


def _errors(answered: Sequence[Call]) -> tuple[int, int]:
    """How many calls failed and were made good later, and how many were not."""
    recovered = lost = 0
    for at, call in enumerate(answered):
        if call.outcome != "error":
            continue
        good = any(later.outcome == "ok" and later.action.again(call.action) for later in answered[at + 1 :])
        recovered, lost = (recovered + 1, lost) if good else (recovered, lost + 1)
    return recovered, lost


def admission(run: Sequence[Step]) -> str:
    """The sentence of the final answer that says that the work failed, where nothing else says that it did not."""
    final = final_answer(run)
    answer = run[final] if final is not None else None
    if not isinstance(answer, Said):
        return ""
    acted = [step for step in run if isinstance(step, Call) and step.outcome != "unknown" and not step.looks]
    failed = bool(acted) and acted[-1].outcome == "error"
    shape = (
        _KNOWN["failure"]
        if failed
        else _KNOWN["still"]
        if _KNOWN["success"].search(answer.text)
        else _KNOWN["admission"]
    )
    return next((sentence for sentence in sentences(answer.text) if shape.search(sentence)), "")


def final_answer(run: Sequence[Step]) -> int | None:
    """Where the agent's last telling words stand, if no call came after them."""
    for at in range(len(run) - 1, -1, -1):
        step = run[at]
        if isinstance(step, Call):
            return None
        if (
            step.role == "assistant"
            and not step.acting
            and (not courtesy(step.text) or _KNOWN["success"].search(step.text))
        ):
            return at
    return None

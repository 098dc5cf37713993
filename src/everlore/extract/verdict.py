"""What a user's words say of the work that was done for them: content, displeased, or neither.

Words such as "wrong" or "great" count where they judge ("that is wrong", "wrong city!"), not where they name a thing
("delete the wrong entries", "a great restaurant"). Each clause is read by itself, and the last judgement holds.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from everlore.extract.phrases import heard, sentences
from everlore.extract.requests import is_order, things
from everlore.extract.vocabulary import Vocabulary

Verdict: TypeAlias = Literal["pleased", "displeased", "thanks", ""]
"""`thanks` alone are said out of politeness too."""

_KNOWN = Vocabulary("verdict")

_INTERJECTION = _KNOWN.pattern("interjection")
_ONLY_FILLER = _KNOWN.pattern("only_filler")
_APART = _KNOWN.pattern("apart")
_UNSAID = _KNOWN.pattern("unsaid")

_NOT_BAD = _KNOWN.pattern("not_bad")
_REFUSAL = _KNOWN.pattern("refusal")
_BAD_FIRST = _KNOWN.pattern("bad_first")
_DISPLEASED = _KNOWN.pattern("displeased")
_OUTCRY = _KNOWN.pattern("outcry")
_UNDO = _KNOWN.pattern("undo")
_REDO = _KNOWN.pattern("redo")
_CORRECTION = _KNOWN.pattern("correction")
_TO_THE_AGENT = _KNOWN.pattern("to_the_agent")
_POINTED_AT = _KNOWN.pattern("pointed_at")
_POINTING = _KNOWN.pattern("pointing")
_GOOD_FIRST = _KNOWN.pattern("good_first")
_PLEASED = _KNOWN.pattern("pleased")
_THANKS = _KNOWN.pattern("thanks")
_COURTESY = _KNOWN.words("courtesy")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


def clauses(text: str) -> list[str]:
    """The parts of a text that can each judge for themselves: sentences, interjections, what "but" sets apart."""
    found: list[str] = []
    for sentence in sentences(heard(text)):
        for part in _APART.split(sentence):
            while word := _INTERJECTION.match(part):
                found.append(word[0].strip())
                part = part[word.end() :]
            found.append(part)
    return [part for part in found if part.strip()]


def verdict(text: str) -> Verdict:
    """The last judgement in a text. After a complaint, praise alone ("Great.") is bitter and thanks are polite."""
    found: Verdict = ""
    for clause in clauses(text):
        judged = _of_clause(clause)
        if judged == "displeased" or not found:
            found = judged or found
        elif judged == "pleased" and (found != "displeased" or len(_WORD.findall(clause)) > 1):
            found = judged
    return found


def _of_clause(clause: str) -> Verdict:
    if _UNSAID.match(clause):
        return ""
    plain = _NOT_BAD.sub("", clause)
    if clause.rstrip("\"' !").endswith(("?", "？")):
        return "displeased" if _OUTCRY.search(plain) else ""
    if _UNDO.search(plain) or _REFUSAL.search(plain) or _BAD_FIRST.search(plain):
        return "displeased"
    if _DISPLEASED.search(plain) and not is_order(plain):
        return "displeased"
    if plain != clause or _GOOD_FIRST.search(clause) or (_PLEASED.search(clause) and not is_order(clause)):
        return "pleased"
    return "thanks" if _THANKS.search(clause) else ""


def courtesy(text: str) -> bool:
    """Greetings, assent and thanks, by whomever: not a word of anything else."""
    return all(word.lower() in _COURTESY for word in _WORD.findall(heard(text)))


def asks_nothing(text: str) -> bool:
    """Words of a user that are courtesy or praise."""
    return courtesy(text) or all(_of_clause(clause) in ("pleased", "thanks") for clause in clauses(text))


def undoes(text: str) -> bool:
    """Whether the user wants the work undone or dropped, and nothing else done in its place."""
    return bool(_UNDO.search(heard(text))) and not _REDO.search(heard(text))


def objects_to(text: str) -> bool:
    """Whether the words turn down or correct what was just done, rather than tell of something else."""
    parts = clauses(text)
    first = next((part for part in parts if not _ONLY_FILLER.fullmatch(part)), parts[0])
    if _REFUSAL.search(parts[0]) or _CORRECTION.search(first) or undoes(text):
        return True
    named = False
    for part in parts:
        if _of_clause(part) == "displeased" and (_TO_THE_AGENT.search(part) or (_POINTING.search(part) and not named)):
            return True
        # "it" is what was just named, if something was; "these prices" are those that the agent has just told
        named = named or (bool(things(part)) and not _POINTED_AT.match(part))
    return False

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


_COURTESY = _KNOWN.words("courtesy")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


def clauses(text: str) -> list[str]:
    """The parts of a text that can each judge for themselves: sentences, interjections, what "but" sets apart."""
    found: list[str] = []
    for sentence in sentences(heard(text)):
        for part in _KNOWN["apart"].split(sentence):
            while word := _KNOWN["interjection"].match(part):
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
    if _KNOWN["unsaid"].match(clause):
        return ""
    plain = _KNOWN["not_bad"].sub("", clause)
    if clause.rstrip("\"' !").endswith(("?", "？")):
        return "displeased" if _KNOWN["outcry"].search(plain) else ""
    if _KNOWN["undo"].search(plain) or _KNOWN["refusal"].search(plain) or _KNOWN["bad_first"].search(plain):
        return "displeased"
    if _KNOWN["displeased"].search(plain) and not is_order(plain):
        return "displeased"
    if (
        plain != clause
        or _KNOWN["good_first"].search(clause)
        or (_KNOWN["pleased"].search(clause) and not is_order(clause))
    ):
        return "pleased"
    return "thanks" if _KNOWN["thanks"].search(clause) else ""


def courtesy(text: str) -> bool:
    """Greetings, assent and thanks, by whomever: not a word of anything else."""
    return all(word.lower() in _COURTESY for word in _WORD.findall(heard(text)))


def asks_nothing(text: str) -> bool:
    """Words of a user that are courtesy or praise."""
    return courtesy(text) or all(_of_clause(clause) in ("pleased", "thanks") for clause in clauses(text))


def undoes(text: str) -> bool:
    """Whether the user wants the work undone or dropped, and nothing else done in its place."""
    return bool(_KNOWN["undo"].search(heard(text))) and not _KNOWN["redo"].search(heard(text))


def objects_to(text: str) -> bool:
    """Whether the words turn down or correct what was just done, rather than tell of something else."""
    parts = clauses(text)
    first = next((part for part in parts if not _KNOWN["only_filler"].fullmatch(part)), parts[0])
    if _KNOWN["refusal"].search(parts[0]) or _KNOWN["correction"].search(first) or undoes(text):
        return True
    named = False
    for part in parts:
        if _of_clause(part) == "displeased" and (
            _KNOWN["to_the_agent"].search(part) or (_KNOWN["pointing"].search(part) and not named)
        ):
            return True
        # "it" is what was just named, if something was; "these prices" are those that the agent has just told
        named = named or (bool(things(part)) and not _KNOWN["pointed_at"].match(part))
    return False

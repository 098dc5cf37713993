"""What of a conversation is worth a fact: statements, not greetings, thanks, echoes and questions.

Everything is kept in the episode; this only decides what is also stated on its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from everlore.extract.lead_ins import opened
from everlore.extract.sentences import content_words, is_question
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("chatter")
_CODE = re.compile(r"[{}<>\[\]|\\=;`$]|_+|\w\(|://|->|=>")
_NAMED_CODE = re.compile(r"`[^`]+`|\b__\w+__\b")
"""A name of something in code that somebody speaks of."""
_DIGIT_OR_NAME = re.compile(r"\d+|(?<!^)(?<![.!?] )\b[A-Z]\w+")


def specific(sentence: str, people: frozenset[str]) -> list[str]:
    """The words that say something beyond who is in the talk."""
    return [word for word in content_words(sentence) if word not in people]


def weight_of(sentence: str, people: frozenset[str]) -> int:
    """The number of telling words; names and numbers tell more than others."""
    own = specific(sentence, people)
    return len(own) + sum(1 for mark in _DIGIT_OR_NAME.findall(sentence) if mark.lower() not in people)


def is_chatter(sentence: str, people: frozenset[str], weight: int) -> bool:
    """A reaction or a courtesy. A long one that is not about the listener may still tell something."""
    return bool(_KNOWN["chatter"].match(opened(sentence, people))) and (
        weight < 5 or bool(_KNOWN["listener"].search(sentence))
    )


def answers(sentence: str, people: frozenset[str]) -> bool:
    """Whether a short sentence can be the answer to a question: it says yes or no, or names something."""
    return bool(_KNOWN["yes_no"].match(sentence)) or (
        bool(specific(sentence, people)) and not _KNOWN["chatter"].match(sentence)
    )


def is_offer(sentence: str) -> bool:
    """An assistant's courtesy."""
    return bool(_KNOWN["offer"].search(sentence))


def is_code(sentence: str) -> bool:
    return len(_CODE.findall(_NAMED_CODE.sub("", sentence))) * 8 > len(sentence)


def open_question(sentences: Sequence[str]) -> str:
    """The last question of a turn if it asks for something about the listener, else empty."""
    for sentence in reversed(sentences):
        if is_question(sentence):
            asks = not _KNOWN["polite"].search(sentence) and len(content_words(sentence)) >= 1
            return sentence if asks else ""
    return ""


def information_weight(sentence: str, people: frozenset[str]) -> float:
    """How much a sentence says: its own words, with names and numbers counted twice."""
    own = len(set(specific(sentence, people)))
    marks = len(_DIGIT_OR_NAME.findall(sentence))
    return min(own, 14) + min(marks, 6)

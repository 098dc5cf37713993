"""What of a conversation is worth a fact: statements, not greetings, thanks, echoes and questions.

Everything is kept in the episode; this only decides what is also stated on its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from everlore.extract.lead_ins import opened
from everlore.extract.sentences import content_words, is_question

_CHATTER = re.compile(
    r"^(?:(?:hi|hey|hello|yo|good (?:morning|evening|night|afternoon|luck|job|for you)|bye|goodbye|see (?:you|ya)|"
    r"take care|talk (?:to you )?(?:soon|later)|catch you|thanks?\b|thank you|thx|cheers|no (?:problem|worries)|"
    r"you(?:['’]re| are) welcome|my pleasure|congrat\w*|well done|keep (?:it up|me posted|up)|way to go|"
    r"sounds? (?:like|good|great|fun|amazing|awesome|perfect|nice|wonderful|interesting|so|really)|"
    r"nice to|glad (?:to|you|it|that)|(?:i['’]m|i am) (?:so |really |very )?"
    r"(?:glad|happy|proud|excited|sorry|thrilled) (?:to hear|for you|of you|you)|let me know|i hope (?:this|"
    r"that|you|it)|hope (?:this|that|you|it)|"
    r"(?:that|this|it)(?:['’]s| is| was| sounds| must| looks) (?:so |really |very |just |such |pretty |absolutely )*"
    r"(?:a )?(?:\w+ )?(?:awesome|great|cool|nice|amazing|wonderful|fantastic|lovely|incredible|inspiring|interesting|"
    r"good|sweet|beautiful|tough|hard|true|right|understandable|impressive|perfect|fun|exciting|thoughtful|adorable|"
    r"cute|stunning|gorgeous)\b|love (?:it|that|this|the)|how (?:cool|nice|awesome|sweet|lovely|exciting|wonderful)|"
    r"(?:i['’]d be|i['’]m) happy to|feel free|(?:great|good) (?:question|point|idea|choice)|you(?:['’]ve)? got this|"
    r"just (?:checking in|saying)|long time no|what a\b|can['’]t wait to (?:hear|see it)|i (?:totally |completely )?"
    r"(?:agree|understand|see what|get it|know what)|i see(?! (?:an?|my|our)\b)|(?:so )?sorry|me too|same here)\b)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\b(?:would you like|do you want|shall i|should i|can i|may i|how are you|what['’]s up|how['’]s it going|"
    r"anything else|does that|is there anything|can you (?:tell|share|help|please|give|explain|provide|suggest)|"
    r"could you (?:tell|share|help|please|give|explain|provide|suggest)|"
    r"how have you been|how(?:['’]ve| have) (?:you|things)|"
    r"what do you think|you know\?|right\?|isn['’]t it|see what i mean|how about you|what about you|and you\?)",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:(?:happy|glad|here|love) to help|let me know|feel free|hope (?:this|that|these) helps?|let['’]s (?:dive|get)"
    r"|thank you for|don['’]t hesitate|as an ai)\b",
    re.IGNORECASE,
)
_LISTENER = re.compile(r"\b(?:you|your)\b", re.IGNORECASE)
_YES_NO = re.compile(r"^(?:yes|yeah|yep|yup|no|nope|sure|not really|not yet|i do|i did|i don)\b", re.IGNORECASE)
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
    return bool(_CHATTER.match(opened(sentence, people))) and (weight < 5 or bool(_LISTENER.search(sentence)))


def answers(sentence: str, people: frozenset[str]) -> bool:
    """Whether a short sentence can be the answer to a question: it says yes or no, or names something."""
    return bool(_YES_NO.match(sentence)) or (bool(specific(sentence, people)) and not _CHATTER.match(sentence))


def is_offer(sentence: str) -> bool:
    """An assistant's courtesy."""
    return bool(_OFFER.search(sentence))


def is_code(sentence: str) -> bool:
    return len(_CODE.findall(_NAMED_CODE.sub("", sentence))) * 8 > len(sentence)


def open_question(sentences: Sequence[str]) -> str:
    """The last question of a turn if it asks for something about the listener, else empty."""
    for sentence in reversed(sentences):
        if is_question(sentence):
            asks = not _POLITE.search(sentence) and len(content_words(sentence)) >= 1
            return sentence if asks else ""
    return ""


def information_weight(sentence: str, people: frozenset[str]) -> float:
    """How much a sentence says: its own words, with names and numbers counted twice."""
    own = len(set(specific(sentence, people)))
    marks = len(_DIGIT_OR_NAME.findall(sentence))
    return min(own, 14) + min(marks, 6)

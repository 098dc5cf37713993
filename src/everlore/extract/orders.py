"""Standing orders: how somebody wants to be answered and worked for from now on, and that an order is taken back.

"Answer in German" asks for one answer; "from now on", "always", "never" and words for all answers ("keep answers
short") make it last. A newer order about the same thing takes the place of an older one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everlore.extract.lexicon import DEMONYMS
from everlore.extract.reading import DENIED, Reading

_ANSWERS = r"(?:your |the |all |all your )?(?:answers|replies|responses|messages|explanations|texts)"
_SPEAKING = (
    r"(?:answer|reply|respond)\b|(?:write|speak|talk|explain)(?: it| things)? (?:to me|with me|in)\b"
    r"|(?:call|address) me\b|use (?:[\w-]+ ){0,2}(?:emojis?|units?|celsius|fahrenheit|metric|bullets?|bullet points"
    r"|english|spelling|language|tone|markdown|jargon|pronouns)\b|be (?:more |less )?(?:concise|brief|formal|informal"
    r"|direct|honest|polite|verbose|detailed)\b|(?:keep|make) (?:it|things) (?:short|brief|simple|concise)\b"
    r"|give me (?:short|brief|long|detailed|concise|direct) answers\b"
)
_WORKING = (
    r"(?:run(?! with)|use|write|commit|push|merge|format|lint|test|add|install|deploy|squash|rebase|document"
    r"|ask(?: me)?|check|include|avoid|name|import|create|delete|touch|edit|rename|refactor|explain)"
    r"(?! (?:you|it|that|them)\b)\b (?=.*\w{4})"
)
"""What an agent is told to do each time."""
_ONCE = re.compile(r"\b(?:this|these|here|above|below)\b(?! on\b)", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:(?:hey|hi|ok|okay|so|and|also|oh|btw|by the way|one more thing)\W+)*"
    r"(?:(?:(?:can|could|would|will) you|I(?: want|['’]d like| would like) you to|you (?:should|must))\s+)?"
    r"(?:(?:please|pls|plz|just|kindly|then)\W+)*",
    re.IGNORECASE,
)
_FROM_NOW_ON = re.compile(
    r"\b(?:from (?:now|here|today) on(?:wards?)?|in (?:the )?future|going forward|every time|at all times"
    r"|all the time)\b",
    re.IGNORECASE,
)
_AND = re.compile(r",? and (?:also |please )?")
_LEADS_ALL = re.compile(rf"^\W*(?:please,? )?always\b|{_FROM_NOW_ON.pattern}", re.IGNORECASE)
"""What holds for every order that follows; "never use emojis and answer in French" forbids one of two."""
_EACH_TIME = re.compile(r"^(?:always|never|(?:do not|don['’]?t) ever)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:,? (?:please|pls|plz|thanks|thank you|ok|okay|with me|for me|again|any ?more|now))*[\s.!?]*$", re.IGNORECASE
)
_NOT = re.compile(r"^(?:never|do not(?: ever)?|don['’]?t(?: ever)?|stop|no(?: more)?(?= \w+$)|avoid)\s+", re.IGNORECASE)
_ALWAYS = re.compile(r"^(?:always|only)\s+", re.IGNORECASE)
_LASTING = re.compile(
    rf"^(?:keep|make) {_ANSWERS} (?:\w+ )?(?:short|shorter|brief|briefer|concise|simple|long|longer|detailed)\b"
    r"|^(?:stop|avoid) (?:using|adding) (?:[\w-]+ ){0,2}(?:emojis?|jargon|slang|markdown|bullets|bullet points|headings"
    r"|tables|exclamation (?:marks|points))\b|^stop (?:calling me|apologi[sz]ing|addressing me)\b"
    r"|^no (?:more )?emojis\b"
    rf"|^use (?!your\b)[\w.+-]+(?: [\w.+-]+)?,? (?:not|instead of|rather than|over) [\w.+-]+$",
    re.IGNORECASE,
)
_NAME = r"(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?"
_CALLED = re.compile(
    r"^(?:you can |just |please )*call me (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
    rf"|(?:When|If|At|On|Tomorrow|Today|Later|Back|Asap)\b)(?P<v>{_NAME})$",
    re.IGNORECASE,
)
_NOT_CALLED = re.compile(rf"^(?:(?:do not|don['’]?t|never|stop) call(?:ing)? me) (?P<v>{_NAME})$", re.IGNORECASE)
_WITH_ME = re.compile(
    rf"^(?:(?:do not|don['’]?t) )?(?:{_SPEAKING}).*\bwith me(?:,? (?:please|pls|plz))?[.!]*$", re.IGNORECASE
)
_TONGUE = re.compile(
    r"^(?:answer|reply|respond|write|speak|talk|explain)(?: (?:me|to me|with me|it|things|everything|only|back))* in"
    rf" (?P<v>(?-i:[A-Z])[a-z]+|{'|'.join(sorted(DEMONYMS))})(?: only)?$",
    re.IGNORECASE,
)
_SWITCHED = re.compile(
    rf"^(?:(?:let['’]?s )?(?:go|switch|change)(?: back)? to|back to) (?P<v>{'|'.join(sorted(DEMONYMS))})$", re.I
)
_LENGTH = re.compile(
    r"\b(?P<short>short|shorter|brief|briefer|briefly|concise|concisely)\b|\b(?P<long>long|longer|detailed|verbose)\b",
    re.IGNORECASE,
)
_USES = re.compile(
    r"^(?:(?:use|using|add|adding) )?(?:any |so many |the )?(?P<o>[\w-]+(?: (?:points|marks|units|spelling))?)$", re.I
)
_OF_ANSWERS = re.compile(r"\b(?:answers?|repl\w+|respon\w+|messages?|explanations?|be)\b", re.IGNORECASE)
_TOLD = re.compile(rf"(?:{_SPEAKING}|{_WORKING})", re.IGNORECASE)
_HINT = re.compile(
    r"\b(?:always|never|ever|on|onwards?|future|forward|times?|call|calling|keep|make|stop|avoid|no|use|again|now"
    r"|any ?more|with me|back|switch|change)\b",
    re.IGNORECASE,
)
_ALLOWED = re.compile(
    r"^(?:you (?:can|may)(?: now)?|feel free to|it['’]?s (?:ok|okay|fine|alright)(?: now)?(?: for you)? to"
    r"|go ahead and)"
    r" (?P<o>.+?) (?:again|now)$|^(?P<p>[\w-]+) are (?:ok|okay|fine|allowed|welcome) (?:again|now)$"
    r"|^you (?:don['’]?t|do not) (?:have|need) to (?P<q>.+?) any ?more$",
    re.IGNORECASE,
)


class _Order(NamedTuple):
    """`about` is what it is about, empty where nothing could take its place."""

    about: str = ""
    value: str = ""
    sign: str = ""
    taken_back: bool = False


def standing(sentence: str) -> bool:
    """ "Please always answer in French.": how the speaker wants to be spoken to from now on."""
    found = _order(sentence)
    return found is not None and not found.taken_back


def each_order(sentence: str) -> list[str]:
    """ "Always answer in French and keep it short." as two orders, of which each can be taken back; else as it is."""
    for joint in _AND.finditer(sentence):
        left, right = f"{sentence[: joint.start()]}.", sentence[joint.end() :]
        if not standing(left):
            continue
        for words in (right, f"always {right}" if _LEADS_ALL.search(left) else ""):
            if words and standing(words):
                return [left, *each_order(f"{words[0].upper()}{words[1:]}")]
    return [sentence]


def ordered(who: str, sentence: str) -> Reading | None:
    """The slot of an order, or of one that is taken back; None where nothing could take its place."""
    found = _order(sentence)
    return Reading(f"{who}: asks {found.about}", found.value, found.sign) if found and found.about else None


@lru_cache(maxsize=1024)
def _order(sentence: str) -> _Order | None:
    if not _HINT.search(sentence):
        return None
    lasting = bool(_FROM_NOW_ON.search(sentence))
    plain = _POLITE.sub("", _FROM_NOW_ON.sub("", sentence).strip(" ,"))
    bare = _TAIL.sub("", plain)
    if found := _ALLOWED.match(plain.rstrip(" .!")):
        return _taken_back(found)
    if found := _SWITCHED.match(bare):
        return _Order("for answers in", found["v"].lower())
    if _ONCE.search(bare):
        return None
    if found := _CALLED.match(bare):
        return _Order("for the name", found["v"])
    if _NOT_CALLED.match(bare):
        return _Order()
    forbidden = bool(_NOT.match(bare))
    core = _ALWAYS.sub("", _NOT.sub("", bare))
    told = (lasting or _EACH_TIME.match(bare)) and _TOLD.match(f"{core} ")
    lasting_words = _LASTING.match(bare) or _WITH_ME.match(plain)
    return _about(core, forbidden) if told or lasting_words else None


def _about(core: str, forbidden: bool) -> _Order:
    if (found := _TONGUE.match(core)) and not forbidden:
        return _Order("for answers in", found["v"].lower())
    if found := _USES.match(core):
        return _Order(f"to use {found['o'].lower().rstrip('s')}", sign="-" if forbidden else "+")
    if (found := _LENGTH.search(core)) and not forbidden and _OF_ANSWERS.search(core):
        return _Order("for the length of answers", "short" if found["short"] else "long")
    return _Order()


def _taken_back(found: re.Match[str]) -> _Order | None:
    allowed = found["o"] or found["q"] or f"use {found['p']}"
    order = _about(allowed, forbidden=False)
    if order.sign:
        return order._replace(sign="-" if found["q"] else "+", taken_back=True)
    if found["q"]:
        return order._replace(value=f"{DENIED}{order.value}", taken_back=True) if order.value else None
    other = {"short": "long", "long": "short"}.get(order.value)
    return order._replace(value=f"{DENIED}{other}", taken_back=True) if other else order if order.value else None

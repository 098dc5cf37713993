"""What is said in a part that somebody plays: role-play, practice, a made-up person, "let's say I'm a pilot".

Who says "I" there means the part. A part in a story or an assumption lasts to the end of its message, a role-play that
is agreed on lasts until it is plainly over. A persona that only the assistant is given ("act as a chef") makes nobody
else play.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from everlore.extract.sentences import split


class Parts(NamedTuple):
    """A message: what its writer says of their own, what in a part, and whether the play goes on after it."""

    own: str
    played: str
    playing: bool


_ASKED = (
    r"(?:^(?:(?:ok(?:ay)?|so|now|please|and|hey|just|hi|hello)\W+)*|\b(?:let['’]?s|(?:can|could|shall|should) we"
    r"|help me"
    r"|(?:can|could|would|will|want|need|like) you)(?: (?:to|please|just|all|quickly|maybe|now|do|try|start"
    r"|practi[cs]e|have))* )"
)
"""Before what somebody is asked to do. "My kids pretend to be pirates" asks for nothing."""
_BE = r"(?:['’]re| are| were|(?:['’]ll| will)? (?:be|play))"
_AM = r"(?:['’]m| am|(?:['’]ll| will) (?:be|play)| play)"
_PART = r"(?:an? (?!ai\b|bot\b|robot\b|language\b)|the |my |your |(?-i:[A-Z])(?!I\b))"
_BOTH = re.compile(
    rf"\byou{_BE} {_PART}[^.?!]{{1,60}}?(?:,|;|\band\b)(?: and)? I{_AM} {_PART}"
    rf"|\bI{_AM} {_PART}[^.?!]{{1,60}}?(?:,|;|\band\b)(?: and)? you{_BE} {_PART}",
    re.IGNORECASE,
)
_TALK = r"(?:[\w-]+ )?(?:interview|conversation|dialogue|scene|scenario|pitch|negotiation|date|call|talk)"
_AGREED = re.compile(
    rf"{_ASKED}(?:(?:an? |the |some )?role[- ]?play\b(?! (?:is|was|are|were|games?|groups?|sessions?|server"
    rf"|community)\b)|play pretend\b"
    rf"|(?:practi[cs]e|rehearse|simulate|act out|play(?: out)?|an?|have|give me|run|do) (?:an? |the |my |our "
    rf"|this )?mock\b"
    rf"|(?:practi[cs]e|rehearse|simulate|act out|play out) (?:for )?(?:an?|the|my|our|this) {_TALK}\b"
    r"|(?:pretend|act like|imagine|picture) (?:that |as if |like )*(?:to be\b|(?:you|we)(?:['’]re| are| were)\b|I\b)"
    r"|act as (?:an?|my|the) (?:[\w-]+ )?(?:interviewer|recruiter|hiring manager|customer|client|patient|date|waiter"
    r"|waitress|cashier|shopkeeper|receptionist|border (?:guard|officer))\b|stay in character\b)"
    r"|\bI(?: want|['’]d like) to role[- ]?play\b(?! (?:games?|groups?)\b)",
    re.IGNORECASE,
)
_FIGURE = r"(?:character|protagonist|persona|alter ego|avatar|narrator)"
_MADE_UP = re.compile(
    rf"\b(?:my|the|our|a|his|her) (?:(?!fav|main )[\w&'’-]+ ){{0,3}}?{_FIGURE}(?:['’]s)?(?: \w+)?"
    r" (?:is|was|has|lives|named|called|who|comes|would)\b"
    r"|^in (?:my|the|this|our) (?:[\w&'’-]+ )?(?:novel|story|book|game|dream|fanfic\w*|campaign|screenplay|script"
    r"|rpg)\b"
    r"|\bhypothetical(?:ly)?\b|^(?:and |so |but |now |ok,? )*(?:suppose|assume|(?:let['’]?s |just )?say)(?:,| that)? "
    r"(?:I\b(?! (?:told|said|should|mean))|I['’]m\b|my name)",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:end (?:of )?(?:the |this |our )?(?:role[- ]?play|scene|simulation|practice|play|interview)"
    r"|(?:stop|quit|end|leave|finish|enough|done|no more)\b[^.?!]{0,25}\b(?:role[- ]?play\w*|pretend\w*|acting"
    r"|practi\w+)"
    r"|(?:role[- ]?play|game|scene|practice|interview)(?:['’]s| is) over|back to (?:me|myself|reality|real life"
    r"|the real)"
    r"|out of (?:character|role)|in real life|irl|the real me|as myself|seriously now|now seriously|jokes aside"
    r"|in all seriousness|(?:ok|okay|but|no),? (?:seriously|for real))\b|^\W*ooc\b",
    re.IGNORECASE,
)
_I = re.compile(r"\bI\b", re.IGNORECASE)
_HINTS = (
    *("role", "pretend", "act as", "act like", "act out", "imagine", "picture you", "picture that", "mock", "rehears"),
    *("simulat", "practice ", "practise ", "character", "persona", "protagonist", "narrator", "alter ego", "avatar"),
    *("suppose", "assume", "say i", "say, i", "say my", "say that", "play pretend", "play out", "hypothetical"),
)
_IN_STORY = re.compile(r"(?:^|[.!?] )in (?:my|the|this|our) ", re.IGNORECASE | re.MULTILINE)
_YOU_ARE = re.compile(r"\byou(?:['’]re| are| were|['’]ll| will| be)\b", re.IGNORECASE)


def acted(text: str, playing: bool, alone: bool) -> Parts:
    """A message of somebody who is playing or not. `alone`: no other people take part, so that "you are" is said to an
    assistant, who is what it is told to be."""
    plain = text.lower()
    hinted = any(hint in plain for hint in _HINTS) or _IN_STORY.search(text) or (alone and _YOU_ARE.search(text))
    if not playing and not hinted:
        return Parts(text, "", False)
    own: list[str] = []
    played: list[str] = []
    in_message = False
    for line in text.split("\n"):
        mine: list[str] = []
        theirs: list[str] = []
        for sentence in split(line):
            before = playing or in_message
            if playing and _OVER.search(sentence):
                before = playing = in_message = False
            elif _agreed(sentence, alone):
                playing = True
            in_message = in_message or bool(_MADE_UP.search(sentence))
            in_part = before or ((playing or in_message) and _I.search(sentence))  # "My character is an elf" is true
            (theirs if in_part else mine).append(sentence)
        own.append(" ".join(mine) if theirs else line)
        played.append(" ".join(theirs))
    return Parts("\n".join(own), "\n".join(filter(None, played)), playing)


def _agreed(sentence: str, alone: bool) -> bool:
    return bool(_AGREED.search(sentence)) or (alone and "?" not in sentence and bool(_BOTH.search(sentence)))

"""What is said in a part that somebody plays: role-play, practice, a made-up person, "let's say I'm a pilot".

Who says "I" there means the part. A part in a story or an assumption lasts to the end of its message, a role-play that
is agreed on lasts until it is plainly over. A persona that only the assistant is given ("act as a chef") makes nobody
else play.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from everlore.extract.sentences import split
from everlore.extract.vocabulary import Vocabulary


class Parts(NamedTuple):
    """A message: what its writer says of their own, what in a part, and whether the play goes on after it."""

    own: str
    played: str
    playing: bool


_KNOWN = Vocabulary("role_play")
_I = re.compile(r"\bI\b", re.IGNORECASE)
_HINTS = _KNOWN.in_order("hints")
_YOU_ARE = re.compile(r"\byou(?:['’]re| are| were|['’]ll| will| be)\b", re.IGNORECASE)


def acted(text: str, playing: bool, alone: bool) -> Parts:
    """A message of somebody who is playing or not. `alone`: no other people take part, so that "you are" is said to an
    assistant, who is what it is told to be."""
    plain = text.lower()
    hinted = (
        any(hint in plain for hint in _HINTS) or _KNOWN["in_story"].search(text) or (alone and _YOU_ARE.search(text))
    )
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
            if playing and _KNOWN["over"].search(sentence):
                before = playing = in_message = False
            elif _agreed(sentence, alone):
                playing = True
            in_message = in_message or bool(_KNOWN["made_up"].search(sentence))
            in_part = before or ((playing or in_message) and _I.search(sentence))  # "My character is an elf" is true
            (theirs if in_part else mine).append(sentence)
        own.append(" ".join(mine) if theirs else line)
        played.append(" ".join(theirs))
    return Parts("\n".join(own), "\n".join(filter(None, played)), playing)


def _agreed(sentence: str, alone: bool) -> bool:
    return bool(_KNOWN["agreed"].search(sentence)) or (
        alone and "?" not in sentence and bool(_KNOWN["both"].search(sentence))
    )

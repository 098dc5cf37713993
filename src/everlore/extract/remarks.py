"""A value or only a remark: "My boss is Karen" names one, "My boss is annoying" must not end it.

The same for a time: "I live in Vienna for the summer" says nothing against a home elsewhere.
"""

from __future__ import annotations

import re

_REMARK = re.compile(
    r"^(?:not|no|never|too|so|very|really|quite|pretty|rather|kind of|sort of|getting|going|coming|always|still|already"
    r"|almost|in|on|at|near|next|out|over|off|back|up|down|far|about|by|from|with|under|around|behind|gone|closed"
    r"|closing|broken|losing|winning|lost|open|opening|empty|full|great|good|bad|nice|fine|awesome|amazing|awful"
    r"|terrible|annoying|boring|hard|easy|tough|difficult|expensive|cheap|beautiful|lovely|sold out|here|there|sick|ill"
    r"|dead|better|worse|important|taken|wrong|private|confidential|being|made|playing|a (?:bit|little|secret|mess"
    r"|problem|joke|nightmare|pain|lot)|what|why|how|when|because|driving|killing|making|starting|ending)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"^(?:still |now |called |named )?(?!(?:German|American|British|English|French|Italian|Spanish|Indian|Chinese"
    r"|Japanese|Russian|Turkish|Polish|Dutch|Irish|Canadian|Mexican|Brazilian|Swiss|Austrian|Australian)\b)[A-Z][\w.'-]"
)
_DATE = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d(?!.*\b(?:days?|weeks?|months?)\b)", re.IGNORECASE
)
_NAMES = frozenset({"boss", "manager", "dentist", "doctor", "therapist", "landlord", "hometown"})
_FIGURES = re.compile(r"height|weight|salary|rent|record|personal best|pb|number")
_FOR_A_TIME = re.compile(
    r"^\W*(?:(?:just )?for (?:the|an?|\d+|two|three|four|five|six|this|now)\b(?: \w+)? ?"
    r"(?:days?|weeks?|months?|years?|summer|winter|spring|autumn|fall|semester|term|season|while|holidays?)?[.!,]?$"
    r"|until\b|till\b|temporarily|part[- ]time|on (?:weekends|weekdays|the side)|when\b|sometimes"
    r"|during (?:the )?(?:week|day|summer|winter|semester|term|holidays|season|month)|(?:this|next) \w+[.!]?$"
    r"|in (?:the|a|this|their) (?:games?|novel|book|story|dreams?|summers?|winters?))",
    re.IGNORECASE,
)
_AT_WORK = re.compile(r"^\W*(?:at|for|to) work\b|^\W*today\b", re.IGNORECASE)


def is_remark(text: str) -> bool:
    """Whether what something is said to be is no value of it: "closed today", "near the station"."""
    return bool(_REMARK.match(text))


def names_value(what: str, text: str) -> bool:
    """Whether `text` can be the value of a property of the speaker's, such as their boss or their birthday."""
    if what in _NAMES:
        return bool(_PERSON.match(text))
    if what == "birthday":
        return bool(_DATE.search(text))
    if _FIGURES.search(what):
        return any(char.isdigit() for char in text)
    if "email" in what:
        return "@" in text
    return not is_remark(text)


def for_a_time(rest: str) -> bool:
    """Whether what follows a place of living or working makes it one among others: "during the week"."""
    return bool(_FOR_A_TIME.match(rest))


def for_work(rest: str) -> bool:
    return bool(_AT_WORK.match(rest)) or for_a_time(rest)

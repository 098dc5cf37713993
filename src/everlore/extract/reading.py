"""How the reading of a statement looks, and what readings share: grammar, and a value told from a remark.

"My boss is Karen" names a value, "My boss is annoying" must not end it. Statements are in the third person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from everlore.extract.lexicon import EMPLOYERS, STOPWORDS
from everlore.extract.verb_tables import lemminflect


@dataclass(frozen=True, slots=True)
class Reading:
    """`sign` is "+" or "-" for things one is, does or likes, empty for values. `limit` is what narrows the statement.

    A value that begins with "not " ends that value and no other; "not " alone ends any. `closes` are other slots in
    which something is over: of `whom`, where one is named. `at` is the employer of who works or has a trade, again
    with "not " where that is over.
    """

    slot: str
    value: str
    sign: str = ""
    limit: str = ""
    closes: tuple[str, ...] = ()
    whom: str = ""
    at: str = ""


DENIED = "not "
ADVERB = r"(?:(?:now|currently|actually|really|also|just|still|recently|finally|already|mostly|usually|always)\s+)*"
HAS = rf"{ADVERB}(?:has )?{ADVERB}"
PROPER = r"(?P<v>(?-i:[A-Z])[\w'&.-]*(?: (?:(?:of|de|la|the|del) )*(?-i:[A-Z])[\w'&.-]*)*)"
SMALL = r"(?P<small>(?-i:[a-z])[\w&-]+)(?=[.,!;]|$| (?:and|but|now|as|because|so|since|last|this|these|any ?more)\b)"
"""A single word that may be a name as people write it who use no capitals."""
CLAUSE_END = r"(?=[.,!;]|$| (?:and|after|because|but|last|in|for good|to|any ?more)\b)"
LONG_AGO = re.compile(r"\b(?:in (?:the )?\d{4}|(?:months?|years?) ago|before|when|once|first|again)\b", re.IGNORECASE)
_PEOPLE = """mother mom mum father dad wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee son
daughter brother sister grandma grandmother grandpa grandfather aunt uncle cousin niece nephew friend boss manager
colleague coworker parents grandparents neighbor neighbour roommate flatmate stepson stepdaughter stepbrother
stepsister ex"""
PEOPLE = tuple(_PEOPLE.split())
_NO_NAMES = frozenset({"uni", "wfh", "hq", "nite"})
_SUBJECTS = STOPWORDS | frozenset(
    {"everybody", "nobody", "somebody", "anybody", "people", "others", "another", "everything", "half", "one"}
)


def anonymous(who: str, text: str) -> str:
    """The text with WHO for a name, so that patterns need not be made for each."""
    return re.sub(rf"(?<!\w){re.escape(who)}(?!\w)", "WHO", text, flags=re.IGNORECASE)


def named(found: re.Match[str]) -> str:
    """The name that was found, or empty where a word in small letters is just a word."""
    if found["v"]:
        return str(found["v"]).rstrip(".")
    small = str(found["small"] or "")
    return small if is_name(small) else ""


@lru_cache(maxsize=4096)
def is_name(word: str) -> bool:
    """Whether a word in small letters can only be a name: no dictionary has it."""
    return bool(word) and (word in EMPLOYERS or (word not in _NO_NAMES and not lemminflect().getAllLemmas(word)))


def is_somebody(word: str) -> bool:
    """Whether a word that begins a statement can be somebody's name: "Jane", "rex"; not "Everybody"."""
    return word.lower() not in _SUBJECTS and (word[:1].isupper() or is_name(word))


def names_of(who: str, kin: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{who}'s {one}: name" for one in kin)


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

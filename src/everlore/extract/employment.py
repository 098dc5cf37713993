"""Where somebody works and as what: begun, going on, or over.

"Joined" and "started at" are also said of clubs and of the morning, "left" also of the evening. They count only where
nothing else can be meant; what is over ends only the work that it names.
"""

from __future__ import annotations

from dataclasses import replace

from everlore.extract.lexicon import GIVEN_NAMES, OCCUPATIONS, PRODUCTS
from everlore.extract.places import place_class
from everlore.extract.reading import DENIED, LONG_AGO, Reading, anonymous, for_a_time, named
from everlore.extract.relationships import with_partner
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("employment")
_WORKS = _KNOWN.pattern("works")
_EMPLOYED = _KNOWN.pattern("employed")
_BEGAN = _KNOWN.pattern("began")
_NO_EMPLOYER = _KNOWN.pattern("no_employer")
_WORKS_NOW = _KNOWN.pattern("works_now")
_LEFT_FOR = _KNOWN.pattern("left_for")
_QUIT = _KNOWN.pattern("quit")
_LEFT = _KNOWN.pattern("left")
_OUT_OF_WORK = _KNOWN.pattern("out_of_work")
_LAST_DAY = _KNOWN.pattern("last_day")
_DISMISSED = _KNOWN.pattern("dismissed")
_JOB = _KNOWN.pattern("job")
_WITH_EMPLOYER = _KNOWN.pattern("with_employer")
_NO_JOB = _KNOWN.pattern("no_job")
_GRADUATED = _KNOWN.pattern("graduated")


def employment(who: str, rest: str) -> Reading | None:
    """What a statement without its subject says of where `who` works, or as what."""
    if found := _WORKS.match(rest) or _EMPLOYED.match(rest):
        if for_a_time(rest[found.end() :]):
            return None
        return _at(who, employer) if (employer := named(found)) else None
    if (found := _BEGAN.match(rest)) and (employer := named(found)) and not _NO_EMPLOYER.search(employer):
        first = employer.split()[0].lower()
        elsewhere = found["joined"] and (first in PRODUCTS | GIVEN_NAMES or place_class(employer) != "unknown")
        return None if elsewhere else _at(who, employer)
    if (found := _WORKS_NOW.match(rest)) and (employer := named(found)):
        return _at(who, employer)
    if (found := _LEFT_FOR.match(rest)) and place_class(found["v"]) == "unknown":
        return _at(who, found["v"].rstrip("."))
    return _over(who, rest) or _trade(who, rest)


def _at(who: str, employer: str) -> Reading:
    """Where somebody works or no longer does; a trade is over where it was told with an employer that is."""
    return Reading(f"{who}: works at", employer, closes=(f"{who}: job",), at=employer)


def dismissed(who: str, text: str) -> Reading | None:
    """ "SAP let Alice go.", "Today was Alice's last day at SAP." """
    if not _SENT_AWAY.search(text) or LONG_AGO.search(text):
        return None
    told = anonymous(who, text)
    found = _DISMISSED.match(told) or _LAST_DAY.match(told)
    if not found:
        return None
    by = named(found) if found["v"] or found["small"] else ""
    return _at(who, f"{DENIED}{by}") if by or not (found["v"] or found["small"]) else None


_SENT_AWAY = _KNOWN.pattern("sent_away")


def _over(who: str, rest: str) -> Reading | None:
    if (found := _QUIT.match(rest)) and (employer := named(found)) and place_class(employer) == "unknown":
        return _at(who, f"{DENIED}{employer}")
    if (found := _LEFT.match(rest)) and (left := named(found)) and place_class(left) == "unknown":
        gone = _at(who, f"{DENIED}{left}")
        return replace(gone, closes=(*with_partner(who), *gone.closes), whom=left)  # "I left Tom"
    if found := _OUT_OF_WORK.match(rest):
        return replace(_at(who, DENIED), at="" if found["retired"] else DENIED)  # who retired has no trade either
    return Reading(f"{who}: job", f"{DENIED}student") if _GRADUATED.match(rest) else None


def _trade(who: str, rest: str) -> Reading | None:
    if (found := _NO_JOB.match(rest)) and found["job"].lower() in OCCUPATIONS:
        return Reading(f"{who}: job", f"{DENIED}{found['v'].lower()}")
    if (found := _JOB.match(rest)) and found["job"].lower() in OCCUPATIONS:
        at = _employer(found["job"].lower(), rest[found.end() :])
        return Reading(f"{who}: job", found["v"].lower(), closes=(f"{who}: works at",) if at else (), at=at)
    return None


def _employer(job: str, behind: str) -> str:
    """Who a trade is followed at, where it is named right behind it; a student's university is none."""
    found = _WITH_EMPLOYER.match(behind) if job != "student" else None
    if found is None or for_a_time(behind[found.end() :]) or place_class(named(found)) != "unknown":
        return ""
    return named(found)

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


def employment(who: str, rest: str) -> Reading | None:
    """What a statement without its subject says of where `who` works, or as what."""
    if found := _KNOWN["works"].match(rest) or _KNOWN["employed"].match(rest):
        if for_a_time(rest[found.end() :]):
            return None
        return _at(who, employer) if (employer := named(found)) else None
    if (
        (found := _KNOWN["began"].match(rest))
        and (employer := named(found))
        and not _KNOWN["no_employer"].search(employer)
    ):
        first = employer.split()[0].lower()
        elsewhere = found["joined"] and (first in PRODUCTS | GIVEN_NAMES or place_class(employer) != "unknown")
        return None if elsewhere else _at(who, employer)
    if (found := _KNOWN["works_now"].match(rest)) and (employer := named(found)):
        return _at(who, employer)
    if (found := _KNOWN["left_for"].match(rest)) and place_class(found["v"]) == "unknown":
        return _at(who, found["v"].rstrip("."))
    return _over(who, rest) or _trade(who, rest)


def _at(who: str, employer: str) -> Reading:
    """Where somebody works or no longer does; a trade is over where it was told with an employer that is."""
    return Reading(f"{who}: works at", employer, closes=(f"{who}: job",), at=employer)


def dismissed(who: str, text: str) -> Reading | None:
    """ "SAP let Alice go.", "Today was Alice's last day at SAP." """
    if not _KNOWN["sent_away"].search(text) or LONG_AGO.search(text):
        return None
    told = anonymous(who, text)
    found = _KNOWN["dismissed"].match(told) or _KNOWN["last_day"].match(told)
    if not found:
        return None
    by = named(found) if found["v"] or found["small"] else ""
    return _at(who, f"{DENIED}{by}") if by or not (found["v"] or found["small"]) else None


def _over(who: str, rest: str) -> Reading | None:
    if (found := _KNOWN["quit"].match(rest)) and (employer := named(found)) and place_class(employer) == "unknown":
        return _at(who, f"{DENIED}{employer}")
    if (found := _KNOWN["left"].match(rest)) and (left := named(found)) and place_class(left) == "unknown":
        gone = _at(who, f"{DENIED}{left}")
        return replace(gone, closes=(*with_partner(who), *gone.closes), whom=left)  # "I left Tom"
    if found := _KNOWN["out_of_work"].match(rest):
        return replace(_at(who, DENIED), at="" if found["retired"] else DENIED)  # who retired has no trade either
    return Reading(f"{who}: job", f"{DENIED}student") if _KNOWN["graduated"].match(rest) else None


def _trade(who: str, rest: str) -> Reading | None:
    if (found := _KNOWN["no_job"].match(rest)) and found["job"].lower() in OCCUPATIONS:
        return Reading(f"{who}: job", f"{DENIED}{found['v'].lower()}")
    if (found := _KNOWN["job"].match(rest)) and found["job"].lower() in OCCUPATIONS:
        at = _employer(found["job"].lower(), rest[found.end() :])
        return Reading(f"{who}: job", found["v"].lower(), closes=(f"{who}: works at",) if at else (), at=at)
    return None


def _employer(job: str, behind: str) -> str:
    """Who a trade is followed at, where it is named right behind it; a student's university is none."""
    found = _KNOWN["with_employer"].match(behind) if job != "student" else None
    if found is None or for_a_time(behind[found.end() :]) or place_class(named(found)) != "unknown":
        return ""
    return named(found)

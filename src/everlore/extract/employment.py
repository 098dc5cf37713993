"""Where somebody works and as what: begun, going on, or over.

"Joined" and "started at" are also said of clubs and of the morning, "left" also of the evening. They count only where
nothing else can be meant; what is over ends only the work that it names.
"""

from __future__ import annotations

import re
from dataclasses import replace

from everlore.extract.lexicon import GIVEN_NAMES, OCCUPATIONS, PRODUCTS
from everlore.extract.places import place_class
from everlore.extract.reading import (
    ADVERB,
    CLAUSE_END,
    DENIED,
    HAS,
    LONG_AGO,
    PROPER,
    SMALL,
    Reading,
    anonymous,
    for_a_time,
    named,
)
from everlore.extract.relationships import with_partner

_AT = rf"(?:{PROPER}|{SMALL})"
_A_JOB = r"(?:an?|the|their) (?:(?:new|great|dream|full-time|part-time|first|next) )*(?:job|position|role)"
_LONG = r"(?=[^.;]* (?:since|for|all)\b)"
_EMPLOYED = re.compile(
    rf"^{ADVERB}has {ADVERB}(?:been (?:working|employed) (?:at|for|by)|worked (?:at|for){_LONG}) {_AT}", re.I
)
_WORKS = re.compile(
    rf"^{ADVERB}(?:works? {ADVERB}(?:at|for)|is {ADVERB}(?:working|employed) (?:at|by|for)"
    rf"|(?:has )?(?:started|got|landed|found|has|took|accepted) {_A_JOB} (?:at|with)"
    rf"|started working (?:at|for)|is {ADVERB}at(?=[^.,;]*\b(?:these days|nowadays)\b)) {_AT}",
    re.I,
)
MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*"
_SINCE_THEN = (
    rf"(?! [^.;]*\bfor (?:lunch|dinner|coffee|drinks|an?)\b)(?=[.!;]|,? (?:and|but|so) (?-i:[a-z])|$| (?:last|this"
    rf"|as|recently|yesterday|today|now|(?:in|on) (?:{MONTH}|\w+day|\d{{4}}"
    r"|spring|summer|autumn|fall|winter)|(?:an?|two|three|four|\d+|a few|a couple of) (?:days?|weeks?|months?) ago)\b)"
)
_BEGAN = re.compile(
    rf"^{HAS}(?:(?P<joined>joined)|(?:started|began)(?: work)? (?:at|with)"
    rf"|(?:got |was |been )?hired (?:by|at)) {_AT}{_SINCE_THEN}",
    re.I,
)
_NO_EMPLOYER = re.compile(
    r"\b(?:school|kindergarten|universit\w+|uni|college|academy|gym|club|team|choir|band|group|society|party|church"
    r"|scouts?|league|army|navy|class|course|level|chapter|page|stage|episode|premium|prime|plus|watchers|anonymous"
    r"|harvard|yale|stanford|mit|oxford|cambridge|princeton|eth|ucla|nyu|toastmasters|rotary|mensa|greenpeace|amnesty"
    r"|facebook|instagram|twitter|tiktok|tinder|bumble|hinge|netflix|reddit|linkedin|mastodon|bluesky|threads|youtube"
    r"|strava|duolingo|costco|patreon|twitch|pinterest|snapchat|zoom|aa|na)\b|^(?:\w+day|dr|mr|mrs|ms|prof)\b",
    re.I,
)
"""What people join or start at besides work."""
_WORKS_NOW = re.compile(
    rf"^{HAS}(?:(?:left|quit) (?:(?-i:[A-Z])|[\w&-]+(?=,| and)|their (?:old )?job)|(?:switched|changed) jobs)"
    rf"[^.;]{{0,60}}?(?:,| and)(?: has)? {ADVERB}(?:joined|started (?:working )?(?:at|for|with)"
    rf"|works {ADVERB}(?:at|for)|is {ADVERB}(?:working )?(?:at|for)) {_AT}(?! for\b)",
    re.I,
)
_LEFT_FOR = re.compile(rf"^{HAS}(?:left|quit) [\w'&.-]+ for {PROPER}{CLAUSE_END}", re.I)
_ANY_DAY = r"(?=[.,!;]|$| (?:this|today|yesterday|on|two|three|an?|as|so|since|\d+)\b)"
_QUIT = re.compile(
    rf"^{HAS}(?:quit(?: working (?:at|for))?|(?:left|quit|lost) (?:their|an?|the) (?:old )?(?:job|position"
    rf"|role) (?:at|with)"
    r"|stopped working (?:at|for)|(?:resigned|retired) from|(?:handed in|gave) (?:their )?notice at"
    r"|(?:was|got|been) (?:fired|laid off|let go|sacked|dismissed|made redundant) (?:from|by|at)"
    rf"|no longer works? (?:at|for)|(?:doesn't|does not) {ADVERB}work (?:at|for)"
    rf"|is (?:no longer|not) (?:working|employed) (?:at|for|by|with)) {_AT}(?:{CLAUSE_END}|{_ANY_DAY})",
    re.I,
)
_LEFT = re.compile(rf"^{HAS}(?:left|is no longer (?:at|for|by|with)) {_AT}{CLAUSE_END}", re.I)
_OUT_OF_WORK = re.compile(
    rf"^{HAS}(?:(?:left|quit|lost) their (?:old )?job|(?:was|got) (?:fired|laid off|let go|sacked|made redundant)"
    rf"|(?P<retired>retired(?=[.,!]|$| (?:last|in|this|today|yesterday)\b)|is {ADVERB}retired)|is {ADVERB}unemployed)"
    r"(?! (?:as|at|by|from|up|with)\b)",
    re.I,
)
_LAST_DAY = re.compile(rf"^(?:today|yesterday|(?:last )?\w+day) was WHO's last day at {_AT}", re.I)
_DISMISSED = re.compile(
    rf"^(?:(?:they|WHO's (?:boss|company|employer))|{_AT}) (?:(?:have|has|just|finally|recently) )*"
    r"(?:let (?:WHO|them) go|(?:fired|laid off|sacked|dismissed) (?:WHO|them)|laid (?:WHO|them) off"
    r"|made (?:WHO|them) redundant)"
    rf"(?:{CLAUSE_END}|{_ANY_DAY})(?! (?:to|in)\b)",
    re.I,
)
_HOW_WELL = (
    r"(?:\w+ )?(?:good|great|better|best|bad|worse|worst|terrible|horrible|awful|lousy|decent|amazing|slow|careful"
    r"|nervous|born|amateur|hobby|would-be|wannabe)"
)
"""A terrible cook is not one by trade."""
_AS = (
    rf"(?:an? )(?!{_HOW_WELL}\b)(?P<v>[\w -]{{0,30}}?\b(?P<job>[a-z]+))"
    r"(?= (?:at(?! home| heart)|in|for|with|and|by|now|from|last|this|today|yesterday|any ?more|since)\b|[.,!;]|$)"
)
_JOB = re.compile(
    rf"^{ADVERB}(?:is {ADVERB}|works? {ADVERB}as |became |started (?:a new job|working) as )"
    rf"{_AS}",
    re.I,
)
_WITH_EMPLOYER = re.compile(rf"^(?: in (?:the )?[\w&-]+(?: [\w&-]+)?)? (?:at|for) {_AT}", re.I)
_NO_JOB = re.compile(
    rf"^{HAS}(?:no longer works? as|(?:doesn't|does not) {ADVERB}work as|isn't|is (?:not|no longer)"
    rf"|(?:stopped|quit|gave up|given up) (?:being|working as)) {_AS}",
    re.I,
)
_GRADUATED = re.compile(
    rf"^{HAS}(?:graduated(?: from (?!(?:high|middle|elementary|primary) school|kindergarten)[\w' ]{{2,40}}?)?"
    rf"|(?:finished|got|earned|received) (?:their )?(?:studies|degree|university|college|uni|phd|master's|bachelor's"
    rf"|diploma))(?=[.,!;]|$| (?:and|last|this|today"
    rf"|yesterday|with"
    r"|as)\b)",
    re.I,
)


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


_SENT_AWAY = re.compile(r"\b(?:let|fired|laid|sacked|dismissed|made|last day)\b", re.I)


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

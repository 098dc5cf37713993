"""What of a user's facts belongs into their profile: rules first, items by category, traits, and a summary.

Deterministic: the same facts give the same items in any order, and giving them again changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from everlore.clock import DAY_MS, day
from everlore.extract.claims import OVER, Claim, own_words, read, speaker_of
from everlore.extract.facts import points_outside
from everlore.extract.language import DEFAULT, language_of, phrases, small
from everlore.extract.learned import Vector
from everlore.extract.rules import CATEGORY, may_be_rule, of_work, takes_back
from everlore.extract.salience import CATEGORIES, OTHER, places
from everlore.extract.sentences import clip
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Info, Trait

MOST = 45
"""More items than this are thinned out."""
KEPT = 30
SLOT_BONUS = 30 * DAY_MS
"""A single-valued statement counts as this much newer than it is, so that vague ones leave first."""
ALWAYS = 36_500 * DAY_MS
SAID = "said"
"""How the basis of a trait begins that we found."""
TRAIT_STATEMENTS = 3
TRAIT_EVIDENCE = 4
LONGEST = 200
SUMMARY = 280
QUOTED = ' said: "'
_YEAR = re.compile(r"(?<![\w-])(?:19|20)\d\d(?![\w-])")
_SINCE = re.compile(r"\b(?:since|born|seit|depuis|desde|dal)\b", re.IGNORECASE)
THEMED = ("preference", "habit", "goal", "identity", "family")
"""Categories whose statements show what somebody is like."""

NOWHERE = "none"
"""The category of what a frame would list, and its meaning says that it does not belong there."""
SURE, UNSURE, SURE_RULE = 0.7, 0.1, 0.5
"""Chances from which on a sentence belongs into a profile, below which it does not, and from which on it is a rule."""

Told = tuple[Fact, str]
"""A fact with what it calls the user."""


def with_facts(infos: Sequence[Info], facts: Iterable[Told], over: Collection[str] = ()) -> list[Info]:
    """The items after these facts, which the user said of themselves and which hold. `over` is evidence that has ended
    since."""
    listed = [info for info in infos if info.evidence not in over]
    for fact, name in sorted(facts, key=lambda told: (told[0].timestamp, told[0].text)):
        info = info_of(fact, name)
        if info and info.evidence not in over:
            listed = _merged(listed, info)
    if len(listed) > MOST:
        weakest = sorted(listed, key=_rank)[: len(listed) - KEPT]
        listed = [info for info in listed if info not in weakest]
    return listed


def descriptions(fact: Fact, name: str) -> set[str]:
    """Every description that an item made from this fact may have."""
    info = info_of(fact, name)
    return {clip(fact.text, LONGEST), *([info.description] if info else [])}


def info_of(fact: Fact, name: str) -> Info | None:
    """What a fact says of the user for good; or None."""
    said = own_words(fact.text, name)
    known = (evidence(fact), fact.about, fact.timestamp, "" if fact.personal else fact.project)
    if fact.category == CATEGORY:
        if takes_back(said):
            return None
        rule = said if QUOTED in fact.text else fact.text  # a reviewer writes whom it is about
        return Info(CATEGORY, clip(rule, LONGEST), *known)
    if fact.category:
        return Info(fact.category, clip(fact.text, LONGEST), *known) if fact.category != NOWHERE else None
    claim = None if _in_other_words(fact, said) else read(said)
    if claim is None or not claim.category or not _lasts(said, claim) or long_before(said, fact.timestamp):
        return None
    return Info(claim.category, clip(fact.text, LONGEST), *known)


def placed(fact: Fact, said: str, vector: Vector | None, *, alone: bool) -> Fact:
    """The fact with its place in a profile, where its meaning tells more of that than the frames do. `alone`: said to
    nobody else but an assistant, so that it may be a rule."""
    known = language_of(said)
    if fact.category or vector is None or known.code != DEFAULT or said.rstrip().endswith("?"):
        return fact
    claim, chances = read(said), places(said, vector)
    if alone and chances[CATEGORY] > SURE_RULE and may_be_rule(said):
        return replace(fact, category=CATEGORY)
    listed = 1 - chances[CATEGORY] - chances[OTHER]
    if info_of(fact, speaker_of(fact.about)) is not None:
        return replace(fact, category=NOWHERE) if listed < UNSURE else fact
    off = (claim is not None and claim.over) or points_outside(said, known, claim) or _in_other_words(fact, said)
    if listed < SURE or off or long_before(said, fact.timestamp):
        return fact
    return replace(fact, category=max(CATEGORIES[:-1], key=chances.__getitem__))


def personal(fact: Fact, owner_id: str, name: str) -> bool:
    """Whether it is said of the user themselves, or a rule for whoever listens: seen in every project. What is said of
    the work, and a rule about it, stays with the project."""
    info = info_of(fact, name) if fact.by_user and fact.sender_ids == (owner_id,) else None
    return info is not None and info.category != "goal" and not (info.category == CATEGORY and of_work(fact.text))


def _in_other_words(fact: Fact, said: str) -> bool:
    """A quotation in which somebody says "I" although it could not be told of the user: whose words are they?"""
    known = language_of(said)
    return (
        fact.text != said and fact.text.endswith(chr(34)) and known.code == DEFAULT and known.has("self", small(said))
    )


def _lasts(said: str, claim: Claim) -> bool:
    """Whether it says how things are beyond this moment."""
    known, low = language_of(said), small(said)
    if claim.over or known.has("past", low) or said.rstrip().endswith("?"):
        return False
    return claim.one or not known.has("passing", low)


def long_before(said: str, told: int) -> bool:
    """ "I moved to Paris in 2005": a story of years ago does not say how things are."""
    years = [int(year) for year in _YEAR.findall(said)]
    return bool(years) and max(years) < datetime.fromtimestamp(told / 1000, UTC).year - 1 and not _SINCE.search(said)


def evidence(fact: Fact) -> str:
    """A fact as evidence of what it says."""
    return f"{day(fact.timestamp)}: {fact.text}"


def _rank(info: Info) -> tuple[int, str]:
    """What may stay: rules, the newer, and the more specific."""
    bonus = ALWAYS if info.category == CATEGORY else SLOT_BONUS if _single(info) else 0
    return info.timestamp + bonus, info.description


def _single(info: Info) -> bool:
    claim = read(info.description, info.about.partition(": ")[0])
    return claim is not None and claim.one


def _merged(infos: list[Info], new: Info) -> list[Info]:
    same = [info for info in infos if info.description == new.description]
    if any((info.timestamp, info.description) >= (new.timestamp, new.description) for info in same):
        return infos
    if not same and len(infos) >= KEPT and _rank(new) < min(_rank(info) for info in infos):
        return infos  # thinned out before, or weaker than all that is here
    if not same:
        return [*infos, new]
    place = infos.index(same[0])
    return [*infos[:place], new, *(info for info in infos[place:] if info not in same)]


def traits_of(known: Iterable[Trait], infos: Iterable[Info], name: str, over: Collection[str] = ()) -> list[Trait]:
    """What several statements have in common, those on which the known traits rest among them."""
    rested = {trait.trait: {piece for piece in trait.evidence.split(" | ") if piece} for trait in known}
    said = {info.evidence: info.description for info in infos if info.evidence and info.category in THEMED}
    traits: list[Trait] = []
    for trait, (description, pattern) in _themes().items():
        pieces = {piece for piece, text in said.items() if _shows(pattern, text, name)}
        pieces = pieces.union(rested.get(trait, ())).difference(over)
        if len(pieces) >= TRAIT_STATEMENTS:
            newest = sorted(pieces)[-TRAIT_EVIDENCE:]
            basis = f"{SAID} on several occasions, last on {newest[-1][:10]}"
            traits.append(Trait(trait, f"{name} {description}.", basis, " | ".join(newest)))
    return traits


def _shows(pattern: re.Pattern[str], text: str, name: str) -> bool:
    claim = read(text, name)
    return claim is not None and claim.sign != OVER and bool(pattern.search(f"{claim.value} {small(text)}"))


def _themes() -> Mapping[str, tuple[str, re.Pattern[str]]]:
    table: Mapping[str, Mapping[str, Any]] = language_of("I am").data.get("traits", {})
    return {trait: (str(one["says"]), phrases(one["words"])) for trait, one in table.items()}


def summary_of(infos: Sequence[Info], traits: Iterable[Trait], name: str) -> str:
    """One or two sentences: who the user is and what they like; where nothing tells that, what else there is."""
    text = _foremost(infos, ("identity", "home", "work", "family", "preference", "habit"))
    liked = [trait.trait for trait in traits][:3]
    if liked:
        text = f"{text} {name} comes across as: {', '.join(liked)}.".strip()
    return clip(text or _foremost(infos, (CATEGORY, "health", "goal", "possession", "contact")), SUMMARY)


def _foremost(infos: Iterable[Info], order: Sequence[str]) -> str:
    """The first items of at most three categories, of those that hold everywhere."""
    ranked = sorted(
        (info for info in infos if info.category in order and len(info.description) <= 90 and not info.project),
        key=lambda info: (order.index(info.category), not info.about, -info.timestamp, info.description),
    )
    first = {info.category: info for info in reversed(ranked)}
    return " ".join(_sentence(first[category]) for category in [c for c in order if c in first][:3])


def _sentence(info: Info) -> str:
    return info.description if info.description.rstrip('"').endswith((".", "!")) else f"{info.description}."

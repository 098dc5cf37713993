"""What of a user's facts belongs into their profile: items by category, traits, and a summary.

Deterministic: the same facts give the same items in any order, and giving them again changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from everlore.clock import DAY_MS, day
from everlore.extract import languages, slots
from everlore.extract.categories import TITLE, own_words, told_of
from everlore.extract.plural_subject import QUOTED
from everlore.extract.readings import says_more
from everlore.extract.sentences import clip
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Info, Trait

MOST = 45
"""More items than this are thinned out."""
KEPT = 30
SLOT_BONUS = 30 * DAY_MS
"""A single-valued statement counts as this much newer than it is, so that vague ones leave first."""
YEAR = 365 * DAY_MS
SAID = "said"
"""How the basis of a trait begins that we found."""
TRAIT_STATEMENTS = 3
TRAIT_EVIDENCE = 4
LONGEST = 200
SUMMARY = 280

_HABIT = re.compile(
    r"\b(?:every (?:day|morning|evening|night|week|weekend|month|spring|summer|winter|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday)|usually|always|most days|daily|once a|twice a|times a (?:day|week|month)|each)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(r"^ (?:\w+ )?[a-z]+s\b")
_PASSING = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening)|right now|looking for"
    r"|wants? to (?:know|ask)|excited|glad|sure|sorry|thinks?|guess(?:es)?|swamped|busy|lucky|off to|just now|lol|jk"
    r"|ha(?:ha)+)\b|\s/s$|[😂🤣]"
    r"|^ (?:\w+ )?(?:loves?|likes?|enjoys?|hates?) (?:it|this|that|these|those|them|how|when|the way"
    r"|the (?:[\w-]+ ){0,4}(?:ideas?|sound|look|themes?|tips?|suggestions?|template|schedule|options?|plan))\b"
    r"|^ (?:\w+ )?\w+s (?:it|them|him|these|those)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:not|no|never|hates?|dislikes?|wish(?:es)?|if|would|used to|stopped|quit|afraid|allergic)\b|(?<!ca)n't\b",
    re.IGNORECASE,
)
"""A wish for a dog and a dislike of dogs are no signs of somebody who cares for animals."""
_JOINT = re.compile(r",? (?:and|but) ")
_NO_CLAUSE = re.compile(r"[,;] (?:their|the) (?:\w+ )?\w+\.$")
_LEANS = re.compile(r"\b(?:it|its|them|they|there|he|she|him|her|his|this|that|these|those)\b", re.IGNORECASE)
"""Words that need what was said before."""
_DEPENDS = re.compile(
    r"\b(?:if|wish(?:es)?|would|thinks?|hopes?|said|told|says|whether|imagines?)\b|[:;]", re.IGNORECASE
)
_OTHERS = re.compile(r"'s |\b(?:who|which|that|when|because)\b", re.IGNORECASE)
"""Whose next verb may be about somebody else."""
_THEMES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (trait, description, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for trait, description, pattern in (
        (
            "outdoor person",
            "likes being outdoors",
            r"hik\w+|climb\w*|camp(?:ing|ed|s)|trails?|mountains?|surf\w*|kayak\w*|outdoors",
        ),
        (
            "sporty",
            "does sports regularly",
            r"gym|runs?|running|marathon|swim\w*|yoga|workouts?|bik(?:es?|ing)|cycl\w+|tennis|soccer",
        ),
        ("enjoys cooking", "cooks or bakes often", r"cook\w*|bak(?:es?|ed|ing)|recipes?|kitchen"),
        ("reader", "reads a lot", r"books?|novels?|reading|reads"),
        ("musical", "makes or follows music", r"guitar|piano|violin|band|concerts?|sings?|singing|songs?|albums?"),
        (
            "creative",
            "makes things",
            r"paint\w*|draw(?:s|ing|n)|pottery|sketch\w*|craft\w*|photograph\w*|poetry|knit\w*",
        ),
        ("animal lover", "cares for animals", r"dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|horses?"),
        ("traveller", "travels often", r"trips?|travel\w*|flights?|vacations?|abroad|hotels?"),
        (
            "early riser",
            "is up early",
            r"wakes? up (?:early|at [4-6])|gets? up (?:early|at [4-6])|sunrise|early morning",
        ),
        ("volunteer", "helps others", r"volunteer\w*|charity|shelter|donat\w+|fundrais\w+"),
        ("technical", "builds things with software", r"python|coding|programm\w+|software|javascript|github|server"),
    )
)


Told = tuple[Fact, str]
"""A fact with what it calls the user."""


def with_facts(infos: Sequence[Info], facts: Iterable[Told], over: Collection[str] = ()) -> list[Info]:
    """The items after these facts, which the user said of themselves and which hold. `over` is evidence that has ended
    since."""
    listed = list(infos)
    for fact, name in sorted(facts, key=lambda told: (told[0].timestamp, told[0].text)):
        for text, about in _statements(fact, name):
            info = _info(fact, text, about, name)
            own_slot, *others = slots.touched(text, about)
            listed = _ended(listed, text, others, fact.timestamp)
            listed = [
                known
                for known in listed
                if known.timestamp > fact.timestamp or not slots.parts_from(text, about, known.description)
            ]
            listed = _merged(listed, info) if info else _replaced(listed, fact, text, own_slot)
    listed = [info for info in listed if info.evidence not in over]
    if len(listed) > MOST:
        weakest = sorted(listed, key=_rank)[: len(listed) - KEPT]
        listed = [info for info in listed if info not in weakest]
    return listed


def descriptions(fact: Fact, name: str) -> set[str]:
    """Every description that an item made from this fact may have."""
    texts = [text for text, _ in _statements(fact, name)]
    words = [told.words for text in (fact.text, *texts) if (told := told_of(text, name))]
    return {clip(text, LONGEST) for text in (fact.text, *texts, *words)}


def _statements(fact: Fact, name: str) -> list[tuple[str, str]]:
    """A fact with its slot, or the halves of "Alice lives in Rome and works at FAO", so that each can end alone."""
    if fact.category:
        return [(fact.text, fact.about)]
    start = f"{name}{QUOTED}"
    if fact.text.startswith(start):
        halves = languages.halves(fact.text[len(start) :].rstrip('"'))
        parts = [(text := f'{start}{half}"', slots.about(text, name)) for half in halves]
    else:
        parts = _parts(own_words(fact.text, name), name)
    return parts if len(parts) > 1 else [(fact.text, fact.about)]


def _parts(words: str, name: str) -> list[tuple[str, str]]:
    for found in _JOINT.finditer(words):
        first, second = f"{words[: found.start()]}.", words[found.end() :]
        named = second.startswith((f"{name} ", f"{name}'s "))
        if named and _NO_CLAUSE.search(first):
            continue  # "now, their husband and Alice separated"
        second = second if named else f"{name} {second}"
        slot = slots.about(first, name)
        of_others = _LEANS.search(second) or (not named and _OTHERS.search(first))
        other = slots.about(second, name)
        two = slot and other and not (other == slot and slots.denies(first, slot))  # "sold the Clio and drives a Panda"
        if (two or (named and not _OTHERS.search(first) and not _DEPENDS.search(first))) and not of_others:
            return [(first, slot), *_parts(second, name)]
    return [(words, slots.about(words, name))]


def _info(fact: Fact, text: str, about: str, name: str) -> Info | None:
    """What a fact, or a half of it, says of the user for good; or None."""
    if fact.category:
        return Info(fact.category, clip(text, LONGEST), evidence(fact), about, fact.timestamp)
    told = told_of(text, name)
    if told is None:
        return None
    category = told.category or slots.category(text, about)
    lasting = not _PASSING.search(told.rest)
    habit = _HABIT.search(TITLE.sub("''", told.rest)) and _PRESENT.match(told.rest)
    if habit and category in ("", "possession", "identity"):
        category = "habit"
    if not category or not (lasting or about) or slots.only_ends(text, about):
        return None
    if slots.happened_before(text, about, fact.timestamp - YEAR):
        about = ""  # a story of years ago does not say how things are
    return Info(category, clip(told.words, LONGEST), evidence(fact), about, fact.timestamp)


def evidence(fact: Fact) -> str:
    """A fact as evidence of what it says."""
    return f"{day(fact.timestamp)}: {fact.text}"


def _rank(info: Info) -> tuple[int, str]:
    """What may stay: the newer and the more specific."""
    return info.timestamp + (SLOT_BONUS if info.about else 0), info.description


def _one_place(one: Info, two: Info) -> bool:
    """Whether only the newer of two items is listed."""
    older, newer = sorted((one, two), key=lambda info: (info.timestamp, info.description))
    called = slots.speaker_of(newer.about)
    if one.description == two.description or not older.about or slots.renamed(older.about, called) != newer.about:
        return one.description == two.description
    if says_more(older.description, slots.speaker_of(older.about)):
        return False
    if slots.denies(newer.description, newer.about):  # it takes what it names off the list, and no other
        return slots.denies(older.description, older.about) or _ends(newer, older)
    if slots.denies(older.description, older.about):
        return True
    return slots.only_newer(newer.description, older.description, older.about, called, older.timestamp)


def _merged(infos: list[Info], new: Info) -> list[Info]:
    same = [info for info in infos if _one_place(info, new)]
    if any((info.timestamp, info.description) >= (new.timestamp, new.description) for info in same):
        return infos
    if not same and len(infos) >= KEPT and _rank(new) < min(_rank(info) for info in infos):
        return infos  # thinned out before, or weaker than all that is here
    if not same:
        return [*infos, new]
    place = infos.index(same[0])
    return [*infos[:place], new, *(info for info in infos[place:] if info not in same)]


def _replaced(infos: list[Info], fact: Fact, text: str, slot: str) -> list[Info]:
    """What is nothing to list takes off the list what it ends; a new value of what was listed stands in its place."""
    left = _ended(infos, text, [slot], fact.timestamp)
    gone = next((info for info in infos if info not in left), None)
    if gone is None or not slots.names_value(text, slot):
        return left
    return [*left, Info(gone.category, clip(text, LONGEST), evidence(fact), slot, fact.timestamp)]


def _ends(newer: Info, older: Info) -> bool:
    called = slots.speaker_of(newer.about)
    return slots.ends(newer.description, older.description, older.about, called, older.timestamp)


def _ended(infos: list[Info], text: str, about: Collection[str], timestamp: int) -> list[Info]:
    """ "No longer bikes to work" is nothing to list, but it takes the habit off the list."""
    return [
        info
        for info in infos
        if not info.about
        or info.timestamp > timestamp
        or not any(
            slots.renamed(info.about, called) == slot
            and slots.ends(text, info.description, info.about, called, info.timestamp)
            for slot in about
            if (called := slots.speaker_of(slot))
        )
    ]


def traits_of(
    known: Iterable[Trait], infos: Iterable[Info], facts: Iterable[Told], name: str, over: Collection[str] = ()
) -> list[Trait]:
    """What several statements have in common, those on which the known traits rest among them."""
    rested = {trait.trait: {piece for piece in trait.evidence.split(" | ") if piece} for trait in known}
    said = {info.evidence for info in infos if info.evidence}
    said |= {evidence(fact) for fact, called in facts if own_words(fact.text, called)}
    traits: list[Trait] = []
    for trait, description, pattern in _THEMES:
        pieces = {piece for piece in said if pattern.search(piece) and not _AGAINST.search(piece)}
        pieces = pieces.union(rested.get(trait, ())).difference(over)
        if len(pieces) >= TRAIT_STATEMENTS:
            newest = sorted(pieces)[-TRAIT_EVIDENCE:]
            basis = f"{SAID} on several occasions, last on {newest[-1][:10]}"
            traits.append(Trait(trait, f"{name} {description}.", basis, " | ".join(newest)))
    return traits


def summary_of(infos: Sequence[Info], traits: Iterable[Trait], name: str) -> str:
    """One or two sentences: who the user is and what they like; where nothing tells that, what else there is."""
    text = _foremost(infos, ("identity", "home", "work", "family", "preference", "habit"))
    liked = [trait.trait for trait in traits][:3]
    if liked:
        text = f"{text} {name} comes across as: {', '.join(liked)}.".strip()
    return clip(text or _foremost(infos, ("health", "goal", "possession", "contact")), SUMMARY)


def _foremost(infos: Iterable[Info], order: Sequence[str]) -> str:
    """The first items of at most three categories."""
    ranked = sorted(
        (info for info in infos if info.category in order and len(info.description) <= 90),
        key=lambda info: (order.index(info.category), not info.about, -info.timestamp, info.description),
    )
    first = {info.category: info for info in reversed(ranked)}
    return " ".join(_sentence(first[category]) for category in [c for c in order if c in first][:3])


def _sentence(info: Info) -> str:
    return info.description if info.description.rstrip('"').endswith((".", "!")) else f"{info.description}."

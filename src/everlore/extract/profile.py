"""The profile of a user, kept up to date from what they say of themselves.

Deterministic: the same profile and facts give the same result in any order of facts, and giving the same facts again
changes nothing. What a person wrote into the file by hand (no time, no slot) stays until a statement contradicts it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from everlore.clock import DAY_MS, day
from everlore.extract import languages, slots
from everlore.extract.categories import TITLE, own_words, told_of
from everlore.extract.plural_subject import QUOTED
from everlore.extract.readings import says_more
from everlore.extract.sentences import clip
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Info, Profile, Trait
from everlore.types import Owner

MOST = 45
"""More items than this are thinned out."""
KEPT = 30
SLOT_BONUS = 30 * DAY_MS
"""A single-valued statement counts as this much newer than it is, so that vague ones leave first."""
YEAR = 365 * DAY_MS
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


def update_profile(
    old: Profile | None,
    facts: Sequence[Fact],
    owner: Owner,
    now: int,
    name: str,
    told: Sequence[Info] = (),
    over: Collection[str] = (),
) -> Profile:
    """The profile after `facts`. `name` is how the facts call the user; facts of others are left alone.

    `told` is what a language model found besides, if one was asked; `over` is the evidence that has ended since.
    """
    before = old or Profile(owner, "", (), (), 0)
    own = sorted((f for f in facts if f.sender_ids == (owner.id,)), key=lambda fact: (fact.timestamp, fact.text))
    infos = list(before.explicit_info)
    for fact in own:
        for text, about in _statements(fact, name):
            info = _info(fact, text, about, name)
            own_slot, *others = slots.touched(text, about)
            infos = _ended(infos, text, others, fact.timestamp)
            infos = [
                known
                for known in infos
                if known.timestamp > fact.timestamp or not slots.parts_from(text, about, known.description)
            ]
            infos = _merged(infos, info, name) if info else _replaced(infos, fact, text, own_slot)
    for info in sorted(told, key=lambda info: (info.timestamp, info.description)):
        infos = _merged(infos, info, name)
    infos = [info for info in infos if info.evidence not in over]
    if len(infos) > MOST:
        weakest = sorted(infos, key=_rank)[: len(infos) - KEPT]
        infos = [info for info in infos if info not in weakest]
    traits = _traits(before.implicit_traits, infos, own, name)
    kept_by_hand = bool(before.summary) and before.summary != _summary(
        before.explicit_info, before.implicit_traits, name
    )
    summary = before.summary if kept_by_hand else _summary(infos, traits, name)
    after = Profile(owner, summary, tuple(infos), tuple(traits), before.timestamp)
    if old is not None and after == before:
        return old
    return Profile(owner, summary, tuple(infos), tuple(traits), now)


def without(old: Profile, gone: Collection[str], now: int) -> Profile:
    """The profile without the items and traits that rest on evidence which is gone."""
    name = _called(old)
    infos = [info for info in old.explicit_info if info.evidence not in gone]
    pruned = [
        replace(trait, evidence=" | ".join(piece for piece in trait.evidence.split(" | ") if piece not in gone))
        for trait in old.implicit_traits
    ]
    known = {trait.trait for trait in pruned}
    traits = [trait for trait in _traits(pruned, infos, (), name) if trait.trait in known]
    if old.summary == _summary(old.explicit_info, old.implicit_traits, name):
        summary = _summary(infos, traits, name)
    else:  # a person wrote in it; only the lines that are gone go
        summary = old.summary
        for info in old.explicit_info:
            if info not in infos and info.description:
                summary = summary.replace(_sentence(info), "").strip()
    after = Profile(old.owner, summary, tuple(infos), tuple(traits), old.timestamp)
    return after if after == old else replace(after, timestamp=now)


def _called(profile: Profile) -> str:
    """The name of the user as their profile has it; only traits and what the summary says of them need it."""
    themes = {trait: f" {description}." for trait, description, _ in _THEMES}
    for trait in profile.implicit_traits:
        tail = themes.get(trait.trait, "")
        if tail and trait.description.endswith(tail):
            return trait.description.removesuffix(tail)
    return ""


def _statements(fact: Fact, name: str) -> list[tuple[str, str]]:
    """A fact with its slot, or the halves of "Alice lives in Rome and works at FAO", so that each can end alone."""
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
    told = told_of(text, name) if fact.valid_until is None else None
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
    return Info(category, clip(told.words, LONGEST), evidence(fact.text, fact.timestamp), about, fact.timestamp)


def _of_self(fact: Fact, name: str) -> bool:
    """A statement in the user's own voice that still holds: no quotation, no picture."""
    return bool(own_words(fact.text, name)) and fact.valid_until is None


def evidence(text: str, timestamp: int) -> str:
    """A fact as evidence of what it says."""
    return f"{day(timestamp)}: {text}"


def _rank(info: Info) -> tuple[bool, int, str]:
    """What may stay: by hand first, then the newer and the more specific."""
    return _by_hand(info), info.timestamp + (SLOT_BONUS if info.about else 0), info.description


def _by_hand(info: Info) -> bool:
    return not info.about and not info.timestamp


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


def _merged(infos: list[Info], new: Info, name: str) -> list[Info]:
    same = [info for info in infos if _one_place(info, new)]
    if any((info.timestamp, info.description) >= (new.timestamp, new.description) for info in same):
        return infos
    if not same and len(infos) >= KEPT and _rank(new) < min(_rank(info) for info in infos):
        return infos  # thinned out before, or weaker than all that is here
    kept: list[Info] = []
    placed = False
    for info in infos:
        if info in same:
            if not placed:
                kept.append(replace(new, written=info.written))
            placed = True
        elif not (_by_hand(info) and _contradicts(new, info, name)):
            kept.append(info)
    return kept if placed else [*kept, new]


def _replaced(infos: list[Info], fact: Fact, text: str, slot: str) -> list[Info]:
    """What is nothing to list takes off the list what it ends; a new value of what was listed stands in its place."""
    left = _ended(infos, text, [slot], fact.timestamp)
    gone = next((info for info in infos if info not in left), None)
    if gone is None or not slots.names_value(text, slot):
        return left
    return [*left, Info(gone.category, clip(text, LONGEST), evidence(fact.text, fact.timestamp), slot, fact.timestamp)]


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


def _contradicts(new: Info, old: Info, name: str) -> bool:
    """Also for a line written without the name, as people do in a list about themselves."""
    if not new.about:
        return False
    described = old.description.strip()
    forms = (
        described,
        f"{name} {described[:1].lower()}{described[1:]}",
        f"{name}'s {described[:1].lower()}{described[1:]}",
    )
    return any(slots.ends(new.description, form, new.about) for form in forms)


def _traits(old: Iterable[Trait], infos: Iterable[Info], facts: Iterable[Fact], name: str) -> list[Trait]:
    by_name = {trait.trait: trait for trait in old}
    said = {info.evidence for info in infos if info.evidence and info.timestamp}
    said |= {evidence(fact.text, fact.timestamp) for fact in facts if _of_self(fact, name)}
    traits: list[Trait] = []
    for trait, description, pattern in _THEMES:
        known = by_name.pop(trait, None)
        pieces = {piece for piece in said if pattern.search(piece) and not _AGAINST.search(piece)}
        if known and known.basis.startswith("said"):
            pieces |= {piece for piece in known.evidence.split(" | ") if piece}
        elif known:
            traits.append(known)  # written by hand
            continue
        if len(pieces) >= TRAIT_STATEMENTS:
            newest = sorted(pieces)[-TRAIT_EVIDENCE:]
            basis = f"said on several occasions, last on {newest[-1][:10]}"
            written = known.written if known else {}
            traits.append(Trait(trait, f"{name} {description}.", basis, " | ".join(newest), written))
    return [*by_name.values(), *traits]


def _summary(infos: Sequence[Info], traits: Iterable[Trait], name: str) -> str:
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

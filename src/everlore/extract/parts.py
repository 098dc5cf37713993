"""A sentence as the statements it makes, and what it says of its speaker besides.

Statements are told apart where one of them says how things are with the speaker, so that each can end alone. What
needs the rest (a wish, a reason, "it") stays with it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract import slots
from everlore.extract.borrowed import in_other_voice
from everlore.extract.casual import straightened
from everlore.extract.categories import told_of
from everlore.extract.clauses import GOVERNS, asides, joints, run_ons, shared
from everlore.extract.elliptic import whole
from everlore.extract.lexicon import CLAUSE_VERBS
from everlore.extract.openings import BITTER, LEAD_IN, opened
from everlore.extract.orders import each_order
from everlore.extract.sentences import is_english, is_question
from everlore.extract.third_person import has_verb, third_person
from everlore.extract.together import QUOTED, alone
from everlore.extract.tongues import before_question, halves

_LEANS = re.compile(
    r"\b(?:it|its|them|they|there|he|she|him|her|his|this|that|these|those|both)\b|\b(?:too|neither|one|two|three|four|some|none|any|either)[.!]*$",
    re.IGNORECASE,
)
"""Words that need what was said before."""
_OF_SELF = re.compile(r"^(?:I|I['’]\w+|im|ive|my|we|we['’]\w+|our)\b", re.IGNORECASE)
_SELF = re.compile(r"\b(?:I|im|ive|me|my|we|our|us)\b", re.IGNORECASE)
_DURING = re.compile(r"\b(?:when|while|until|till|before|after|once|whenever|because|so that)\b", re.IGNORECASE)
_DATED = re.compile(r"\b(?:yesterday|last|ago|this (?:morning|week|month|year)|in \d{4})\b", re.IGNORECASE)
_PAST = re.compile(r"^I (?:\w+ly |just |also )?(?:\w+ed|got|went|met|left|began|had|took|made|bought)\b", re.IGNORECASE)
_FRONTED = re.compile(
    r"^(?P<when>yesterday|today|(?:this|last) (?:morning|night|week|weekend|month|year|spring|summer|autumn|fall|winter"
    r"|\w+day|(?-i:[A-Z])\w+)|(?:an?|one|two|three|four|five|six|\d+|a few|a couple of) (?:day|week|month|year)s? ago"
    r"|(?:back )?(?:in|since) (?:(?-i:[A-Z])\w+ )?\d{4}|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?),? "
    r"(?P<rest>(?:I|my)\b(?:(?! (?:and|but|so|because|when|while|which|who|if)\b)[^,;:])*?)(?P<stop>[.!]*)$",
    re.IGNORECASE,
)
"""A time in front of a plain statement, which may as well stand behind it."""
_PLAINLY = re.compile(r"^I (?:live|work (?:in|at|for|as)|have|am|own|don['’]t|can['’]t|moved to) ", re.IGNORECASE)
_WIDER = re.compile(
    r"\bto (?-i:[a-z])|\b(?:can|could|will|would|should|may|might|must|gonna|not|never|no longer|who|which|that|whose"
    rf"|where|when|because|if|so|{'|'.join(sorted(CLAUSE_VERBS))})\b|n['’]t\b|['’](?:d|ll)\b|cannot",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+")
LEAST = 3
"""Words of a statement that needs no other."""


def statements(sentence: str, name: str, people: frozenset[str]) -> list[str]:
    """The statements of a sentence in order; a sentence that is one, or a question, as it is."""
    if is_question(sentence):
        return [sentence]
    bare = opened(sentence, people)
    if not is_english(bare) and len(told := halves(bare)) > 1:
        return told
    if len(orders := each_order(bare)) > 1:
        return orders
    own = _SELF.search(bare) and not in_other_voice(bare, name)
    found = _cut(bare, name) if own else [bare]
    return [f"{part[0].upper()}{part[1:]}" for part in found] if len(found) > 1 else [sentence]


def besides(sentence: str, name: str, people: frozenset[str]) -> list[str]:
    """What a sentence says of its speaker for good while it asks, wants or gives a reason for something else."""
    bare = opened(sentence, people)
    if not is_english(bare):
        return before_question(bare)
    if not _SELF.search(bare) or in_other_voice(bare, name):
        return []
    own = in_third_person(bare, name) is not None or (alone(bare) != "" and lasting(bare, name))
    lead = LEAD_IN.match(bare) if not own else None
    found: list[str] = []
    for aside in asides(bare[lead.end() :] if lead and not GOVERNS.search(lead[0]) else bare):
        head = is_question(bare) and not aside.before
        if aside.text.rstrip(".") == bare.rstrip(".!"):
            continue
        if own and not aside.factive and (not aside.before or _SELF.search(aside.before)):
            continue  # it is read where it stands
        for part in _cut(aside.text, name):
            kept = in_third_person(part, name) if head else lasting(part, name) and not _LEANS.search(part)
            if (
                len(_WORDS.findall(part)) >= LEAST
                and has_verb(part)
                and (kept or (alone(part) and lasting(part, name)))
            ):
                found.append(part)
    return found


@lru_cache(maxsize=2048)
def in_third_person(sentence: str, name: str) -> str | None:
    """What somebody says of themselves with their name for "I"; None for anything else."""
    full = made_whole(sentence)
    if BITTER.search(sentence):
        return None
    if (full == sentence and not is_english(sentence)) or in_other_voice(sentence, name):
        return None
    if dated := _FRONTED.match(full):
        when = f"{dated['when'][0].lower()}{dated['when'][1:]}"
        said = third_person(f"{dated['rest']} {when}{dated['stop']}", name)
        if said and tells(said, name):
            return said  # what is read begins with who it is about
    return third_person(full, name)


def made_whole(sentence: str) -> str:
    """The sentence with what careless and short ways to say it leave out."""
    return whole(straightened(sentence))


def lasting(sentence: str, name: str) -> bool:
    """Whether a statement says how things are with its speaker beyond this moment."""
    return tells(_as_fact(sentence, name), name)


def tells(fact: str, name: str) -> bool:
    """Whether a fact does: it has a slot, or a place in the profile."""
    told = told_of(fact, name)
    return bool(told and told.category) or bool(slots.about(fact, name))


def _cut(sentence: str, name: str) -> list[str]:
    for left, right in joints(sentence):
        if _apart(sentence, left, right, name):
            return [left, *_cut(right, name)]
    for left, right in shared(sentence):
        if _each_reads(left, right, name) and not _one_change(sentence, left, name):
            return [left, *_cut(right, name)]
    for left, right in run_ons(sentence):
        if _OF_SELF.match(left) and not GOVERNS.search(left) and in_third_person(left, name) and lasting(right, name):
            return [left, *_cut(right, name)]
    return [sentence]


def _each_reads(left: str, right: str, name: str) -> bool:
    """Whether a second half without its "I" is one: "and dance" may be a noun, "and work in Rome" is not.

    Where the first half has another verb or subject ("want to", "sons who live"), the second may belong to that.
    """
    if _WIDER.search(left):
        return False
    if _PLAINLY.match(right):
        return lasting(left, name) and lasting(right, name)
    return bool(_slot(left, name) and _slot(right, name))


def _apart(sentence: str, left: str, right: str, name: str) -> bool:
    """Whether both halves are statements that hold without each other, and one of them may end."""
    if not _OF_SELF.match(left) or GOVERNS.search(left) or _DURING.search(left) or _LEANS.search(right):
        return False
    if len(right.split()) < LEAST and not _slot(right, name):
        return False
    if _PAST.match(left) and _DATED.search(right) and not _DATED.search(left):
        return False
    if not _is_clause(left, name) or not _is_clause(right, name):
        return False
    return bool(_slot(left, name) or _slot(right, name)) and not (
        _one_change(sentence, left, name) and _slot(right, name)
    )


def _is_clause(text: str, name: str) -> bool:
    said = in_third_person(text, name) is not None or (bool(alone(text)) and lasting(text, name))
    return said and has_verb(text)


def _slot(text: str, name: str) -> str:
    return slots.about(_as_fact(text, name), name)


def _as_fact(text: str, name: str) -> str:
    return in_third_person(text, name) or f'{name}{QUOTED}{text}"'


def _one_change(sentence: str, left: str, name: str) -> bool:
    """ "I left Siemens and joined BMW": what is over and what came instead, which is read as one."""
    slot, whole = _slot(left, name), _as_fact(sentence, name)
    told = slots.about(whole, name) == slot and slots.names_value(whole, slot)
    return bool(slot) and told and slots.denies(_as_fact(left, name), slot)

"""A sentence as the statements it makes, and what it says of its speaker besides.

Statements are told apart where one of them says how things are with the speaker, so that each can end alone. What
needs the rest (a wish, a reason, "it") stays with it. Words are never changed: a cut half gets its full stop, and the
subject that it shares with the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from everlore.extract import slots
from everlore.extract.attribution import in_other_voice
from everlore.extract.categories import told_of
from everlore.extract.completion import straightened, whole
from everlore.extract.languages import before_question, halves
from everlore.extract.lead_ins import BITTER, LEAD_IN, opened
from everlore.extract.orders import each_order
from everlore.extract.plural_subject import QUOTED, alone
from everlore.extract.sentences import is_english, is_question
from everlore.extract.third_person import has_verb, third_person
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("clauses")
GOVERNS = _KNOWN["governs"]

_LARGE_I = re.compile(r"\bI\b")
_BE = re.compile(r"^I(?:['’]m| am)\b", re.IGNORECASE)


class Aside(NamedTuple):
    """A clause in which somebody speaks of themselves, with what stands before it in the sentence.

    `factive` after "because" and its like.
    """

    text: str
    before: str
    factive: bool


def run_ons(sentence: str) -> Iterator[tuple[str, str]]:
    """The same without anything between the two, by people who write "i": "i live in leeds i work as a nurse"."""
    if not _LARGE_I.search(sentence):
        for found in _KNOWN["run_on"].finditer(sentence):
            if not _KNOWN["goes_on"].search(sentence, 0, found.start()):
                yield _halves(sentence, found)


def shared(sentence: str) -> Iterator[tuple[str, str]]:
    """The sentence in two, where the second half may leave out "I" or "I'm"."""
    be = bool(_BE.match(sentence))
    if be or sentence[:2] in ("I ", "i "):
        for found in _KNOWN["shared"].finditer(sentence):
            left, right = _halves(sentence, found)
            yield left, f"I {right}"
            if be:
                yield left, f"I'm {right}"


def asides(sentence: str) -> Iterator[Aside]:
    """The clauses in which the speaker states something of themselves, in whatever else the sentence is."""
    breaks = [found for found in _KNOWN["break"].finditer(sentence) if not _joins_subject(sentence, found)]
    first = sentence[: breaks[0].start()] if breaks else sentence
    several = bool(_KNOWN["clause"].match(sentence)) or has_verb(first)
    asked = _asked_from(sentence, breaks)
    ends = [*(found.start() for found in breaks), len(sentence)]
    starts = [(0, "", _KNOWN["begins"].match(sentence))] + [
        (found.end(), found["link"] or "", _KNOWN["begins"].match(sentence, found.end())) for found in breaks
    ]
    for (start, link, begins), end in zip(starts, ends, strict=True):
        behind = sentence[end:].lstrip(" ,;:–—-.…")
        if begins is None or GOVERNS.search(sentence, 0, start) or _KNOWN["limits"].match(behind):
            continue
        factive = bool(begins["link"]) or (link != "" and not _KNOWN["coordinates"].search(link))
        if begins["link"] and end == len(sentence):
            continue  # the reason goes on without a comma
        if start and not factive and not several:
            continue
        if start >= asked and not factive and not (_KNOWN["request"].match(sentence) and asked == 0):
            continue
        yield Aside(_sentence(sentence[begins.end() : end]), sentence[:start], factive)


def _joins_subject(sentence: str, found: re.Match[str]) -> bool:
    """ "My girlfriend and I live in Leeds": what stands before "and I" is no clause."""
    return (found["link"] or "").strip().lower() == "and" and not has_verb(sentence[: found.start()])


def _asked_from(sentence: str, breaks: list[re.Match[str]]) -> int:
    """Where the question begins, past the end where there is none. One that only asks "don't I?" asks for all."""
    places = [0, *(found.end() for found in breaks)]
    if not sentence.rstrip().endswith("?"):
        return len(sentence)
    asked = next((place for place in places if _KNOWN["question"].match(sentence, place)), 0)
    return 0 if _KNOWN["tag"].match(sentence[asked:]) else asked


def _halves(sentence: str, found: re.Match[str]) -> tuple[str, str]:
    return _sentence(sentence[: found.start()]), sentence[found.end() :]


def _sentence(text: str) -> str:
    plain = text.strip(" ,;:–—-?")
    return plain if plain.endswith((".", "!")) else f"{plain}."


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
    own = _KNOWN["of_us"].search(bare) and not in_other_voice(bare, name)
    found = _cut(bare, name) if own else [bare]
    return [f"{part[0].upper()}{part[1:]}" for part in found] if len(found) > 1 else [sentence]


def besides(sentence: str, name: str, people: frozenset[str]) -> list[str]:
    """What a sentence says of its speaker for good while it asks, wants or gives a reason for something else."""
    bare = opened(sentence, people)
    if not is_english(bare):
        return before_question(bare)
    if not _KNOWN["of_us"].search(bare) or in_other_voice(bare, name):
        return []
    own = in_third_person(bare, name) is not None or (alone(bare) != "" and lasting(bare, name))
    lead = LEAD_IN.match(bare) if not own else None
    found: list[str] = []
    for aside in asides(bare[lead.end() :] if lead and not GOVERNS.search(lead[0]) else bare):
        head = is_question(bare) and not aside.before
        if aside.text.rstrip(".") == bare.rstrip(".!"):
            continue
        if own and not aside.factive and (not aside.before or _KNOWN["of_us"].search(aside.before)):
            continue  # it is read where it stands
        for part in _cut(aside.text, name):
            kept = in_third_person(part, name) if head else lasting(part, name) and not _KNOWN["leans"].search(part)
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
    if dated := _KNOWN["fronted"].match(full):
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
    for found in _KNOWN["joint"].finditer(sentence):  # where a second clause has a subject of its own: "I" or "my"
        left, right = _halves(sentence, found)
        if _apart(sentence, left, right, name):
            return [left, *_cut(right, name)]
    for left, right in shared(sentence):
        if _each_reads(left, right, name) and not _one_change(sentence, left, name):
            return [left, *_cut(right, name)]
    for left, right in run_ons(sentence):
        if (
            _KNOWN["of_self"].match(left)
            and not GOVERNS.search(left)
            and in_third_person(left, name)
            and lasting(right, name)
        ):
            return [left, *_cut(right, name)]
    return [sentence]


def _each_reads(left: str, right: str, name: str) -> bool:
    """Whether a second half without its "I" is one: "and dance" may be a noun, "and work in Rome" is not.

    Where the first half has another verb or subject ("want to", "sons who live"), the second may belong to that.
    """
    if _KNOWN["wider"].search(left):
        return False
    if _KNOWN["plainly"].match(right):
        return lasting(left, name) and lasting(right, name)
    return bool(_slot(left, name) and _slot(right, name))


def _apart(sentence: str, left: str, right: str, name: str) -> bool:
    """Whether both halves are statements that hold without each other, and one of them may end."""
    if (
        not _KNOWN["of_self"].match(left)
        or GOVERNS.search(left)
        or _KNOWN["during"].search(left)
        or _KNOWN["leans"].search(right)
    ):
        return False
    if len(right.split()) < LEAST and not _slot(right, name):
        return False
    if _KNOWN["past"].match(left) and _KNOWN["dated"].search(right) and not _KNOWN["dated"].search(left):
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

"""Which facts end because of others: values in, values out.

A fact holds until the first later one that contradicts it, in whatever order the two are told. Nothing is deleted. An
end needs evidence: two values of a thing that has only one, a statement that it is over, or the learned judgement of
`change`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from everlore.clock import DAY_MS
from everlore.extract.change import judged, overlap, seen
from everlore.extract.claims import Claim, own_words, read, speaker_of
from everlore.extract.language import language_of, small, words
from everlore.extract.learned import Vector
from everlore.extract.rules import CATEGORY, may_take_back, takes_back
from everlore.kinds.fact import Fact
from everlore.temporal import close
from everlore.types import Validity

COMPARED = 16
"""Older facts that one statement is compared with, the likeliest."""
SHORT = 8
"""Words up to which "Max died …" says so, and does not go on "… laughing at that"."""
SURE = 100.0
"""The evidence of two readings of one slot; what is judged has less, and of that only the best ends anything."""
_YEAR = re.compile(r"(?<![\w-])(?:19|20)\d\d(?![\w-])")
_SINCE = re.compile(r"\b(?:since|seit|depuis|desde|dal) (?:\w+ )?\d{4}", re.IGNORECASE)

Vectors = Mapping[str, Vector]
"""The vectors of statements, as `words_of` has them, of the model that the weights were made for."""


def words_of(fact: Fact) -> str:
    """What a fact says, as its speaker put it: what is compared."""
    return _words_of(fact.text, fact.about, fact.sender_ids)


@lru_cache(maxsize=8192)
def _words_of(text: str, about: str, sender_ids: tuple[str, ...]) -> str:
    first = text.partition(" ")[0].removesuffix("'s")
    named = {small(first), *map(small, sender_ids)} & {small(word).removesuffix("'s") for word in words(text)}
    alone = first if small(first) in named and first[:1].isupper() and not language_of(text).is_common(first) else ""
    sender = next((name for name in sender_ids if small(name) in named), "")
    return own_words(text, speaker_of(about) or sender or alone)


def slots_of(new: Iterable[Fact], names: Collection[str]) -> list[str]:
    """The slots in which facts may say the same thing or the contrary, under every name of their speaker."""
    found: dict[str, None] = {}
    for fact in new:
        kind = fact.about.partition(": ")[2]
        found |= dict.fromkeys(f"{name}: {kind}" for name in (speaker_of(fact.about), *sorted(names)) if kind)
    return list(found)


def may_end(fact: Fact) -> bool:
    """Whether a statement may end anything at all."""
    return fact.by_user and not words_of(fact).rstrip().endswith(("?", "？"))


def likely(new: Fact, known: Iterable[Fact]) -> list[Fact]:
    """Those of the known facts that it is worth comparing a new one with, the likeliest first."""
    one = seen(words_of(new))
    slot = new.about.partition(": ")[2]

    def score(old: Fact) -> float:
        two = seen(words_of(old))
        same = 6.0 * bool(slot and old.about.partition(": ")[2] == slot)
        return same + 2.0 * len(one.content & two.content) + (one.first == two.first) + (one.ours and two.ours)

    speakers = ((), new.sender_ids)
    same = (old for old in known if not new.sender_ids or old.sender_ids in speakers)
    others = [old for old in same if old.local_id != new.local_id and old.by_user]
    ranked = sorted(others, key=lambda old: (-score(old), -old.timestamp, old.local_id))
    return ranked[:COMPARED]


def superseded(known: Sequence[Fact], new: Sequence[Fact], now: int, vectors: Vectors | None = None) -> list[Fact]:
    """The facts that end because of the new ones, and the new ones that end because of what is known, each with its
    `valid_until` and `superseded_by`. Two known facts were compared before. What is dated in the future ends nothing,
    and anything ends it: one wrong date must not decide for good."""
    told = {fact.local_id for fact in new}

    def place(fact: Fact) -> tuple[int, str]:
        return (fact.timestamp if fact.timestamp <= now + DAY_MS else 0, fact.local_id)

    all_facts = {fact.local_id: fact for fact in (*known, *new)}
    ended: dict[str, Fact] = {}
    for fresh in sorted(new, key=place):
        best: list[tuple[float, Fact, Fact]] = []
        for other in likely(fresh, all_facts.values()):
            old, by = sorted((fresh, other), key=place)
            old = ended.get(old.local_id, old)
            sure = evidence(by, old, vectors) if _may_close(by, old, told) else 0.0
            if sure > 0:
                best.append((sure, old, by))
        guesses = sorted((one for one in best if one[0] < SURE), key=lambda one: -one[0])[:1]
        for _, old, by in [*(one for one in best if one[0] >= SURE), *guesses]:
            validity = close(Validity(old.timestamp, old.valid_until), by.timestamp)
            ended[old.local_id] = replace(old, valid_until=validity.end, superseded_by=by.local_id)
    return list(ended.values())


def _may_close(new: Fact, old: Fact, told: Collection[str]) -> bool:
    """Whether it is worth asking: an end that is earlier, or that a person gave, stays."""
    if new.local_id not in told and old.local_id not in told:
        return False
    return old.valid_until is None or (new.timestamp < old.valid_until and bool(old.superseded_by))


def evidence(new: Fact, old: Fact, vectors: Vectors | None = None) -> float:
    """How sure it is that a newer statement makes an older one of the same person untrue; 0 where it does not."""
    after, before = words_of(new), words_of(old)
    if after == before or _before(new, old) or not may_end(new) or seen(after).language.has("then", small(after)):
        return 0.0
    if CATEGORY in (new.category, old.category):
        if old.category != CATEGORY or not (new.category == CATEGORY or may_take_back(after)):
            return 0.0  # only a rule ends a rule, or what takes one back
        if takes_back(after) and seen(after).content & seen(before).content:
            return SURE
    fresh, stale = read(after), read(before)
    if fresh and stale and (sure := _by_frames(fresh, stale, after, before)) is not None:
        return SURE * sure
    if (new.parent_id, new.turn, new.timestamp) == (old.parent_id, old.turn, old.timestamp):
        return 0.0  # in one breath only what is plain
    if stale and stale.category == "family" and _died(after, before, stale):
        return SURE
    if seen(after).language.has("only_now", small(after)):
        return 0.0  # what is so today may be otherwise tomorrow
    pair = (vectors[before], vectors[after]) if vectors and after in vectors and before in vectors else None
    return min(max(0.0, judged(before, after, pair)), SURE / 2)


def _died(after: str, before: str, stale: Claim) -> bool:
    """ "Mimi died last night." of "My cat is called Mimi."; "My friend's cat died." is none of one's own."""
    low = small(after)
    whose = seen(after).language.pattern("others").match(low)
    if whose and whose[0] not in small(before):
        return False
    names = {word for word in stale.value.split() if len(word) > 2} & set(map(small, words(after)))
    return bool(names) and seen(after).language.has("dies", low) and len(low.split()) <= SHORT


def _by_frames(fresh: Claim, stale: Claim, after: str, before: str) -> bool | None:
    """What two readings of one slot say for sure; None where they leave it open."""
    if fresh.slot != stale.slot or fresh.who != stale.who:
        named = not fresh.value or bool(set(fresh.value.split()) & set(stale.value.split()))
        return True if stale.slot in fresh.closes and named else None
    shown, low = seen(after), small(after)
    doubtful = any(shown.language.has(group, low) for group in ("hedge", "also", "past", "for_a_time"))
    doubtful = doubtful or shown.language.has("for_a_time", small(before))
    alike = overlap(fresh.value, stale.value)
    if fresh.sign != stale.sign and (alike or (fresh.over and not fresh.value)):
        return not doubtful or fresh.over
    if fresh.one and stale.one and not stale.over and not fresh.over:
        if alike:
            return False
        return not doubtful if fresh.value and stale.value else None
    return None


def _before(new: Fact, old: Fact) -> bool:
    """ "I moved to Paris in 2005" says nothing against a home that was named years later."""
    years = [int(year) for year in _YEAR.findall(_SINCE.sub("", words_of(new)))]
    return bool(years) and max(years) < datetime.fromtimestamp(old.timestamp / 1000, UTC).year

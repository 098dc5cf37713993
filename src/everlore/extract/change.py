"""Whether a newer statement makes an older one untrue: a small learned judgement, and the evidence for it.

It looks at the words that two statements share, at numbers and names that differ, at words of change, and at what the
shipped embedder makes of both. Without vectors, or with those of another model, it judges by the words alone, and more
strictly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from everlore.extract.claims import OVER, read
from everlore.extract.language import Language, language_of, small, words
from everlore.extract.learned import Vector, weights
from everlore.extract.vocabulary import Vocabulary
from everlore.stem import stem

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
GROUPS = ("change", "over", "begin", "negation", "hedge", "also", "passing", "past", "others")
COUNTED = 3
SHOWN = 400
"""Characters of a statement that are looked at."""
_KNOWN = Vocabulary("change")
_COUNTED = {word: str(number) for number, word in enumerate(_KNOWN.in_order("counted"))}
_TIMES = _KNOWN.words("times")
_STOP = _KNOWN.words("empty")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a statement shows at first sight."""

    text: str
    language: Language
    content: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    head: str
    first: bool
    ours: bool
    others: bool
    low: str
    counts: Mapping[str, int]
    """How often words of each of `GROUPS` stand in it, up to `COUNTED`."""


@lru_cache(maxsize=4096)
def seen(text: str) -> Seen:
    known = language_of(text)
    low = small(text[:SHOWN])
    lasting = known.pattern("passing").sub("", low)  # "right now" tells of no change, as "now" does
    content: set[str] = set()
    numbers: set[str] = set()
    names: set[str] = set()
    for place, word in enumerate(words(text[:SHOWN])):
        folded = small(word)
        if word[0].isdigit():
            continue
        if folded in _COUNTED:
            numbers.add(_COUNTED[folded])
        elif folded in _TIMES or folded.rstrip("s") in _TIMES:
            numbers.add(folded.rstrip("s"))
        elif _HAN_OR_KANA.search(word):
            content.update(word[at : at + 2] for at in range(len(word) - 1))
        elif folded not in known.function and folded not in _STOP and len(folded) > 1:
            content.add(stem(folded.removesuffix("'s")) if word.isascii() else folded[:6])
            if place and word[0].isupper() and not word.startswith(("I'", "I’")):
                names.add(folded.removesuffix("'s"))
    numbers.update(number.replace(",", "") for number in _NUMBER.findall(text[:SHOWN]))
    said = (word for word in map(small, words(text)) if len(word) > 1 and not word[0].isdigit())
    head = next((stem(word) for word in said if word not in known.function and word not in _STOP), "")
    return Seen(
        text, known, frozenset(content), frozenset(numbers), frozenset(names), head, known.has("self", low),
        known.has("we", low), known.has("others", low), low,
        {group: min(COUNTED, known.count(group, lasting if group == "change" else low)) for group in GROUPS},
    )  # fmt: skip


NAMES = (
    "cosine", "old_in_new", "new_in_old", "shared", "head", "numbers_differ", "numbers_alike", "names_differ",
    "name_again", "own_both", "ours_both", "own_to_ours", "question", "length", "other_language", "old_past",
    "old_neg", "neg_differs", "shared_x_over", "shared_x_change", "cosine_x_change", "cosine_x_over",
    "cosine_x_begin", "numbers_x_shared", "head_x_numbers", "others_new_only", "others_both", "no_cue",
    "numbers_only_new", "cosine2", "slot_same", "slot_same_one_differs", "slot_over", "slot_other", "value_named",
    "value_named_x_cue", "value_same", "signs_differ", "value_over", "known_new", "known_old", "category_same",
    "who_differs", *(f"{group}" for group in GROUPS), *(f"{group}2" for group in ("change", "over")),
)  # fmt: skip


def features(old: str, new: str, cosine: float) -> list[float]:
    """The two statements as numbers, in the order of `NAMES`."""
    one, two = seen(old), seen(new)
    counts = two.counts
    shared = one.content & two.content
    old_in_new = len(shared) / max(1, len(one.content))
    new_in_old = len(shared) / max(1, len(two.content))
    numbers = bool(one.numbers and two.numbers)
    differ = float(numbers and not one.numbers & two.numbers)
    negative = bool(one.counts["negation"])
    head = float(bool(one.head) and one.head in two.content)
    some = float(bool(shared))
    cue = float(bool(counts["change"] or counts["over"] or counts["begin"]))
    return [
        cosine, old_in_new, new_in_old, min(3, len(shared)) / 3, head, differ,
        float(numbers and bool(one.numbers & two.numbers)), float(bool(one.names and two.names - one.names)),
        float(bool(one.names & two.names)), float(one.first and two.first), float(one.ours and two.ours),
        float(one.first != two.first), float("?" in new or "？" in new), min(30, len(words(new))) / 30,
        float(two.language.code != "en"), float(bool(one.counts["past"])), float(negative),
        float(negative != bool(counts["negation"])), some * counts["over"], some * counts["change"],
        cosine * (counts["change"] > 0), cosine * (counts["over"] > 0), cosine * (counts["begin"] > 0),
        differ * old_in_new, head * differ, float(two.others and not one.others), float(two.others and one.others),
        1 - cue, float(bool(two.numbers and not one.numbers)), cosine * cosine, *_by_frames(old, new, two.low, cue),
        *(float(counts[group] > 0) for group in GROUPS), *(counts[group] / 3 for group in ("change", "over")),
    ]  # fmt: skip


def _by_frames(old: str, new: str, low: str, cue: float) -> list[float]:
    """What the frames make of the two."""
    stale, fresh = read(old), read(new)
    value = stale.value if stale else ""
    named = float(bool(value) and len(value) > 2 and value in low)
    if stale is None or fresh is None:
        over = float(fresh is not None and fresh.sign == OVER)
        known = float(fresh is not None), float(stale is not None)
        return [0, 0, 0, 0, named, named * cue, 0, 0, over * named, *known, 0, 0]
    same = float(fresh.slot == stale.slot)
    alike = overlap(fresh.value, value)
    return [
        same, same * stale.one * (not alike) * (fresh.sign != OVER),
        same * (fresh.sign == OVER) * (alike or not fresh.value), 1 - same, named, named * cue, same * alike,
        same * (fresh.sign != stale.sign), named * (fresh.sign == OVER), 1.0, 1.0,
        float(bool(fresh.category) and fresh.category == stale.category), float(fresh.who != stale.who),
    ]  # fmt: skip


def overlap(one: str, two: str) -> bool:
    """Whether two values may be the same thing said with more or fewer words."""
    left, right = set(one.split()), set(two.split())
    return bool(left and right) and (left <= right or right <= left)


def judged(old: str, new: str, vectors: tuple[Vector, Vector] | None) -> float:
    """How sure it is that the new statement ends the old one: above 0 is sure enough."""
    known = weights()
    if vectors is None:
        given = np.array([*features(old, new, 0.0), 1.0], np.float32)
        return float(known["change_words"] @ given)
    one, two = vectors
    given = np.concatenate([np.array(features(old, new, float(one @ two)), np.float32), one, two, one * two, [1.0]])
    return float(np.maximum(given @ known["change"], 0) @ known["change_out"][:-1] + known["change_out"][-1])

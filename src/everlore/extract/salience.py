"""How much a sentence is worth keeping: a small learned judgement over what it shows at first sight.

Courtesies, platitudes, requests and remarks that point to something outside themselves score low; what somebody says of
their life, with names, numbers and times, scores high. With the vector of a sentence it is also
judged where in a profile it belongs, which finds what no frame knows ("Allergic to nuts.").
"""

from __future__ import annotations

import numpy as np

from everlore.extract.change import seen
from everlore.extract.claims import read
from everlore.extract.language import Language, language_of, small, words
from everlore.extract.learned import Vector, weights

GROUPS = (
    "outside", "listener", "courtesy", "platitude", "request", "told", "change", "over", "begin", "hedge",
    "negation", "passing", "past", "others", "self", "we",
)  # fmt: skip
CATEGORIES = (
    "home", "work", "health", "family", "identity", "preference", "habit", "possession", "goal", "contact", "",
)  # fmt: skip
NAMES = (
    *(f"{group}" for group in GROUPS), *(f"{group}+" for group in GROUPS),
    *(f"is {category}" for category in CATEGORIES), "claim", "claim one", "numbers", "names", "numbers and names",
    "exclaims", "asks", "short", "words", "content", "starts outside", "starts listener", "starts self", "no self",
    "english", "image", "ends colon", "self and told", "self no outside", "share",
)  # fmt: skip

OTHER = "other"
PLACES = (*CATEGORIES[:-1], "rule", OTHER)


def features(sentence: str) -> list[float]:
    """A sentence as numbers, in the order of `NAMES`."""
    shown, known, low = seen(sentence), language_of(sentence), small(sentence)
    count = [known.count(group, low) for group in GROUPS]
    claim = read(sentence)
    said = words(low)
    own = bool(count[14] or count[15])
    size = len(said) if known.spaced else len(sentence) // 2
    first = " ".join(said[:2])
    return [
        *(float(number > 0) for number in count), *(min(number, 4) / 4 for number in count),
        *(float(claim is not None and claim.category == category) for category in CATEGORIES),
        float(claim is not None), float(claim is not None and claim.one), float(bool(shown.numbers)),
        float(bool(shown.names)), float(bool(shown.numbers and shown.names)), float(sentence.endswith("!")),
        float("?" in sentence), float(size <= 4), min(size, 40) / 40, min(len(shown.content), 14) / 14,
        float(starts(known, "outside", first)), float(starts(known, "listener", first)),
        float(starts(known, "self", first)), float(not own), float(known.code == "en"), float("[image" in low),
        float(low.endswith(":")), float(own and count[5] > 0), float(own and not count[0]),
        len(shown.content) / max(1, size),
    ]  # fmt: skip


def starts(known: Language, group: str, text: str) -> bool:
    return bool(known.pattern(group).match(text))


def salience(sentence: str) -> float:
    """About 0 where keeping is as good as leaving; more is better."""
    return float(weights()["salience"] @ np.array([*features(sentence), 1.0], np.float32))


def places(sentence: str, vector: Vector) -> dict[str, float]:
    """How likely it belongs into each category of a profile, is a rule (`rule`), or neither (`other`)."""
    given = np.concatenate([np.array(features(sentence), np.float32), vector, [1.0]])
    scores = given @ weights()["place"]
    chances = np.exp(scores - scores.max())
    return dict(zip(PLACES, map(float, chances / chances.sum()), strict=True))

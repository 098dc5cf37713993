"""How much a sentence is worth keeping: a small learned judgement over what it shows at first sight.

Courtesies, platitudes, requests and remarks that point to something outside themselves score low; what somebody says of
their life, with names, numbers and times, scores high. The weights lie in `salience.json`, made by
`python -m bench.train` from judged sentences.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everlore.extract.change import seen
from everlore.extract.claims import read
from everlore.extract.language import Language, language_of, small, words

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


@cache
def _weights() -> tuple[NDArray[np.float32], float]:
    data = json.loads(Path(__file__).with_name("salience.json").read_text(encoding="utf-8"))
    return np.array(data["plain"], np.float32), float(data["bias"])


def salience(sentence: str) -> float:
    """About 0 where keeping is as good as leaving; more is better."""
    plain, bias = _weights()
    return float(plain @ np.array(features(sentence), np.float32)) + bias

"""Places that exclude each other: who lives in one town does not live in another.

A town may lie in a country and a quarter in a town, so a place that is not known here contradicts nothing. Towns that
many take for a part of a larger one (Salford, Jersey City) are left out.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from everlore.extract.lexicon import CITIES, COUNTRIES
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("places")
_ALIASES = _KNOWN.by_word("aliases")


def same_place(one: str, two: str) -> bool:
    return _plain(one) == _plain(two)


def place_class(place: str) -> str:
    name = _plain(place)
    return "country" if name in COUNTRIES else "city" if name in TOWNS else "unknown"


@lru_cache(maxsize=4096)
def _plain(place: str) -> str:
    """One spelling for each place: small letters without accents, as it is called in English."""
    decomposed = unicodedata.normalize("NFKD", place.lower()).translate(_STROKES)
    name = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _ALIASES.get(name, name)


_STROKES = str.maketrans({"ø": "o", "ł": "l", "ß": "ss"})
TOWNS = CITIES | frozenset(map(_plain, _KNOWN.words("towns")))

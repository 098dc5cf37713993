"""Words of a text as the index knows them. Pure: the same text gives the same tokens in every process.

English is stemmed, accents and case are folded, possessives dropped. An identifier gives itself and its parts
(`getUserName`, `user_name`, `utf8`). Scripts that are written without blanks give overlapping pairs of characters.
Every token consists of word characters and marks only, so no token can be mistaken for query syntax.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from everlore.stem import stem

LONGEST = 64
"""Longer tokens are cut: nobody searches for the end of a base64 blob."""

MOST_TERMS = 512
"""A query looks for so many, the first ones: the built-in model reads no further either, and the time that a search
takes grows with their number."""
LISTED_TERMS = 128
"""Those of them whose lists are read to find candidates; the others only count where they stand in one."""

_STOP = """a an the and or but of to in on at by for with from as into is are was were be been being am do does did
have has had will would i im ive you youre he she it its we they me him her us them my your his our their this that
these those there dont didnt doesnt isnt what whats which who whos whom whose when whens where wheres why whys how
hows now currently ever"""
STOP_WORDS = frozenset(_STOP.split())
"""Dropped from queries that have other words: they say nothing, or they ask, and no answer repeats them. The index
keeps them, so that a query of nothing else still works."""

_MINE = """my our mein meine meinem meinen meiner meines unser unsere unserem unseren unserer unseres mon ma mes notre
nos mi mis nuestro nuestra nuestros nuestras mio miei mie nostro nostra nostri nostre"""
MINE = frozenset(_MINE.split())
"""Says that the next word is the asker's own. Not "mia", which more often is a name."""
OWN_WORDS = 2
"""Words behind one of these that name what is owned: "my high school", "my phone"."""

# Han, Hiragana, Katakana, Hangul, Thai, Lao, Myanmar, Khmer
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0ed9\u1000-\u1049\u1050-\u109d\u1780-\u17d3"
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
# vowel signs of the Indic scripts belong to the word although they are not word characters to `re`
_INDIC_MARKS = "\u0900-\u0963\u0966-\u0df3"
_WORD_ASCII = re.compile(r"\w+(?:'\w+)*", re.ASCII)
_WORD = re.compile(rf"[\w{_INDIC_MARKS}{_UNSPACED}]+(?:'[\w{_INDIC_MARKS}{_UNSPACED}]+)*")
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_UNSPACED_START = re.compile(rf"[{_UNSPACED}]")
# accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_QUOTES = str.maketrans("\u2018\u2019\u02bc\uff07", "''''")
_JOINTS = re.compile(r"_+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_ENDINGS = frozenset(["s", "t", "m", "d", "re", "ve", "ll"])
_MOST_PARTS = 12


def tokens(text: str) -> list[str]:
    """All tokens in order, with repetitions: what the index keeps of a text."""
    return list(chain.from_iterable(map(_tokens_of, _words(text))))


def query_terms(text: str) -> list[str]:
    """The distinct tokens that a query looks for, in order. Stop words count only when there is nothing else."""
    words = _words(text)
    telling = [word for word in words if _plain(word) not in STOP_WORDS]
    terms: dict[str, None] = {}
    for word in telling or words:
        terms |= dict.fromkeys(_tokens_of(word, query=True))
        if len(terms) >= MOST_TERMS:
            break
    return list(terms)[:MOST_TERMS]


def own_terms(text: str) -> set[str]:
    """Those of them that name what the asker calls their own, the reunion in "shall I go to my reunion?"."""
    own: set[str] = set()
    left = 0
    for word in _words(text):
        plain = _plain(word)
        if plain in MINE:
            left = OWN_WORDS
        elif plain in STOP_WORDS:
            left = 0
        elif left:
            own.update(_tokens_of(word, query=True))
            left -= 1
    return own


@lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    return word.casefold().replace("'", "")


def _words(text: str) -> list[str]:
    if text.isascii():
        return _WORD_ASCII.findall(text)
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_QUOTES)))
    return _WORD.findall(unicodedata.normalize("NFC", plain))


@lru_cache(maxsize=50_000)
def _tokens_of(word: str, query: bool = False) -> tuple[str, ...]:
    if "'" in word:
        return _with_apostrophe(word)
    if not word.isascii() and _UNSPACED_START.search(word):
        return tuple(
            token
            for run in _RUNS.findall(word)
            for token in (_pairs(run, query) if _UNSPACED_START.match(run) else _tokens_of(run))
        )
    parts = [part for part in _JOINTS.split(word) if part]
    if len(parts) < 2:
        return tuple(_stem(part.casefold()) for part in parts)
    return _stem(word.casefold()), *(_stem(part.casefold()) for part in parts[:_MOST_PARTS])


def _with_apostrophe(word: str) -> tuple[str, ...]:
    """`Alice's` is alice, `don't` is dont, `O'Brien` and `l'amour` are one word and two."""
    head, _, ending = word.rpartition("'")
    if ending.casefold() == "s":
        return _tokens_of(head)
    joined = word.replace("'", "")
    if ending.casefold() in _ENDINGS:
        return _tokens_of(joined)
    return _stem(joined.casefold()), *(token for part in word.split("'") for token in _tokens_of(part))


def _pairs(run: str, query: bool) -> tuple[str, ...]:
    """Overlapping pairs. The index keeps the single characters too, for the query that is but one."""
    pairs = tuple(run[i : i + 2] for i in range(len(run) - 1))
    return pairs if query and pairs else (*pairs, *run)


def _stem(word: str) -> str:
    word = word[:LONGEST]
    return stem(word) if word.isascii() and word.isalpha() else word


def joined(words: Sequence[str]) -> str:
    """Tokens as a unit keeps them: a blank on each side of every one, so that each is found whole."""
    return f" {'  '.join(words)} " if words else ""

"""Casual writing put straight before it is read: no apostrophes, short words, capitals throughout.

Quotations keep what was typed; this is for statements that are said anew in the third person anyway.
"""

from __future__ import annotations

import re

from everlore.extract.lexicon import FOREIGN, STOPWORDS
from everlore.extract.verb_tables import lemminflect
from everlore.extract.vocabulary import Vocabulary

_LOOSE = re.compile(r"(?<![\w'’])i(m|ve)(?= (?-i:[a-z\d]))", re.IGNORECASE)
"""Without the apostrophe; before a capital "im" is German."""
_KNOWN = Vocabulary("casual")
_SHORT = {
    re.compile(r"(?<!\w)b-?day(?!\w)", re.IGNORECASE): "birthday",
    re.compile(r"(?<!\w)(my birthday)['’]s(?!\w)", re.IGNORECASE): r"\1 is",
    re.compile(r"(?<!\w)(my) bf(?!\w)", re.IGNORECASE): r"\1 boyfriend",
    re.compile(r"(?<!\w)(my) gf(?!\w)", re.IGNORECASE): r"\1 girlfriend",
}
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOUD = 8
"""Letters from which on capitals are a way of writing and not a name."""


def straightened(sentence: str) -> str:
    """The sentence as a careful writer would have typed it, as far as that decides how it is read."""
    if sum(map(str.isupper, sentence)) >= _LOUD and sentence.isupper():
        sentence = _lowered(sentence)
    if not FOREIGN & set(sentence.lower().split()):
        sentence = _LOOSE.sub(r"I'\1", sentence)
    for short, full in _SHORT.items():
        sentence = short.sub(full, sentence)
    return _KNOWN["my_name"].sub(_named, sentence)


def _lowered(sentence: str) -> str:
    """In small letters, but for "I" and for words that no dictionary has, which are names."""
    plain = sentence.lower()
    plain = _LETTERS.sub(lambda word: word[0] if _is_word(word[0]) else word[0].capitalize(), plain)
    plain = re.sub(r"\bi\b", "I", plain)
    plain = re.sub(r"\b(?:called|named) [a-z]", lambda named: named[0][:-1] + named[0][-1].upper(), plain)
    return re.sub(r"\b(the|in|from) us\b", r"\1 US", f"{plain[0].upper()}{plain[1:]}")


def _named(found: re.Match[str]) -> str:
    """ "my names dave": a word that tells how a name is ("hard to spell") is none."""
    name, end = found["name"], found["end"]
    kinds = lemminflect().getAllLemmas(name.lower())
    known = name.lower() in STOPWORDS or "ADJ" in kinds or "ADV" in kinds or (bool(kinds) and end == " ")
    return found[0] if known else f"{found[1]} is {name[0].upper()}{name[1:]}{end}"


def _is_word(word: str) -> bool:
    return "'" in word or "’" in word or word in STOPWORDS or bool(lemminflect().getAllLemmas(word))

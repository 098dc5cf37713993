"""The word lists of the local extractor. Lower case, straight apostrophes."""

from __future__ import annotations

from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("lexicon")
STOPWORDS = _KNOWN.words("stopwords")
ADVERBS = _KNOWN.words("adverbs")
SAME_IN_THIRD = _KNOWN.words("same_in_third")
CLAUSE_VERBS = _KNOWN.words("clause_verbs")
ORDERS = _KNOWN.words("orders")

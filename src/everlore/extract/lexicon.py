"""The word lists of the local extractor. Lower case, straight apostrophes."""

from __future__ import annotations

from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("lexicon")
STOPWORDS = _KNOWN.words("stopwords")

ENGLISH = _KNOWN.words("english")

FOREIGN = _KNOWN.words("foreign")

ADVERBS = _KNOWN.words("adverbs")

SAME_IN_THIRD = _KNOWN.words("same_in_third")

INVERTERS = _KNOWN.words("inverters")

CLAUSE_VERBS = _KNOWN.words("clause_verbs")

OPINION_VERBS = _KNOWN.words("opinion_verbs")

PLAIN_VERBS = _KNOWN.words("plain_verbs")

FLEETING = _KNOWN.words("fleeting")

NEW_VERBS = _KNOWN.words("new_verbs")

ORDERS = _KNOWN.words("orders")

OBJECT_STARTS = _KNOWN.words("object_starts")

PLACE_STARTS = _KNOWN.words("place_starts")

SUBORDINATORS = _KNOWN.words("subordinators")

OCCUPATIONS = _KNOWN.words("occupations")

HABIT_VERBS = _KNOWN.words("habit_verbs")


COUNTRIES = _KNOWN.words("countries")

CITIES = _KNOWN.words("cities")

PRODUCTS = _KNOWN.words("products")

EMPLOYERS = _KNOWN.words("employers")

GIVEN_NAMES = _KNOWN.words("given_names")

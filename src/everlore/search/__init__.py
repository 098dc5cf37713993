"""Search: questions in, ranked memories with their passages out, by named recipes."""

from everlore.search.query import Hit, Passage, Query, Recall
from everlore.search.recall import recall
from everlore.search.recipes import METHODS, Method, Recipe

__all__ = ["METHODS", "Hit", "Method", "Passage", "Query", "Recall", "Recipe", "recall"]

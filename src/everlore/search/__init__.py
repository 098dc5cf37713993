"""Search: queries and filters in, ranked and explained memories out."""

from everlore.search.query import Hit, Method, Query, Recall
from everlore.search.recall import recall

__all__ = ["Hit", "Method", "Query", "Recall", "recall"]

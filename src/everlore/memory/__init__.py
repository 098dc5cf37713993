"""The verbs of memory: what a surface can ask for. Each takes the engine first and returns values."""

from everlore.memory.cells import prepare, recover, retry
from everlore.memory.forget import forget
from everlore.memory.read import listing, profile, unprocessed
from everlore.memory.remember import NewMessage, Outcome, flush, remember

__all__ = [
    "NewMessage",
    "Outcome",
    "flush",
    "forget",
    "listing",
    "prepare",
    "profile",
    "recover",
    "remember",
    "retry",
    "unprocessed",
]

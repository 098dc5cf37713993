"""The verbs of memory: what a surface can ask for. Each takes the engine first and returns values."""

from everlore.memory.cells import prepare, recover
from everlore.memory.forget import forget
from everlore.memory.read import listing, profile, unprocessed
from everlore.memory.remember import NewMessage, flush, remember
from everlore.memory.state import state

__all__ = [
    "NewMessage",
    "flush",
    "forget",
    "listing",
    "prepare",
    "profile",
    "recover",
    "remember",
    "state",
    "unprocessed",
]

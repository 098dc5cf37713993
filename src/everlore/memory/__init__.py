"""The verbs of memory: what a surface can ask for. Each takes the engine first and returns values."""

from everlore.memory.cells import prepare, recover
from everlore.memory.entities import create_entity, create_relation, related
from everlore.memory.forget import forget, remove
from everlore.memory.notes import edit_memory, invalidate, save_note
from everlore.memory.read import listing, profile, unprocessed
from everlore.memory.remember import NewMessage, flush, remember
from everlore.memory.reset import reset

__all__ = [
    "NewMessage",
    "create_entity",
    "create_relation",
    "edit_memory",
    "flush",
    "forget",
    "invalidate",
    "listing",
    "prepare",
    "profile",
    "recover",
    "related",
    "remember",
    "remove",
    "reset",
    "save_note",
    "unprocessed",
]

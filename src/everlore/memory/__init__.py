"""The verbs of memory: what a surface can ask for. Each takes the engine first and returns values."""

from everlore.memory.entities import create_entity, create_relation, related
from everlore.memory.extraction import prepare, recover, resume, retry
from everlore.memory.forget import forget, remove
from everlore.memory.history import held, history, successors
from everlore.memory.notes import edit_memory, invalidate, save_note, successor
from everlore.memory.portable import export_owner, import_owner
from everlore.memory.read import listing, profile, unprocessed
from everlore.memory.remember import NewMessage, Outcome, flush, remember
from everlore.memory.reset import reset
from everlore.memory.statements import add_statements

"""The verbs of memory: what a surface can ask for. Each takes the engine first and returns values."""

from everlore.memory.bin import binned, empty, restore, sweep
from everlore.memory.curation import Outcome as CurationOutcome
from everlore.memory.curation import curate, model_review, return_drafts, review, review_drafts, undo_curation
from everlore.memory.edit import Source, edit, source
from everlore.memory.entities import create_entity, create_relation, related
from everlore.memory.extraction import prepare, recover, resume
from everlore.memory.forget import forget, preview, remove
from everlore.memory.history import held, history, successors
from everlore.memory.notes import edit_memory, invalidate, reopen, save_note, successor
from everlore.memory.portable import export_owner, import_owner
from everlore.memory.read import listing, named, profile, unprocessed
from everlore.memory.remember import NewMessage, Outcome, flush, remember
from everlore.memory.reset import forget_owner, reset
from everlore.memory.review import waiting as waiting_for_review
from everlore.memory.save_fact import save_fact
from everlore.memory.silence import come_back
from everlore.memory.statements import add_statements

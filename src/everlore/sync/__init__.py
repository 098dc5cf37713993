"""Sync: what happens in the files reaches the index and the profiles, by itself and on request."""

from everlore.sync.dependents import take_out
from everlore.sync.doctor import Finding, doctor
from everlore.sync.embedding import embed_fresh, embed_pending, embed_soon
from everlore.sync.indexing import index_appended, index_file
from everlore.sync.projection import add_to_profile, known_names, read_profile
from everlore.sync.transfer import Moved, Side, folder_side, move
from everlore.sync.upkeep import Progress, embed_all, index_changes, rebuild, reembed, troubles
from everlore.sync.worker import Worker, differing, drain, scan

__all__ = [
    "Finding",
    "Moved",
    "Progress",
    "Side",
    "Worker",
    "add_to_profile",
    "differing",
    "doctor",
    "drain",
    "embed_all",
    "embed_fresh",
    "embed_pending",
    "embed_soon",
    "folder_side",
    "index_appended",
    "index_changes",
    "index_file",
    "known_names",
    "move",
    "read_profile",
    "rebuild",
    "reembed",
    "scan",
    "take_out",
    "troubles",
]

"""The cascade: what happens in the files reaches the index, by itself and on request."""

from everlore.cascade.indexing import embed_fresh, embed_pending, embed_soon, index_appended, index_file
from everlore.cascade.transfer import Moved, Side, folder_side, move
from everlore.cascade.unsaying import require_profile, unsay
from everlore.cascade.upkeep import Finding, Progress, doctor, rebuild, reembed, sync, troubles
from everlore.cascade.worker import Worker, drain, scan

__all__ = [
    "Finding",
    "Moved",
    "Progress",
    "Side",
    "Worker",
    "doctor",
    "drain",
    "embed_fresh",
    "embed_pending",
    "embed_soon",
    "folder_side",
    "index_appended",
    "index_file",
    "move",
    "rebuild",
    "reembed",
    "require_profile",
    "scan",
    "sync",
    "troubles",
    "unsay",
]

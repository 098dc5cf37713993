"""The cascade: what happens in the files reaches the index, by itself and on request."""

from everlore.cascade.diagnosis import Finding, doctor
from everlore.cascade.embedding import embed_fresh, embed_pending, embed_soon
from everlore.cascade.indexing import index_appended, index_file, take_out
from everlore.cascade.profile_file import change_profile
from everlore.cascade.saying import known_names, say
from everlore.cascade.transfer import Moved, Side, folder_side, move
from everlore.cascade.unsaying import require_profile, unsay
from everlore.cascade.upkeep import Progress, embed_all, rebuild, reembed, sync, troubles
from everlore.cascade.worker import Worker, differing, drain, scan

__all__ = [
    "Finding",
    "Moved",
    "Progress",
    "Side",
    "Worker",
    "change_profile",
    "differing",
    "doctor",
    "drain",
    "embed_all",
    "embed_fresh",
    "embed_pending",
    "embed_soon",
    "folder_side",
    "index_appended",
    "index_file",
    "known_names",
    "move",
    "rebuild",
    "reembed",
    "require_profile",
    "say",
    "scan",
    "sync",
    "take_out",
    "troubles",
    "unsay",
]

"""The cascade: what happens in the files reaches the index, by itself and on request."""

from everlore.sync.doctor import Finding, doctor
from everlore.sync.embedding import embed_fresh, embed_pending, embed_soon
from everlore.sync.indexing import index_appended, index_file, take_out
from everlore.sync.profile_file import change_profile
from everlore.sync.saying import known_names, say
from everlore.sync.transfer import Moved, Side, folder_side, move
from everlore.sync.unsaying import require_profile, unsay
from everlore.sync.upkeep import Progress, embed_all, index_changes, rebuild, reembed, troubles
from everlore.sync.worker import Worker, differing, drain, scan

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
    "index_changes",
    "index_file",
    "known_names",
    "move",
    "rebuild",
    "reembed",
    "require_profile",
    "say",
    "scan",
    "take_out",
    "troubles",
    "unsay",
]

"""The kinds of memory: one module each, and where each lives in the vault."""

from everlore.kinds import case, entity, episode, fact, note, profile, skill
from everlore.kinds.base import Place

PLACES: dict[str, Place] = {
    module.PLACE.kind: module.PLACE for module in (episode, fact, note, entity, profile, case, skill)
}

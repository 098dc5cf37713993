"""The kinds of memory: one module each, and where each lives in the vault."""

from everlore.kinds import case, entity, episode, fact, note, profile, record, skill
from everlore.kinds.base import Layout

PLACES: dict[str, Layout] = {
    module.PLACE.kind: module.PLACE for module in (episode, fact, note, record, entity, profile, case, skill)
}

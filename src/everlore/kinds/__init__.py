"""The kinds of memory: one module each, which registers what there is to know of it."""

from everlore.kinds import case, entity, episode, fact, note, profile, record, review, skill

__all__ = ["case", "entity", "episode", "fact", "note", "profile", "record", "review", "skill"]

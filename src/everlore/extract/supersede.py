"""Which facts end because of others: values in, values out.

A fact holds until the first later one that contradicts it, in whatever order the two are told. Nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from everlore.extract import slots
from everlore.kinds.fact import Fact
from everlore.temporal import close
from everlore.types import Owner, Validity

COMPARED = 50
"""Facts about one thing that are looked at, the newest."""


def slots_together(new: Sequence[Fact], owner: Owner, names: Collection[str]) -> list[list[str]]:
    """For each slot that facts speak of, all in which the same is told: of the owner also under their other names, and
    where it is said that something is over."""
    together: dict[str, dict[str, None]] = {}
    for fact in new:
        own = sorted(names) if fact.sender_ids == (owner.id,) else []
        for slot in slots.touched(fact.text, fact.about) if fact.about else ():
            found = together.setdefault(slot, {slot: None})
            found |= dict.fromkeys([fact.about, *(slots.renamed(slot, name) for name in own)])
    return [list(found) for found in together.values()]


def superseded(known: Iterable[Fact], new: Sequence[Fact], together: Iterable[Collection[str]]) -> list[Fact]:
    """The facts that end because of the new ones, and the new ones that end because of what is known, each with its
    `valid_until` and `superseded_by`.

    `together` are the slots to look in, as `slots_together` gives them. Two known facts were compared before.
    """
    all_facts = {fact.local_id: fact for fact in (*known, *new)}
    told_now = {fact.local_id for fact in new}
    ended: dict[str, Fact] = {}
    for group in together:
        told = sorted(
            (fact for fact in all_facts.values() if fact.about in group),
            key=lambda fact: (fact.timestamp, fact.local_id),
        )
        told = [fact for fact in told[:-COMPARED] if fact.local_id in told_now] + told[-COMPARED:]
        for place, old in enumerate(told):
            later = (fact for fact in told[place + 1 :] if _may_end(fact, old, told_now) and _ends(fact, old))
            by = next(later, None)
            if by is not None:
                validity = close(Validity(old.timestamp, old.valid_until), by.timestamp)
                ended[old.local_id] = replace(old, valid_until=validity.end, superseded_by=by.local_id)
    return list(ended.values())


def _may_end(new: Fact, old: Fact, told_now: Collection[str]) -> bool:
    """Whether it is worth asking: an end that is earlier, or that a person gave, stays."""
    if new.local_id not in told_now and old.local_id not in told_now:
        return False
    return old.valid_until is None or (new.timestamp < old.valid_until and bool(old.superseded_by))


def _ends(new: Fact, old: Fact) -> bool:
    """Whether a statement ends an older one of the same person; others may have the same name."""
    if new.sender_ids and old.sender_ids and new.sender_ids != old.sender_ids:
        return False
    return slots.ends(new.text, old.text, old.about, slots.speaker_of(new.about), old.timestamp)

"""The profile as a projection: what facts say, beside what its owner wrote.

The file remembers, as fingerprints, what was computed last. An item, a trait or a first line of the text that is still
as it was written then is ours and follows the facts. Everything else is its owner's and stays as it is; what they took
out or put something else in the place of does not come back. A file of before has no fingerprints: there it is ours
what some fact explains, and the rest is its owner's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TypeVar

from everlore.extract.claims import speaker_of
from everlore.extract.profile_items import QUOTED, SAID, Told, descriptions, evidence, summary_of, traits_of, with_facts
from everlore.extract.rules import CATEGORY
from everlore.kinds.fact import Fact
from everlore.kinds.profile import KEYS, Info, Profile, Trait
from everlore.types import Owner, speaker_name

HASH = 8
"""Characters of each half of a fingerprint: what it is, and what it says."""
SUMMARY = ("summary",)
Item = TypeVar("Item", Info, Trait)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A profile, taken apart."""

    infos: tuple[Info, ...]
    traits: tuple[Trait, ...]
    summary: str
    own_infos: tuple[Info, ...]
    own_traits: tuple[Trait, ...]
    own_text: str
    hidden: frozenset[str]


def project(old: Profile | None, facts: Sequence[Fact], owner: Owner, now: int, before: Sequence[Fact] = ()) -> Profile:
    """The profile of a user who said these facts; it is `old` itself if nothing changed. `before` are the facts
    that it was made from, by which a file without fingerprints is understood."""
    names = _names(old, owner, (*facts, *before))
    if old is not None and old.generated is None:
        old = _recognised(old, _told(facts, owner, names), _told(before, owner, names), owner)
    told = [(fact, name) for fact, name in _told(facts, owner, names) if fact.valid_until is None]
    infos = with_facts((), told)
    name = _newest_name(told, owner)
    traits = traits_of((), infos, name)
    made = {*map(_identity, infos), *map(_identity, traits)}
    return _composed(old, _apart(old), infos, traits, owner, now, name, made)


def add_facts(
    old: Profile | None, new: Sequence[Fact], owner: Owner, now: int, name: str, ended: Iterable[Fact] = ()
) -> Profile:
    """The profile after facts that it does not know yet, told by a user who goes by `name`: the same that `project`
    makes of all, without looking at the others. What rests on facts that have `ended` leaves."""
    parts, over = _apart(old), set(map(evidence, ended))
    told = [(fact, name) for fact in new if _is_own(fact, owner) and fact.valid_until is None]
    infos = with_facts(parts.infos, told, over)
    traits = traits_of(parts.traits, infos, name, over)
    return _composed(old, parts, infos, traits, owner, now, name)


def _composed(
    old: Profile | None,
    parts: _Parts,
    infos: Iterable[Info],
    traits: Iterable[Trait],
    owner: Owner,
    now: int,
    name: str,
    made: Collection[str] | None = None,
) -> Profile:
    """`made` names all that the facts explain, where they were all looked at: of nothing else need it be remembered
    that it is hidden."""
    described = {info.description for info in parts.own_infos}
    named = {trait.trait for trait in parts.own_traits}
    ours = [i for i in infos if _identity(i) not in parts.hidden and i.description not in described]
    ours_traits = [trait for trait in traits if _identity(trait) not in parts.hidden and trait.trait not in named]
    listed = _in_place(old.explicit_info if old else (), parts.own_infos, ours)
    listed_traits = _in_place(old.implicit_traits if old else (), parts.own_traits, ours_traits)
    line = ""
    if _hash(SUMMARY) not in parts.hidden and (parts.summary or not parts.own_text):
        line = " ".join(summary_of(listed, listed_traits, name).split())
    hidden = [mark for mark in parts.hidden if made is None or mark in made or mark == _hash(SUMMARY)]
    called = old.called if old else ()
    if name not in (*called, speaker_name(owner.id), owner.id):
        called = (*called, name)
    after = Profile(
        owner=owner,
        summary="\n".join(filter(None, (line, parts.own_text))),
        explicit_info=tuple(listed),
        implicit_traits=tuple(listed_traits),
        timestamp=old.timestamp if old else 0,
        generated=_marks(ours, ours_traits, line),
        hidden=tuple(sorted(hidden)),
        called=called,
    )
    return old if after == old else replace(after, timestamp=now)


def _apart(old: Profile | None) -> _Parts:
    if old is None:
        return _Parts((), (), "", (), (), "", frozenset())
    marks = old.generated or ()
    first, _, rest = old.summary.partition("\n")
    summary = first if _mark(first) in marks else ""
    infos = tuple(info for info in old.explicit_info if _is_ours(info, marks))
    traits = tuple(trait for trait in old.implicit_traits if _is_ours(trait, marks))
    there = _marks(infos, traits, summary)
    return _Parts(
        infos=infos,
        traits=traits,
        summary=summary,
        own_infos=tuple(info for info in old.explicit_info if info not in infos),
        own_traits=tuple(trait for trait in old.implicit_traits if trait not in traits),
        own_text=rest if summary else old.summary,
        hidden=frozenset(old.hidden).union(mark[:HASH] for mark in marks if mark not in there),
    )


def _is_ours(item: Info | Trait, marks: Collection[str]) -> bool:
    return item.written.keys() <= KEYS and _mark(item) in marks


def _in_place(before: Sequence[Item], own: Sequence[Item], ours: Sequence[Item]) -> list[Item]:
    """Items in the order in which they stand in the file, new ones last."""
    made = {_mark(item): item for item in ours}
    kept = [made.pop(mark, item) for item in before if (mark := _mark(item)) in made or item in own]
    return sorted(kept + list(made.values()), key=_comes_later)


def _comes_later(item: Info | Trait) -> bool:
    """Rules are shown first; the rest stays in order."""
    return not (isinstance(item, Info) and item.category == CATEGORY)


def _recognised(old: Profile, facts: Sequence[Told], before: Sequence[Told], owner: Owner) -> Profile:
    """A profile of before, with the fingerprints that it would have."""
    explained = {(evidence(fact), text) for fact, name in (*facts, *before) for text in descriptions(fact, name)}
    infos = [info for info in old.explicit_info if (info.evidence, info.description) in explained]
    traits = [trait for trait in old.implicit_traits if trait.basis.startswith(SAID)]
    listed = with_facts((), [told for told in before if told[0].valid_until is None])
    first = old.summary.partition("\n")[0]
    line = summary_of(old.explicit_info, old.implicit_traits, _newest_name(facts, owner))
    there = {_identity(info) for info in infos}
    missing = [info for info in listed if _identity(info) not in there]  # its owner took them out
    return replace(old, generated=_marks([*infos, *missing], traits, first if first == line else ""))


def is_generated(profile: Profile, item: Info | Trait) -> bool:
    """Whether a line is computed from facts; else it is its owner's."""
    return _is_ours(item, profile.generated or ())


def names_of(known: Profile | None, owner: Owner, facts: Iterable[Fact] = ()) -> set[str]:
    """What an owner was called so far, in lower case, as their profile and their facts show. A client may begin to send
    a display name."""
    slots = [fact.about for fact in facts if fact.sender_ids == (owner.id,)]
    slots += [info.about for info in known.explicit_info] if known else []
    named = [speaker_of(slot) for slot in slots if slot]
    return {name.lower() for name in (owner.id, *named, *(known.called if known else ()))}


def _names(old: Profile | None, owner: Owner, facts: Iterable[Fact]) -> list[str]:
    """What facts may call the user: as it is written first, then in lower case, the longest first."""
    lower = names_of(old, owner, facts)
    return [*(old.called if old else ()), speaker_name(owner.id), *sorted(lower, key=lambda name: (-len(name), name))]


def _told(facts: Iterable[Fact], owner: Owner, names: Sequence[str]) -> list[Told]:
    return [(fact, name) for fact in facts if _is_own(fact, owner) and (name := _called(fact, names))]


def _is_own(fact: Fact, owner: Owner) -> bool:
    return fact.sender_ids == (owner.id,) and fact.by_user


def _called(fact: Fact, names: Sequence[str]) -> str:
    """The name by which a fact calls the user; empty for one that does not begin with it."""
    for name in names:
        if fact.text.lower().startswith((f"{name.lower()} ", f"{name.lower()}'s ", f"{name.lower()}{QUOTED}")):
            return fact.text[: len(name)]
    for name in names:  # "Last year (2025) Alice moved"
        if f" {name} " in fact.text:
            return name
    return names[0] if fact.category else ""


def _newest_name(told: Sequence[Told], owner: Owner) -> str:
    newest = max(told, key=lambda one: one[0].timestamp, default=None)
    return newest[1] if newest else speaker_name(owner.id)


def _identity(item: Info | Trait) -> str:
    return _hash((item.trait,) if isinstance(item, Trait) else (item.evidence, item.description))


def _mark(one: Info | Trait | str) -> str:
    """The fingerprint of an item, a trait or a summary."""
    if isinstance(one, str):
        return _hash(SUMMARY) + _hash((one,))
    if isinstance(one, Trait):
        return _identity(one) + _hash((one.description, one.basis, one.evidence))
    marked = (one.project,) if one.project else ()
    return _identity(one) + _hash((one.category, one.about, str(one.timestamp), *marked))


def _marks(infos: Iterable[Info], traits: Iterable[Trait], summary: str) -> tuple[str, ...]:
    return tuple(sorted({*map(_mark, infos), *map(_mark, traits), *([_mark(summary)] if summary else [])}))


def _hash(texts: tuple[str, ...]) -> str:
    said = "\0".join(texts).encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=HASH // 2).hexdigest()

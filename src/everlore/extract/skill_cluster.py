"""Which cases of an agent are of the same task: those that ask for alike things, and do alike things for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.extract.action import changes_things
from everlore.extract.requests import things
from everlore.extract.skill_steps import calls_of
from everlore.extract.skill_words import KNOWN, NAMES, stems, without_asker
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill
from everlore.types import Key

COSINE = 0.80
"""Chosen on 33 pairs of intents with the offline model, on `cluster_text`: it joins 10 of 16 pairs of the same
task and 1 of 17 pairs that only share their objects. Of 10 + 10 pairs written afterwards it joins 7 and 3; the
three are opposites (back up, restore), which intents alone do not tell apart. A missed pair costs less than a
muddled skill."""
JACCARD = 0.33
"""The same pairs by their words alone: 8 of 16 and 3 of 17."""
WORK = 0.25
"""The part of either limit that is not asked for where the same was done, and less of it where some was. Of 29 pairs of
runs of the same task it joins 19 instead of 8, of 325 others none; of 9 and 16 written afterwards 6 instead of 2, and
none."""
KNOWN_WORK = 10
"""From so many cases on, what more than half of them did tells nothing of a task."""

_UNDOING = KNOWN.words("undoing")


def cluster_text(case: Case) -> str:
    """The task without its names, numbers and dates: what to embed when looking for cases of the same task."""
    return " ".join(NAMES.sub("someone", KNOWN["specific"].sub(" ", without_asker(case.task_intent))).split())


def public_id(case: Case) -> str:
    return Key(case.owner, "case", case.local_id).public_id


def age(case: Case) -> tuple[int, str]:
    return case.timestamp, case.local_id


def assign(
    new_case: Case, cases: Sequence[Case], vectors: NDArray[np.float32] | None = None, threshold: float | None = None
) -> list[Case]:
    """The cluster of `new_case`: itself and the cases of the same task, oldest first.

    `vectors` has the unit vectors of `cluster_text` for `cases` and, last, for `new_case`; without vectors the
    words are compared. The nearest case to the centroid joins as long as it is near enough. Cases of different things
    (a flight, a hotel) or with tools, but none in common, or none that does something, are different tasks however
    alike they read.
    """
    everyone = [*cases, new_case]
    if vectors is not None and len(vectors) != len(everyone):
        raise ValueError("assign needs a vector for each case and one for the new case")
    limit = threshold if threshold is not None else JACCARD if vectors is None else COSINE
    words = [stems(cluster_text(case)) for case in everyone] if vectors is None else []
    work = _work(everyone)
    members = [len(cases)]
    free = [at for at, case in enumerate(cases) if case.local_id != new_case.local_id and _may_be_alike(case, new_case)]
    while free:
        near = _nearness(free, members, vectors, words)
        near = [one / (1 - WORK * _shared(work[at], members, work)) for one, at in zip(near, free, strict=True)]
        best = min(range(len(free)), key=lambda n: (-near[n], *age(everyone[free[n]])))
        if near[best] < limit:
            break
        members.append(free.pop(best))
    return sorted((everyone[at] for at in members), key=age)


def _work(cases: Sequence[Case]) -> list[frozenset[str]]:
    """What was done in each case, without what this agent does all the time."""
    kinds = [frozenset(call.kind for call in calls_of(case)) for case in cases]
    users = Counter(kind for done in kinds for kind in done)
    usual = {kind for kind, count in users.items() if len(cases) >= KNOWN_WORK and count * 2 > len(cases)}
    return [done - usual for done in kinds]


def _shared(one: frozenset[str], members: Sequence[int], sets: Sequence[frozenset[str]]) -> float:
    """The mean Jaccard index of one set with those of the members."""
    unions = [(one & sets[member], one | sets[member]) for member in members]
    return sum(len(both) / len(either) if either else 0.0 for both, either in unions) / len(members)


def _may_be_alike(one: Case, other: Case) -> bool:
    tools, others = ({call.tool for call in calls_of(case)} for case in (one, other))
    acting, acting_others = (set(filter(changes_things, found)) for found in (tools, others))
    if (tools and others and not tools & others) or (acting and acting_others and not acting & acting_others):
        return False
    about, about_other = (things(cluster_text(case)) for case in (one, other))
    if about and about_other and not about & about_other:
        return False
    return _undoes(one) == _undoes(other)


def _undoes(case: Case) -> bool:
    return case.task_intent.partition(" ")[0].lower() in _UNDOING


def _nearness(
    free: Sequence[int], members: Sequence[int], vectors: NDArray[np.float32] | None, words: Sequence[frozenset[str]]
) -> list[float]:
    if vectors is not None:
        centroid = vectors[list(members)].sum(axis=0)
        length = float(np.linalg.norm(centroid)) or 1.0
        # rounded, so that the last bits of a float never decide who joins first
        return [round(float(near), 5) for near in vectors[list(free)] @ centroid / length]
    return [_shared(words[at], members, words) for at in free]


def gather(
    new_case: Case, cases: Sequence[Case], skills: Sequence[Skill], vectors: NDArray[np.float32] | None = None
) -> tuple[list[Case], Skill | None]:
    """The cluster of `new_case` and the skill it belongs to, with all cases that the skill was made from."""
    members = assign(new_case, cases, vectors)
    ids = {public_id(case) for case in members}
    shared = [(len(ids & set(skill.source_case_ids)), skill) for skill in skills]
    most = max((count for count, _ in shared), default=0)
    if not most:
        return members, None
    old = min((skill for count, skill in shared if count == most), key=lambda skill: (skill.timestamp, skill.local_id))
    sources = [case for case in cases if public_id(case) in old.source_case_ids and public_id(case) not in ids]
    return sorted([*members, *sources], key=age), old

"""State: what a user said of themselves on purpose is in their profile, also where no rule would have put it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from everlore.clock import day
from everlore.engine import Engine
from everlore.errors import Unreadable
from everlore.extract.sentences import clip
from everlore.kinds import profile as profiles
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import Info, Profile
from everlore.memory.notes import without_secrets
from everlore.stores.tokens import query_terms, tokens
from everlore.sync.embedding import embed_soon
from everlore.sync.indexing import index_file
from everlore.sync.projection import profile_in, written
from everlore.types import Owner

STATED = "stated"
"""The category of what no rule could sort."""
LONGEST = 280
TOLD_SHARE = 0.6
"""Words of a statement that its extracted lines must have: they are in the third person, and leave little out."""


def add_statements(engine: Engine, owner: Owner, statements: Sequence[tuple[int, str]]) -> bool:
    """Statements with their times, as lines of the owner's own. True when the profile holds them all; a profile that
    a person left unreadable is not touched."""
    said = [(moment, without_secrets(engine, text)) for moment, text in statements]
    path = sheet_path(profiles.PROFILE, owner)

    def edit(text: str | None) -> str | None:
        old = profile_in(engine, owner, text)
        return written(old, stated(old or Profile(owner, "", (), (), 0, ()), said, engine.clock.now()), text)

    try:
        change = engine.vault.change(path, edit)
    except Unreadable:
        return False
    if change.after != change.before:
        index_file(engine, path)
        embed_soon(engine, [owner])
    return True


def stated(profile: Profile, statements: Sequence[tuple[int, str]], now: int) -> Profile:
    """The profile with these statements. What extraction has listed already is not listed twice."""
    infos = list(profile.explicit_info)
    for moment, text in statements:
        description = clip(" ".join(text.split()), LONGEST)
        if _told(text, [info for info in infos if info.timestamp == moment]):
            continue
        new = Info(STATED, description, f"{day(moment)}: {description}", "", moment)
        same = [at for at, info in enumerate(infos) if info.description == description]
        if same:
            infos[same[0]] = replace(infos[same[0]], evidence=new.evidence, timestamp=moment)
        else:
            infos.append(new)
    if tuple(infos) == profile.explicit_info:
        return profile
    return replace(profile, explicit_info=tuple(infos), timestamp=now)


def _told(text: str, infos: Sequence[Info]) -> bool:
    terms = query_terms(text)
    listed = {token for info in infos for token in tokens(f"{info.description} {info.evidence}")}
    return bool(infos) and sum(term in listed for term in terms) >= TOLD_SHARE * len(terms)

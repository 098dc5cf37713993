"""State: what a user said of themselves on purpose is in their profile, also where no rule would have put it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from everlore.clock import as_ms, day
from everlore.engine import Engine
from everlore.extract.sentences import clip
from everlore.index.tokens import query_terms, tokens
from everlore.kinds import profile as profiles
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import Info, Profile
from everlore.redact import mask_secrets
from everlore.sync import change_profile, embed_soon, index_file
from everlore.types import Owner
from everlore.vault.markdown import render_sheet

STATED = "stated"
"""The category of what no rule could sort."""
LONGEST = 280
TOLD_SHARE = 0.6
"""Words of a statement that its extracted lines must have: they are in the third person, and leave little out."""


def add_statements(engine: Engine, owner: Owner, statements: Sequence[tuple[int, str]]) -> bool:
    """Statements with their times. True when the profile holds them all; a profile that a person left unreadable
    is not touched."""
    masking = engine.settings.memory.mask_secrets
    said = [(as_ms(moment), mask_secrets(text) if masking else text) for moment, text in statements]

    def edit(text: str | None, old: Profile | None) -> str | None:
        new = stated(old or Profile(owner, "", (), (), 0), said, engine.clock.now())
        return text if new == old else render_sheet(profiles.to_sheet(new), text or "")

    change, held = change_profile(engine, owner, edit)
    if change.after:
        index_file(engine, sheet_path(profiles.PROFILE, owner))
        embed_soon(engine)
    return held


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

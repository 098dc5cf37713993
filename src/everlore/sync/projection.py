"""The profile of a user follows their facts: computed anew when facts are edited, ended, deleted or put back, and added
to when new ones are told. A file that cannot be read is left alone; the facts are safe where they are, and the
profile is computed when it can be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress

from everlore import extract
from everlore.engine import Engine
from everlore.errors import Damaged, Unreadable
from everlore.kinds import fact, profile
from everlore.kinds.fact import Fact
from everlore.kinds.paths import owner_dir, sheet_path
from everlore.kinds.profile import Profile
from everlore.stores.base import NOT_YET
from everlore.types import Owner, Problem, Where
from everlore.vault.markdown import parse_sheet, render_sheet

PAGE = 1000


def facts_of(engine: Engine, owner: Owner) -> Iterator[Fact]:
    """All facts of an owner that the index has, also those that have ended."""
    offset = 0
    while rows := engine.index.rows.page(Where(owner, (fact.FACT.name,)), offset=offset, limit=PAGE).rows:
        yield from map(fact.from_row, rows)
        offset += len(rows)


def read_profile(engine: Engine, owner: Owner) -> Profile | None:
    """The profile as it is in its file, or None where there is none. Raises Unreadable when it cannot be read, or holds
    nothing any more although the index has a profile."""
    file = engine.vault.read(sheet_path(profile.PROFILE, owner))
    return profile_in(engine, owner, file.text if file else None)


def project(engine: Engine, owner: Owner, facts: Sequence[Fact], before: Sequence[Fact]) -> str:
    """Compute the profile of an owner with these facts; `before` are those it was made from. Returns its file if it
    changed."""

    def edit(text: str | None) -> str | None:
        old = profile_in(engine, owner, text)
        return written(old, extract.profile.project(old, facts, owner, engine.clock.now(), before), text)

    return _change(engine, owner, edit)


def added_to_profile(
    engine: Engine, owner: Owner, text: str | None, new: Sequence[Fact], name: str, ended: Sequence[Fact] = ()
) -> str | None:
    """The profile that a file holds, with what new facts say of a user who goes by `name`; what rests on facts that
    have `ended` leaves."""
    old, now = profile_in(engine, owner, text), engine.clock.now()
    if old is None or old.generated is not None:
        return written(old, extract.profile.add_facts(old, new, owner, now, name, ended), text)
    # a file of before: all facts are needed to tell what of it is computed
    before = {one.local_id: one for one in facts_of(engine, owner)}
    facts = before | {one.local_id: one for one in (*ended, *new)}
    return written(old, extract.profile.project(old, list(facts.values()), owner, now, list(before.values())), text)


def profile_lock(engine: Engine, owner: Owner) -> AbstractContextManager[None]:
    """Held from looking at an owner's facts until the profile and the index agree with them."""
    return engine.vault.lock(f"profile:{owner_dir(owner)}")


def known_names(engine: Engine, owner: Owner, text_of: Callable[[str], str | None]) -> set[str]:
    """What the owner was called so far, as the profile shows."""
    known = None
    with suppress(Unreadable):
        known = profile_in(engine, owner, text_of(sheet_path(profile.PROFILE, owner)))
    return extract.profile.names_of(known, owner)


def _change(engine: Engine, owner: Owner, edit: Callable[[str | None], str | None]) -> str:
    path = sheet_path(profile.PROFILE, owner)
    try:
        change = engine.vault.change(path, edit)
    except Unreadable:
        note_unreadable(engine, path)
        return ""
    return path if change.after != change.before else ""


def note_unreadable(engine: Engine, path: str) -> None:
    """Known as a problem from now on, so that it is seen when it can be read again."""
    engine.index.files.replace(path, NOT_YET, [], [Problem(path, 0, "cannot be read")], partial=True)
    engine.index.queue.enqueue([path])


def written(old: Profile | None, new: Profile, text: str | None) -> str | None:
    """The file of a profile that has become `new`: none when nothing is left in it, also of a person's."""
    empty = not (new.summary or new.explicit_info or new.implicit_traits or new.hidden)
    if new == old or (old is None and empty):
        return text
    page = render_sheet(profile.to_sheet(new), text or "", drop=() if new.hidden else ("hidden",))
    return None if empty and page == render_sheet(profile.to_sheet(new)) else page


def profile_in(engine: Engine, owner: Owner, text: str | None) -> Profile | None:
    """The profile that the text of its file holds."""
    path = sheet_path(profile.PROFILE, owner)
    if text is not None and not text.strip() and engine.index.files.parents(path):
        raise Unreadable(f"{path} holds nothing any more: restore it, or delete it")
    try:
        return profile.from_sheet(parse_sheet(text), owner) if text else None
    except Damaged as error:
        raise Unreadable(f"{path}, {error}") from None

"""What people say of themselves reaches their profile: at once, when one that could not be read is repaired, and when
a person corrects a fact."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.index.base import NOT_YET
from everlore.kinds import fact, profile
from everlore.kinds.fact import Fact
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import Info, Profile
from everlore.sync.profile_file import change_profile
from everlore.types import IndexRow, Owner, Problem, Where
from everlore.vault.markdown import parse_log, parse_sheet, render_sheet, replace_entry

PAGE = 1000


def say(
    engine: Engine,
    owner: Owner,
    path: str,
    new: Sequence[Fact],
    name: str,
    told: Sequence[Info] = (),
    over: Collection[str] = (),
) -> str | None:
    """Tell the profile these facts of a user who is called so; they are in the file `path`. What rests on evidence
    that is `over` leaves it. Returns the profile's file if there is one. When it cannot be read now the facts wait."""
    # here, as most who index never need what extraction brings along
    from everlore.extract.profile import update_profile

    def edit(text: str | None, old: Profile | None) -> str | None:
        standing = [known for known in new if known.valid_until is None]  # others may have ended while they waited
        updated = update_profile(old, standing, owner, engine.clock.now(), name, told, over)
        if updated == old or not (old or updated.explicit_info or updated.implicit_traits):
            return text
        return render_sheet(profile.to_sheet(updated), text or "")

    change, read = change_profile(engine, owner, edit)
    if not read:  # known as a problem from now on, so that it is seen when it can be read again
        there = sheet_path(profile.PROFILE, owner)
        engine.index.replace_file(there, NOT_YET, [], [Problem(there, 0, "cannot be read")], partial=True)
        engine.index.enqueue([there])
    _mark(engine, owner, path, {known.local_id for known in new if bool(known.unlisted) == read}, "" if read else name)
    return sheet_path(profile.PROFILE, owner) if change.after else None


def say_unlisted(engine: Engine, owner: Owner) -> Iterator[str]:
    """Tell the profile what it missed while it could not be read. Returns the files that changed."""
    for path in sorted(set(_unlisted(engine, owner))):
        file = engine.vault.read(path)
        waiting = [known for known in _facts(file.text, path, owner) if known.unlisted] if file else []
        for name in dict.fromkeys(known.unlisted for known in waiting):
            profile_path = say(engine, owner, path, [known for known in waiting if known.unlisted == name], name)
            yield from (profile_path, path) if profile_path else (path,)


def say_corrected(
    engine: Engine, owner: Owner, path: str, rows: Sequence[IndexRow], names: Collection[str], told: Sequence[Info] = ()
) -> str | None:
    """Tell the profile what these facts say since a person changed them or put them back; they call the user by one of
    the names. `told` are lines that rested on them. Returns the profile's file if there is one."""
    longest_first = sorted(names, key=len, reverse=True)
    by_name: dict[str, list[Fact]] = {}
    for row in rows:
        text = str(row.data["content"])
        called = next((text[: len(name)] for name in longest_first if text.lower().startswith(name)), "")
        if called and row.data["by_user"] and row.validity.end is None:
            by_name.setdefault(called, []).append(fact.from_row(row))
    if told and not by_name:
        by_name[owner.id] = []
    written = [say(engine, owner, path, facts, name, told) for name, facts in by_name.items()]
    return next(filter(None, written), None)


def known_names(engine: Engine, owner: Owner) -> set[str]:
    """What the owner was called so far, as the profile shows: a client may begin to send a display name."""
    from everlore.extract.slots import speaker_of

    names = {owner.id.lower()}
    with suppress(Damaged):
        if file := engine.vault.read(sheet_path(profile.PROFILE, owner)):
            known = profile.from_sheet(parse_sheet(file.text), owner).explicit_info
            names |= {speaker_of(info.about) for info in known if info.about}
    return names


def _mark(engine: Engine, owner: Owner, path: str, entries: Collection[str], name: str) -> None:
    """Note of these facts that they wait for the profile, or, without a name, that they do not."""
    if not entries:
        return

    def edit(text: str | None) -> str | None:
        for known in _facts(text or "", path, owner):
            if text and known.local_id in entries:
                drop = [] if name else [fact.UNLISTED]
                text = replace_entry(text, fact.to_entry(replace(known, unlisted=name)), drop)
        return text

    engine.vault.update(path, edit)


def _unlisted(engine: Engine, owner: Owner) -> Iterator[str]:
    offset = 0
    while rows := engine.index.page(Where(owner, (fact.FACT.name,)), offset=offset, limit=PAGE).rows:
        yield from (row.path for row in rows if row.data.get(fact.UNLISTED))
        offset += len(rows)


def _facts(text: str, path: str, owner: Owner) -> Iterator[Fact]:
    for entry in parse_log(text, path).entries:
        with suppress(Damaged):  # reported as a problem
            yield fact.from_entry(entry, owner)

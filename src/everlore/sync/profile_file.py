"""The file of a profile, which is changed only while it can be read: else a person is working on it."""

from __future__ import annotations

from collections.abc import Callable

from everlore.engine import Engine
from everlore.errors import Damaged, Unreadable
from everlore.kinds import profile
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import Profile
from everlore.types import Owner
from everlore.vault.base import Change
from everlore.vault.markdown import parse_sheet


def change_profile(
    engine: Engine, owner: Owner, edit: Callable[[str | None, Profile | None], str | None]
) -> tuple[Change, bool]:
    """`edit` gets the text of the file and the profile in it, None where there is none, and returns the new text.

    False when it cannot be read, or is empty although the index has a profile: then it is reported as a problem
    elsewhere, and never overwritten.
    """
    path, readable = sheet_path(profile.PROFILE, owner), True

    def guarded(text: str | None) -> str | None:
        nonlocal readable
        if text is not None and not text.strip() and engine.index.parents(path):
            readable = False
            return text
        try:
            old = profile.from_sheet(parse_sheet(text), owner) if text else None
        except Damaged:
            readable = False
            return text
        readable = True  # it may run again on another text
        return edit(text, old)

    try:
        change = engine.vault.change(path, guarded)
    except Unreadable:  # no text at all
        return Change(None, None), False
    return change, readable

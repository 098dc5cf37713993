"""The bin: what was forgotten, reset or overwritten waits there for some days, and can be restored.

What is about to go is on the shelf, files and all, before the first of it goes, so that there is no moment at which it
is nowhere. Restoring brings back the bytes of the files where nothing else happened to them, and else what left them;
it does what is still to be done, so it may be repeated after a crash. An item leaves when it is restored, when the bin
is emptied, or when its days are over.
"""

from __future__ import annotations

import io
import json
import secrets
import time
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Literal

from everlore.clock import DAY_MS, iso
from everlore.engine import Engine
from everlore.errors import Conflict, Damaged, NotFound, Unreadable
from everlore.kinds.paths import locate
from everlore.stores.buffer import Accepted, Kept
from everlore.stores.encoding import body, from_body
from everlore.sync.indexing import index_file
from everlore.types import Json, Owner, Scope
from everlore.vault.base import Raw, decoded
from everlore.vault.markdown import put_back

Act = Literal["forget", "reset", "import"]
GONE = "gone"
"""In the place of a digest: the act deleted the file."""
RECORDS = "/messages.json"
"""In an archive, beside files of the vault, no path of which begins like this."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the vault as it was before the act."""

    path: str
    part: int
    """Of which archive it is."""
    entries: tuple[str, ...] | None = None
    """What was taken out of a log; None: the file as a whole."""
    after: str = ""
    """Its digest when the act was done, where it is a file that only followed, such as a profile."""
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One act of forgetting, as people see it."""

    id: str
    at: int
    act: Act
    scope: Scope
    owner: Owner | None
    """None: everybody in the scope."""
    title: str
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many of each kind went."""
    files: tuple[File, ...] = ()
    parts: int = 0
    due: int = 0
    """When it was first seen that its days are over; it goes a day later."""


@dataclass(frozen=True, slots=True)
class Restored:
    files: int
    left: tuple[str, ...]
    """Files that followed and have changed since: they stay as they are."""


class Binning:
    """An act while it goes on."""

    def __init__(self, engine: Engine, item: Item) -> None:
        self._engine = engine
        self.item = item
        self._off = not engine.settings.memory.bin_days
        self._kept: Mapping[str, Raw] = {}

    @property
    def id(self) -> str:
        """ "" where nothing is kept."""
        return "" if self._off else self.item.id

    def keep(
        self,
        files: Mapping[str, Collection[str] | None],
        followed: Collection[str] = (),
        records: Iterable[Kept | Accepted] = (),
        after: Mapping[str, bytes] | None = None,
    ) -> None:
        """Durable when it returns: these files, of logs the entries that are to go (None: all), those that will follow,
        and what the buffer knows. `after` is what will take the place of files that are overwritten."""
        if self._off:
            return
        raws = self._engine.vault.raws([*files, *followed])
        self._kept, number = raws, self.item.parts
        self._engine.vault.bin.put(f"{self.item.id}.{number}", _archive(raws, records))
        known = {path: _digest(content) for path, content in (after or {}).items()}
        new = [
            File(path, number, _listed(files.get(path)), known.get(path, ""), path not in files)
            for path in sorted(raws)
        ]
        old = [one for one in self.item.files if one.path not in raws]
        self.item = replace(self.item, files=(*old, *new), parts=number + 1)
        self._write()

    def remove(self, path: str) -> None:
        """Delete a file that was just kept, as it was kept: what somebody wrote meanwhile is kept as well."""
        while True:
            raw = self._kept.get(path)
            try:
                change = self._engine.vault.change(path, partial(self._unless_newer, raw))
            except Unreadable:
                return self._engine.vault.remove(path)
            if change.after is None:
                return None
            self.keep({path: None})

    def _unless_newer(self, raw: Raw | None, text: str | None) -> str | None:
        return None if self._off or (raw and text is not None and raw.content == text.encode()) else text

    def drop(self) -> None:
        """It came to nothing."""
        _drop(self._engine, self.item)

    def done(self, counts: Mapping[str, int]) -> None:
        if self._off or not self.item.parts:
            return
        following = [one.path for one in self.item.files if one.followed]
        there = {path: _digest(raw.content) for path, raw in self._engine.vault.raws(following).items()}
        files = (replace(one, after=there.get(one.path, GONE)) if one.followed else one for one in self.item.files)
        self.item = replace(self.item, files=tuple(files), counts=dict(counts))
        self._write()

    def _write(self) -> None:
        _write(self._engine, self.item)


@contextmanager
def binning(engine: Engine, act: Act, scope: Scope, owner: Owner | None, title: str) -> Iterator[Binning]:
    now = engine.clock.now()
    name = f"{iso(now).translate({ord(one): None for one in '-:.Z'}).lower()}-{secrets.token_hex(4)}"
    yield Binning(engine, Item(name, now, act, scope, owner, title))


def binned(engine: Engine, scope: Scope, owner: Owner | None = None) -> list[Item]:
    """What can be restored, the newest first: of one owner, or of a scope."""
    items = [item for item in _items(engine) if item.scope == scope and owner in (None, item.owner)]
    return sorted(items, key=lambda item: item.at, reverse=True)


def restore(engine: Engine, scope: Scope, item_id: str, *, overwrite: bool = False) -> Restored:
    """Bring back what an act took. What stands in its place by now is refused, or goes to the bin itself."""
    with engine.vault.lock(f"bin:{item_id}"):
        item = _item(engine, scope, item_id)
        archives = [zipfile.ZipFile(io.BytesIO(_blob(engine, item, number))) for number in range(item.parts)]
        before = {one: archives[one.part].read(one.path) for one in item.files}
        now = {path: raw.content for path, raw in engine.vault.raws([one.path for one in item.files]).items()}
        taken = [one for one in item.files if not one.followed and _taken(one, before[one], now.get(one.path))]
        if taken and not overwrite:
            names = ", ".join(one.path for one in taken[:5])
            raise Conflict(f"{names}: something else is there by now; send overwrite, and that goes to the bin instead")
        if taken:
            with binning(
                engine, "import", item.scope, item.owner, f"what was there before {item.id} came back"
            ) as bin_:
                bin_.keep({one.path: None for one in taken}, after={one.path: before[one] for one in taken})
                bin_.done({})
        _load(engine, archives)
        left = tuple(one.path for one in item.files if not _bring(engine, one, before[one], whole=one in taken))
        for one in item.files:
            index_file(engine, one.path)
        _drop(engine, item)
    return Restored(len(item.files) - len(left), left)


def empty(engine: Engine, scope: Scope, item_id: str | None = None, owner: Owner | None = None) -> int:
    """Let go of one item, or of all of a scope or owner, for good; returns how many."""
    items = [_item(engine, scope, item_id)] if item_id else binned(engine, scope, owner)
    for item in items:
        _drop(engine, item)
    return len(items)


def sweep(engine: Engine) -> int:
    """Let go of what has lain there for its days."""
    now = engine.clock.now()
    dropped = 0
    for item in _items(engine):
        if item.at >= now - engine.settings.memory.bin_days * DAY_MS:
            continue
        if item.due and 0 <= now - item.due < DAY_MS:
            continue
        if item.due and now > item.due:
            _drop(engine, item)
            dropped += 1
        else:  # or the clock is wrong, and will be right tomorrow
            _write(engine, replace(item, due=now))
    return dropped


def _items(engine: Engine) -> Iterator[Item]:
    for name in engine.vault.bin.names():
        if name.endswith(".json"):
            content = engine.vault.bin.get(name)
            with suppress(ValueError, TypeError, KeyError):  # what cannot be read is no item; its files stay
                if content is not None:
                    yield _read(json.loads(content))


def _item(engine: Engine, scope: Scope, item_id: str) -> Item:
    found = next((item for item in _items(engine) if item.id == item_id and item.scope == scope), None)
    if found is None:
        raise NotFound(f"nothing in the bin goes by {item_id!r}; list the bin to see what can be restored")
    return found


def _read(said: Json) -> Item:
    owner = said["owner"]
    scope = Scope(**said["scope"])
    files = tuple(
        File(**one | {"entries": None if one["entries"] is None else tuple(one["entries"])}) for one in said["files"]
    )
    return Item(**said | {"scope": scope, "files": files, "owner": owner and Owner(scope, owner["track"], owner["id"])})


def _write(engine: Engine, item: Item) -> None:
    engine.vault.bin.put(f"{item.id}.json", json.dumps(asdict(item)).encode())


def _drop(engine: Engine, item: Item) -> None:
    """The list goes last: what is left of a crash can be dropped again."""
    engine.vault.bin.drop([*(f"{item.id}.{number}" for number in range(item.parts)), f"{item.id}.json"])


def _blob(engine: Engine, item: Item, number: int) -> bytes:
    content = engine.vault.bin.get(f"{item.id}.{number}")
    if content is None:
        raise Damaged(f"the files of {item.id} are not in the bin any more; empty it")
    return content


def _archive(raws: Mapping[str, Raw], records: Iterable[Kept | Accepted]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, raw in sorted(raws.items()):
            archive.writestr(path, raw.content)
        archive.writestr(RECORDS, json.dumps([_told(record) for record in records]))
    return target.getvalue()


def _told(record: Kept | Accepted) -> Json:
    if isinstance(record, Accepted):
        where = (record.scope.app, record.scope.project, record.session_id, record.cell)
        return {"accepted": where, "digests": [digest.hex() for digest in record.digests]}
    message = record.message
    named = (message.scope.app, message.scope.project, message.session_id, message.id, body(message))
    rest = {"cell": record.cell, "place": record.place, "closed": record.closed}
    return {"digest": record.digest.hex(), "message": named, **rest}


def _load(engine: Engine, archives: Sequence[zipfile.ZipFile]) -> None:
    """What the buffer knew, known again."""
    for archive in archives:
        for one in json.loads(archive.read(RECORDS)):
            if where := one.get("accepted"):
                app, project, session, cell = where
                digests = tuple(map(bytes.fromhex, one["digests"]))
                engine.buffer.accept_again(Accepted(Scope(app, project), session, cell, digests))
            else:
                digest, message = bytes.fromhex(one.pop("digest")), one.pop("message")
                engine.buffer.load([Kept(digest, from_body(*message), **one)])


def _taken(one: File, before: bytes, now: bytes | None) -> bool:
    """Whether something else is where the file as a whole was, so that it cannot come back beside it."""
    located = locate(one.path)
    if one.entries is not None or now is None or now == before or _digest(now) == one.after:
        return False
    return bool(one.after) or located is None or located.kind.has_own_file


def _bring(engine: Engine, one: File, before: bytes, *, whole: bool) -> bool:
    """False where the file stays as it is."""
    try:
        text = decoded(before, one.path)
    except Unreadable:  # nobody could read it then either
        if engine.vault.stat(one.path) is None:
            engine.vault.put(one.path, Raw(before, time.time_ns()))
        return True

    def edit(now: str | None) -> str | None:
        if one.followed:
            known = GONE if now is None else _digest(now.encode())
            return text if known == one.after else now
        whole_now = now is None or (one.after and _digest(now.encode()) == one.after)
        located = locate(one.path)
        if whole or (one.entries is None and (whole_now or located is None or located.kind.has_own_file)):
            return text
        return put_back(now, text, one.entries)

    try:
        after = engine.vault.change(one.path, edit).after
    except Unreadable:
        return False
    return not one.followed or (after is not None and after.text == text)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _listed(entries: Collection[str] | None) -> tuple[str, ...] | None:
    return None if entries is None else tuple(sorted(entries))

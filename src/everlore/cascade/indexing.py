"""From files to rows: read one file, and make the index agree with it.

A file is read and applied under its own lock, the one that writers hold too, so that what the index ends up
with is the newest text whichever process comes last. Deleting an episode takes its facts with it: when an
episode disappears from its file, the facts that came from the same cell leave their files first, and the profile
what only they speak for. Until that is done the index differs from the episode's file, so that a crash in
between is made good by the next scan.

An id that is in two files (a person copied one) means the memory of the file that was read first. The other one is
reported, and has its turn when the first is gone.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import structlog

from everlore.cascade.unsaying import unsay
from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError
from everlore.graph.links import with_links
from everlore.index.base import Applied, Stamp
from everlore.kinds import case, entity, episode, fact, note, profile, record, skill
from everlore.kinds.base import END_FIELDS, end_of_sheet, text_field, time_field, with_end
from everlore.types import Entry, Key, Owner, Predicate, Problem, Row, Where
from everlore.vault.base import Change, FileText
from everlore.vault.markdown import mentioned, parse_log, parse_sheet, render_entry, without
from everlore.vault.paths import Located, locate

EMBED_AT_ONCE = 48
"""Units embedded in the same call that stored them; more are left to the worker."""
EMBED_SLICE = 256
"""Units embedded before their vectors are stored. More at once pads less: those of like length go together."""
FRESH = 256
"""So many units without a vector are what was just stored; more are a backlog."""
NOT_YET = Stamp(-1, -1)
"""The stamp of a file that is indexed in part: it differs from every file, so that it is looked at again."""

log = structlog.get_logger("everlore.cascade")


@dataclass(frozen=True, slots=True)
class Parsed:
    rows: list[Row]
    problems: list[Problem]
    lines: Mapping[str, int] = field(default_factory=dict)
    """Where each entry of a log begins."""
    unread: frozenset[str] | None = frozenset()
    """Entries that are still there, though perhaps not readable; None: that cannot be told."""

    def left(self, known: Mapping[str, str], deleted: Collection[str] = ()) -> dict[str, str]:
        """Those of the known entries, each with its cell, that are no longer in the file. Of what cannot be told only
        those are that were `deleted` for certain."""
        unread = frozenset(known) if self.unread is None else self.unread
        there = unread.difference(deleted).union(row.key.entry for row in self.rows)
        return {entry: cell for entry, cell in known.items() if entry not in there}


def read_file(engine: Engine, path: str, located: Located) -> tuple[Stamp | None, Parsed]:
    """A file as it is now; no stamp when it is gone. One that is no text at all is one problem."""
    found = engine.vault.stat(path)  # before it is read: if it is corrected meanwhile, it differs from this stamp
    try:
        file = engine.vault.read(path)
    except Damaged as error:
        problem = Problem(path, 0, str(error).removeprefix(f"{path}, "))
        return Stamp(*found) if found else None, Parsed([], [problem], unread=None)
    if file is None:
        return None, Parsed([], [])
    return Stamp(file.mtime_ns, file.size), parse_file(path, located, file)


def parse_file(path: str, located: Located, file: FileText) -> Parsed:
    """The rows that a file stands for. What cannot be read becomes a problem; the rest stays."""
    updated = file.mtime_ns // 1_000_000
    if located.place.layout == "sheet":
        try:
            return Parsed([with_links(_sheet_row(located, file.text, updated))], [])
        except Damaged as error:
            return Parsed([], [Problem(path, 0, str(error))], unread=None)
    log = parse_log(file.text, path)
    rows: list[Row] = []
    problems = list(log.problems)
    for entry in log.entries:
        try:
            rows.append(with_links(_entry_row(located, entry, updated)))
        except Damaged as error:
            problems.append(Problem(path, log.lines[entry.id], str(error)))
    return Parsed(rows, problems, log.lines, mentioned(file.text) if problems else frozenset())


def _entry_row(located: Located, entry: Entry, updated: int) -> Row:
    kind, owner = located.place.kind, located.owner
    if "timestamp" not in entry.fields:  # typed by a person: the file's name tells the day
        entry = replace(entry, fields={**entry.fields, "timestamp": f"{located.day}T00:00:00Z"})
    if kind == "fact":
        return fact.to_row(fact.from_entry(entry, owner), updated)
    if kind == "episode":
        row = episode.to_row(episode.from_entry(entry, owner), updated)
    elif kind == "note":
        row = note.to_row(note.from_entry(entry, owner), updated)
    else:
        row = case.to_row(case.from_entry(entry, owner), updated)
    return with_end(row, time_field(entry, END_FIELDS[0]), *(text_field(entry, name, "") for name in END_FIELDS[1:]))


def _sheet_row(located: Located, text: str, updated: int) -> Row:
    sheet = parse_sheet(text)
    if located.place.kind == "entity":
        return entity.to_row(entity.from_sheet(sheet, located.owner, located.name), updated)
    if located.place.kind == "profile":
        return profile.to_row(profile.from_sheet(sheet, located.owner), updated)
    if located.place.kind == "record":
        row = record.to_row(record.from_sheet(sheet, located.owner, located.name))
    else:
        row = skill.to_row(skill.from_sheet(sheet, located.owner, located.name), updated)
    return with_end(row, end_of_sheet(sheet), *(str(sheet.front.get(name) or "") for name in END_FIELDS[1:]))


def index_file(engine: Engine, path: str, *, gone: Collection[str] = (), deleted: Collection[str] = ()) -> Applied:
    """Make the index agree with one file, which may be gone.

    An editor that saves may empty or move its file for a moment, so a missing episode is not believed to be deleted
    unless its cell is among those the caller knows to be `gone`. Of a file that misses others as well, what is there
    is indexed, and the worker is asked to look twice. Entries that the caller took out itself are `deleted`, also
    where the file is in such a state that it could not be told.
    """
    located = locate(path)
    if located is None:
        return Applied()
    with engine.vault.lock(path):
        known = engine.index.stamp(path)
        if (known and (known.mtime_ns, known.size)) == engine.vault.stat(path):
            return Applied()
        stamp, parsed = read_file(engine, path, located)
        mine = engine.index.parents(path)
        left = parsed.left(mine, deleted)
        if left and _give_way(engine, path):
            mine = engine.index.parents(path)
            left = parsed.left(mine, deleted)
        apart = without_repeated(
            path, parsed, _elsewhere(engine, [r.key for r in parsed.rows if r.key.entry not in mine])
        )
        if located.place.kind == episode.PLACE.kind:
            lost = _lost_cells(left, parsed.rows)
            if not set(lost) <= set(gone):
                engine.index.enqueue([path])
                return engine.index.replace_file(path, NOT_YET, apart.rows, apart.problems, partial=True)
            _drop_facts(engine, located.owner, path, lost)
        if stamp is None:
            return engine.index.remove_file(path)
        keys = [Key(located.owner, located.place.kind, entry) for entry in left]
        stamp = stamp if apart is parsed else NOT_YET
        return engine.index.replace_file(path, stamp, apart.rows, apart.problems, gone=keys)


def without_repeated(path: str, parsed: Parsed, elsewhere: Mapping[Key, str]) -> Parsed:
    """The file without memories that are in another one already; those are problems. The same if there are none."""
    repeated = [row.key for row in parsed.rows if row.key in elsewhere]
    if not repeated:
        return parsed
    problems = [
        Problem(path, parsed.lines.get(key.entry, 0), f"{key.entry} {_repeats(elsewhere[key])}") for key in repeated
    ]
    rows = [row for row in parsed.rows if row.key not in elsewhere]
    return replace(parsed, rows=rows, problems=[*parsed.problems, *problems])


def _repeats(path: str) -> str:
    return f"is there twice, also in {path}; this one is not read: give it another id"


def _elsewhere(engine: Engine, keys: Sequence[Key]) -> dict[Key, str]:
    """Those of these memories that are in another file, as the index has it and the file itself says."""
    found = engine.index.find(keys)
    elsewhere: dict[Key, str] = {}
    for other in {stored.path for stored in found.values()}:
        located = locate(other)
        there = {key.entry: "" for key, stored in found.items() if stored.path == other}
        moved = read_file(engine, other, located)[1].left(there) if located else there
        elsewhere |= {key: other for key in found if key.entry in there.keys() - moved.keys()}
    return elsewhere


def _give_way(engine: Engine, path: str) -> bool:
    """Index the files that repeat what was in this one; true if there are any."""
    waiting = {problem.path for problem in engine.index.problems() if problem.reason.endswith(_repeats(path))}
    for other in waiting:
        index_file(engine, other)
    return bool(waiting)


def index_appended(engine: Engine, path: str, change: Change, entries: Sequence[Entry]) -> None:
    """Index the entries that `change` appended, without reading the rest of the file where the index allows it."""
    located, after = locate(path), change.after
    if located and after and after != change.before:
        # as they read, not as they were meant: the row must be the one that a rebuild finds
        text = "\n".join(render_entry(entry) for entry in entries)
        parsed = parse_file(path, located, FileText(text, after.mtime_ns, after.size))
        before = Stamp(change.before.mtime_ns, change.before.size) if change.before else None
        extends = len(parsed.rows) == len(entries) and not parsed.problems
        if extends and engine.index.extend_file(path, before, Stamp(after.mtime_ns, after.size), parsed.rows):
            return
    index_file(engine, path)


def missing_cells(engine: Engine, path: str) -> list[str]:
    """Cells whose episodes the index has in this file and the file has not."""
    located, known = locate(path), engine.index.stamp(path)
    if located is None or located.place.kind != episode.PLACE.kind or known is None:
        return []
    if (known.mtime_ns, known.size) == engine.vault.stat(path):
        return []
    parsed = read_file(engine, path, located)[1]
    return _lost_cells(parsed.left(engine.index.parents(path)), parsed.rows)


def _lost_cells(left: Mapping[str, str], rows: Sequence[Row]) -> list[str]:
    """Cells whose episodes left a file that has these rows."""
    return sorted({cell for cell in left.values() if cell}.difference(row.parent_id for row in rows))


def _drop_facts(engine: Engine, owner: Owner, path: str, cells: Sequence[str]) -> None:
    """Remove the facts of cells whose episode left `path` and is nowhere else, and what they say in the profile."""
    episodes = engine.index.children(owner, episode.PLACE.kind, cells)
    kept = {row.parent_id for row in episodes if row.path != path}
    lost = [cell for cell in cells if cell not in kept]
    facts = engine.index.children(owner, fact.PLACE.kind, lost)
    profile_path = unsay(engine, owner, [*facts, *(row for row in episodes if row.parent_id not in kept)])
    if profile_path:
        index_file(engine, profile_path)
    by_path: dict[str, list[str]] = {}
    for row in facts:
        by_path.setdefault(row.path, []).append(row.key.entry)
    for fact_path, entries in by_path.items():
        engine.vault.update(fact_path, partial(without, entries))
        index_file(engine, fact_path, deleted=entries)
    for cell in lost:
        others = engine.index.page(Where(None, (episode.PLACE.kind,), Predicate("parent_id", "eq", cell)), limit=2).rows
        if all(row.path == path for row in others):  # else a repeated request would double another owner's memories
            engine.buffer.forget_cell(cell)


def embed_soon(engine: Engine) -> None:
    """Embed what was just stored if that is quick. What is not done now, the worker does."""
    if not engine.embedder.ready():
        engine.embedder.warm()
    elif engine.embedding.acquire(blocking=False):
        # when somebody else is embedding already, the backlog is theirs and this call need not wait
        try:
            _embed(engine, EMBED_AT_ONCE)
        except EverloreError as error:
            log.warning("embedding failed; words find the new memories until it works", error=str(error))
        finally:
            engine.embedding.release()


def embed_fresh(engine: Engine, seconds: float = 2.0) -> None:
    """Embed what was stored a moment ago, so that a search by meaning finds it. A long backlog is the worker's."""
    if engine.embedder.state() != "ready":
        return
    deadline = time.monotonic() + seconds
    try:
        engine.index.use_model(engine.embedder.name, engine.embedder.dimension)
        while 0 < len(engine.index.unembedded(FRESH + 1)) <= FRESH and (left := deadline - time.monotonic()) > 0:
            if engine.embedding.acquire(timeout=left):
                try:
                    _embed(engine, EMBED_AT_ONCE)
                finally:
                    engine.embedding.release()
    except EverloreError as error:
        log.warning("embedding failed; words find the new memories until it works", error=str(error))


def embed_pending(engine: Engine, limit: int) -> int:
    """Give vectors to units that have none, at most `limit` of them; returns how many got one."""
    with engine.embedding:
        return _embed(engine, limit)


def _embed(engine: Engine, limit: int) -> int:
    index, embedder = engine.index, engine.embedder
    index.use_model(embedder.name, embedder.dimension)
    done = 0
    while done < limit:
        units = index.unembedded(min(EMBED_SLICE, limit - done))
        if not units:
            break
        index.put_vectors([u.unit for u in units], embedder.encode([u.dense for u in units]))
        done += len(units)
    return done

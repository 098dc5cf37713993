"""From files to rows: read one file, and make the index agree with it.

A file is read and applied under its own lock, the one that writers hold too, so that what the index ends up
with is the newest text whichever process comes last. What hangs on a memory goes with it: the facts of an episode
that disappears from its file, a case's mention in skills. A profile is computed anew when facts changed. All that
happens before the index agrees with the file, so that a crash in between is made good by the next scan.

An id that is in two files (a person copied one) means the memory of the file that was read first. The other one is
reported, and has its turn when the first is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.graph.links import with_links
from everlore.kinds import fact, profile
from everlore.kinds.paths import Located, locate, owner_dir, sheet_path
from everlore.kinds.registry import AnyKind, parts_of
from everlore.logs import get_logger
from everlore.stores.base import NOT_YET, Applied, Source, Stamp, Vector
from everlore.sync.dependents import drop_parts, drop_sources, make_room
from everlore.sync.projection import facts_of, profile_lock, project
from everlore.tenants import numbered, owner_uuid, tenant_of
from everlore.types import IndexRow, Key, Owner, Problem
from everlore.vault.base import FileText
from everlore.vault.markdown import mentioned, parse_log, parse_sheet

SHOWN = 200
"""Characters of an unexpected error that are told."""
TOGETHER = 64
"""Files that are new to the index are read and written so many at a time."""
NOTHING = "\ufeff\0\r\n\t "
"""Characters that say nothing; zeros are what a crash leaves of a file."""

log = get_logger("everlore.sync")


@dataclass(frozen=True, slots=True)
class Parsed:
    rows: list[IndexRow]
    problems: list[Problem]
    lines: Mapping[str, int] = field(default_factory=dict)
    """Where each entry of a log begins."""
    unread: frozenset[str] | None = frozenset()
    """Entries that are still there, though perhaps not readable; None: that cannot be told."""
    blank: bool = False
    """Nothing of ours is in it, neither an entry nor front matter."""

    def given(self, path: str, known: Collection[str]) -> Parsed:
        """What it says of a file in which memories are known. Nobody deletes them by leaving an empty file, zeros or
        other text: a disk was full, a program died, a copy is under way."""
        if not self.blank or not known:
            return self
        reason = f"holds none of its {len(known)} memories any more: restore it, or delete the file if they shall go"
        return Parsed([], [Problem(path, 0, reason)], unread=None)

    def left(self, known: Mapping[str, str], deleted: Collection[str] = ()) -> dict[str, str]:
        """Those of the known entries, each with its cell, that are no longer in the file. Of what cannot be told only
        those are that were `deleted` for certain."""
        unread = frozenset(known) if self.unread is None else self.unread
        there = unread.difference(deleted).union(row.key.local_id for row in self.rows)
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
    kind, owner, updated = located.kind, located.owner, file.mtime_ns // 1_000_000
    if kind.has_own_file:
        try:
            row = with_links(kind, kind.row(parse_sheet(file.text), owner, located.name, updated))
        except Exception as error:
            return Parsed([], [_problem(path, 0, error)], unread=None)
        return Parsed([row], [], blank=not file.text.strip(NOTHING))
    log = parse_log(file.text, path)
    rows: list[IndexRow] = []
    problems = list(log.problems)
    for entry in log.entries:
        try:
            rows.append(with_links(kind, kind.row(entry, owner, located.day, updated)))
        except Exception as error:
            problems.append(_problem(path, log.lines[entry.id], error))
    unread = mentioned(file.text) if problems else frozenset()
    return Parsed(rows, problems, log.lines, unread, blank=not (rows or problems or log.front))


def _problem(path: str, line: int, error: Exception) -> Problem:
    """People write what no reader thought of: it must cost them no more than the entry it stands in."""
    if isinstance(error, Damaged):
        return Problem(path, line, str(error))
    log.error("reading a memory failed", path=path, line=line, exc_info=error)
    return Problem(path, line, f"cannot be read ({type(error).__name__}: {str(error)[:SHOWN]})")


def index_new(engine: Engine, paths: Sequence[str]) -> set[str]:
    """Index those of these files that the index knows nothing of, many at a time, and return them. The others want a
    closer look (`index_file`): those that are known, cannot be read in full, or hold what is in another file."""
    done: set[str] = set()
    for start in range(0, len(paths), TOGETHER):
        some = paths[start : start + TOGETHER]
        try:
            done |= _index_new(engine, some)
        except Exception as error:  # comes up again, file by file
            log.warning("files could not be indexed together", files=len(some), error=type(error).__name__)
    return done


def _index_new(engine: Engine, paths: Collection[str]) -> set[str]:
    whole: dict[str, tuple[Stamp, Parsed]] = {}
    for path, raw in engine.vault.raws(paths).items():
        located = locate(path)
        with suppress(Damaged):
            if located and not (parsed := parse_file(path, located, raw.as_text(path))).problems and not parsed.blank:
                whole[path] = Stamp(raw.mtime_ns, len(raw.content)), parsed
    told = Counter(row.key for _, parsed in whole.values() for row in parsed.rows)
    repeated = {key for key, times in told.items() if times > 1} | engine.index.rows.find(told).keys()
    sources = [
        Source(path, stamp, parsed.rows, appended=True)
        for path, (stamp, parsed) in whole.items()
        if repeated.isdisjoint(row.key for row in parsed.rows)
    ]
    known = remembered(engine, [row for source in sources for row in source.rows])
    done = engine.index.files.apply(sources, known) if sources else []
    return {source.path for source, applied in zip(sources, done, strict=True) if applied is not None}


def owner_folder(path: str) -> str:
    located = locate(path)
    return f"{owner_dir(located.owner)}/" if located else ""


def shown(path: str) -> bool:
    """Whether the profile of its owner tells what is in it."""
    located = locate(path)
    return located is not None and located.kind.in_profile


def remembered(engine: Engine, rows: Iterable[IndexRow]) -> dict[str, Vector]:
    """The vectors of these rows that are kept, if the model is the current one: nothing is embedded."""
    texts = {unit.dense: row.key.owner for row in rows for unit in row.units if unit.dense}
    model = engine.index.upkeep.model() if texts else None
    if model is None or model[0] != engine.embedder.name:
        return {}
    pieces = [numbered(tenant_of(owner_uuid(owner)), 0) for owner in texts.values()]
    found = engine.cache.get(model[0], list(texts), pieces)
    return {text: found[at] for at, text in enumerate(texts) if at in found and len(found[at]) == model[1]}


def index_file(
    engine: Engine, path: str, *, gone: Collection[str] = (), deleted: Collection[str] = (), projecting: bool = True
) -> Applied:
    """Make the index agree with one file, which may be gone.

    An editor that saves may empty or move its file for a moment, so a missing episode or fact is not believed to be
    deleted unless its cell or id is among those the caller knows to be `gone`. Of a file that misses others as well,
    what is there is indexed, and the worker is asked to look twice. Entries that the caller took out itself are
    `deleted`, also where the file is in such a state that it could not be told. Facts reach the profile unless the
    caller does that itself and is not `projecting` here.
    """
    located = locate(path)
    if located is None:
        return Applied()
    broken = located.kind.name == profile.PROFILE.name and _reported(engine, located.owner, path)
    applied = _index_file(engine, path, located, gone, deleted, projecting=projecting)
    if broken and not _reported(engine, located.owner, path):  # repaired
        with profile_lock(engine, located.owner):
            facts = list(facts_of(engine, located.owner))
            if project(engine, located.owner, facts, ()):
                _index_file(engine, path, located)
    return applied


def _reported(engine: Engine, owner: Owner, path: str) -> bool:
    return any(problem.path == path for problem in engine.index.files.problems(owner))


@dataclass(frozen=True, slots=True)
class _Gone:
    """What left a file: its entries, each with its cell, and what hangs on them."""

    left: Mapping[str, str]
    lost: Sequence[str]
    unsure: bool
    """There may be more of it, which the worker will look at again."""


def _index_file(
    engine: Engine,
    path: str,
    located: Located,
    gone: Collection[str] = (),
    deleted: Collection[str] = (),
    behind: frozenset[str] = frozenset(),
    *,
    projecting: bool = True,
) -> Applied:
    """`behind`: files whose own indexing waits for this one."""
    with ExitStack() as locks:
        if located.kind.in_profile or parts_of(located.kind.name):
            locks.enter_context(profile_lock(engine, located.owner))  # before any file, as whoever tells facts does
        locks.enter_context(engine.vault.lock(path))
        known = engine.index.files.stamp(path)
        if (known and (known.mtime_ns, known.size)) == engine.vault.stat(path):
            return Applied()
        mine = engine.index.files.parents(path)
        stamp, parsed = _read(engine, path, located, mine)
        if parsed.left(mine, deleted) and _give_way(engine, located.owner, path, behind):
            mine = engine.index.files.parents(path)
        new = [row.key for row in parsed.rows if row.key.local_id not in mine]
        apart = without_repeated(path, parsed, _elsewhere(engine, path, new))
        went = _believed(engine, path, located, parsed, parsed.left(mine, deleted), gone, deleted)
        _take_along(engine, path, located, went, parsed.rows)
        if projecting and located.kind.in_profile:
            _project(engine, path, located, went.left, apart.rows, seen=known is not None)
        if stamp is None and not went.unsure:
            return engine.index.files.remove(path)
        keys = [Key(located.owner, located.kind.name, entry) for entry in went.left]
        stamp = stamp if stamp and not went.unsure and apart is parsed else NOT_YET
        return engine.index.files.replace(path, stamp, apart.rows, apart.problems, partial=went.unsure, gone=keys)


def _believed(
    engine: Engine,
    path: str,
    located: Located,
    parsed: Parsed,
    left: Mapping[str, str],
    gone: Collection[str],
    deleted: Collection[str],
) -> _Gone:
    """What is believed to be deleted, of what left the file."""
    lost = _lost(located, left, parsed.rows)
    sure = [one for one in lost if one in gone or one in deleted]
    if sure and engine.vault.being_written(path):
        sure = []
    if len(sure) == len(lost):
        return _Gone(left, lost, unsure=False)
    # others may delete in this file just now; what this caller knows to be gone is gone all the same
    engine.index.queue.enqueue([path])
    vouched = {*sure, *deleted} if sure else set[str]()
    left = {entry: cell for entry, cell in left.items() if entry in vouched or cell in vouched}
    return _Gone(left, sure, unsure=True)


def _take_along(engine: Engine, path: str, located: Located, went: _Gone, rows: Sequence[IndexRow]) -> None:
    """What hangs on memories that left a file goes too."""
    kind, owner = located.kind, located.owner
    numbers = [int(entry[-8:]) for entry in went.left if entry[-8:].isdecimal()]
    if numbers and located.day:  # those of entries that a person typed and deleted again are not given to others
        engine.buffer.next_number(owner, kind.code, located.day, max(numbers), 0)
    if parts_of(kind.name):
        for part_path, entries in drop_parts(engine, owner, kind.name, path, went.lost).items():
            index_file(engine, part_path, deleted=entries)
    elif kind.source_of:
        for changed in drop_sources(engine, owner, went.lost):
            index_file(engine, changed)
    if kind.made_by_cells:
        make_room(engine, owner, path, _cells(went.left, rows))


def _project(
    engine: Engine, path: str, located: Located, left: Collection[str], rows: Sequence[IndexRow], *, seen: bool
) -> None:
    """Compute the profile of the owner of facts of which these left a file and these are in it now. A file that was
    never `seen` tells the profile something only if there is one: a vault that is indexed for the first time stays as
    it is."""
    owner = located.owner
    digests = engine.index.files.digests(path)
    changed = [row for row in rows if digests.get(row.key.local_id) != row.digest]
    profile_path = sheet_path(profile.PROFILE, owner)
    if not (left or changed) or not (seen or engine.index.files.parents(profile_path)):
        return
    before = {known.local_id: known for known in facts_of(engine, owner)}
    now = {entry: known for entry, known in before.items() if entry not in left}
    now |= {row.key.local_id: fact.from_row(row) for row in rows}
    if project(engine, owner, list(now.values()), list(before.values())):
        index_file(engine, profile_path)


def _read(engine: Engine, path: str, located: Located, known: Collection[str]) -> tuple[Stamp | None, Parsed]:
    stamp, parsed = read_file(engine, path, located)
    return stamp, parsed.given(path, known) if stamp else parsed


def without_repeated(path: str, parsed: Parsed, elsewhere: Mapping[Key, str]) -> Parsed:
    """The file without memories that are in another one already; those are problems. The same if there are none."""
    repeated = [row.key for row in parsed.rows if row.key in elsewhere]
    if not repeated:
        return parsed
    problems = [
        Problem(path, parsed.lines.get(key.local_id, 0), f"{key.local_id} {_repeats(elsewhere[key])}")
        for key in repeated
    ]
    rows = [row for row in parsed.rows if row.key not in elsewhere]
    return replace(parsed, rows=rows, problems=[*parsed.problems, *problems])


def _repeats(path: str) -> str:
    return f"is there twice, also in {path}; this one is not read: give it another id"


def _elsewhere(engine: Engine, path: str, keys: Sequence[Key]) -> dict[Key, str]:
    """Those of these memories that are in another file, as the index has it and the file itself says."""
    # whoever appended one to this file may have indexed it by now
    found = {key: stored for key, stored in engine.index.rows.find(keys).items() if stored.path != path}
    elsewhere: dict[Key, str] = {}
    for other in {stored.path for stored in found.values()}:
        located = locate(other)
        there = {key.local_id: "" for key, stored in found.items() if stored.path == other}
        moved = read_file(engine, other, located)[1].left(there) if located else there
        elsewhere |= {key: other for key in found if key.local_id in there.keys() - moved.keys()}
    return elsewhere


def _give_way(engine: Engine, owner: Owner, path: str, behind: frozenset[str]) -> bool:
    """Index the files that repeat what was in this one; true if there are any. Two may repeat each other."""
    told = engine.index.files.problems(owner)
    waiting = {problem.path for problem in told if problem.reason.endswith(_repeats(path))}
    for other in waiting - behind - {path}:
        if located := locate(other):
            _index_file(engine, other, located, behind=behind | {path})
    return bool(waiting)


def missing(engine: Engine, path: str) -> list[str]:
    """What the index has in this file and the file has not, if more hangs on it: cells of episodes, ids of facts and
    cases."""
    located, known = locate(path), engine.index.files.stamp(path)
    if located is None or not _depended_on(located.kind) or known is None:
        return []
    if (known.mtime_ns, known.size) == engine.vault.stat(path):
        return []
    mine = engine.index.files.parents(path)
    parsed = _read(engine, path, located, mine)[1]
    return _lost(located, parsed.left(mine), parsed.rows)


def _lost(located: Located, left: Mapping[str, str], rows: Sequence[IndexRow]) -> list[str]:
    """Of the entries that left a file which has these rows: cells of episodes, or the facts or cases themselves."""
    if parts_of(located.kind.name):
        return _cells(left, rows)
    return sorted(left) if _depended_on(located.kind) else []


def _depended_on(kind: AnyKind) -> bool:
    """Whether other memories know of it: who believes it deleted changes more than its file."""
    return bool(kind.part_of) or kind.made_by_cells


def _cells(left: Mapping[str, str], rows: Sequence[IndexRow]) -> list[str]:
    """The cells of which nothing is left in a file that has these rows."""
    return sorted({cell for cell in left.values() if cell}.difference(row.parent_id for row in rows))

"""From files to rows: read one file, and make the index agree with it.

A file is read and applied under its own lock, the one that writers hold too, so that what the index ends up
with is the newest text whichever process comes last. Deleting an episode takes its facts with it: when an
episode disappears from its file, the facts that came from the same cell leave their files first, and the profile
what only they speak for. It loses that too when a fact disappears alone, and a skill a case that disappears. What is
put back brings all that back. Until it is done the index differs from the file, so that a crash in between is made good
by the next scan.

An id that is in two files (a person copied one) means the memory of the file that was read first. The other one is
reported, and has its turn when the first is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import structlog

from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import Damaged, Unreadable
from everlore.graph.links import with_links
from everlore.index.base import NOT_YET, Applied, Stamp
from everlore.kinds import case, episode, fact, profile
from everlore.kinds.base import text_field
from everlore.kinds.paths import Located, locate
from everlore.kinds.profile import Info
from everlore.sync import undo
from everlore.sync.saying import known_names, say_corrected, say_unlisted
from everlore.sync.skill_sources import drop_sources
from everlore.sync.undo import Removed
from everlore.sync.unsaying import spoken_for, unsay, unsay_owed
from everlore.types import IndexedMemory, IndexRow, Json, Key, LogEntry, Owner, Predicate, Problem, Where
from everlore.vault.base import Change, FileText
from everlore.vault.entries import render_entry
from everlore.vault.markdown import append_entries, log_front, mentioned, parse_log, parse_sheet, without

SHOWN = 200
"""Characters of an unexpected error that are told."""
DEPENDED_ON = (episode.EPISODE.name, fact.FACT.name, case.CASE.name)
"""Kinds of which other memories know: who believes them deleted changes more than their file."""
MOST_OF_A_CELL = 1000
"""Episodes and cases of one cell: more than it has messages."""
NOTHING = "\ufeff\0\r\n\t "
"""Characters that say nothing; zeros are what a crash leaves of a file."""

log = structlog.get_logger("everlore.sync")


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
            row = with_links(kind.row(parse_sheet(file.text), owner, located.name, updated))
        except Exception as error:
            return Parsed([], [_problem(path, 0, error)], unread=None)
        return Parsed([row], [], blank=not file.text.strip(NOTHING))
    log = parse_log(file.text, path)
    rows: list[IndexRow] = []
    problems = list(log.problems)
    for entry in log.entries:
        try:
            rows.append(with_links(kind.row(entry, owner, located.day, updated)))
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


def index_file(engine: Engine, path: str, *, gone: Collection[str] = (), deleted: Collection[str] = ()) -> Applied:
    """Make the index agree with one file, which may be gone.

    An editor that saves may empty or move its file for a moment, so a missing episode or fact is not believed to be
    deleted unless its cell or id is among those the caller knows to be `gone`. Of a file that misses others as well,
    what is there is indexed, and the worker is asked to look twice. Entries that the caller took out itself are
    `deleted`, also where the file is in such a state that it could not be told.
    """
    located = locate(path)
    if located is None:
        return Applied()
    of_profile = located.kind.name == profile.PROFILE.name
    broken = of_profile and _reported(engine, path)
    applied = _index_file(engine, path, located, gone, deleted)
    if of_profile and unsay_owed(engine, located.owner):
        index_file(engine, path)
    if broken and not _reported(engine, path):  # repaired
        for changed in say_unlisted(engine, located.owner):
            index_file(engine, changed)
    return applied


def _reported(engine: Engine, path: str) -> bool:
    return any(problem.path == path for problem in engine.index.problems())


def _index_file(
    engine: Engine,
    path: str,
    located: Located,
    gone: Collection[str] = (),
    deleted: Collection[str] = (),
    behind: frozenset[str] = frozenset(),
) -> Applied:
    """`behind`: files whose own indexing waits for this one."""
    with engine.vault.lock(path):
        known = engine.index.stamp(path)
        if (known and (known.mtime_ns, known.size)) == engine.vault.stat(path):
            return Applied()
        mine = engine.index.parents(path)
        stamp, parsed = _read(engine, path, located, mine)
        left = parsed.left(mine, deleted)
        if left and _give_way(engine, path, behind):
            mine = engine.index.parents(path)
            left = parsed.left(mine, deleted)
        new = [row.key for row in parsed.rows if row.key.local_id not in mine]
        apart = without_repeated(path, parsed, _elsewhere(engine, path, new))
        lost = _lost(located, left, parsed.rows)
        sure = [one for one in lost if one in gone or one in deleted]
        if sure and engine.vault.being_written(path):
            sure = []
        unsure = len(sure) < len(lost)
        if unsure:  # others may delete in this file just now; what this caller knows to be gone is gone all the same
            engine.index.enqueue([path])
            vouched = {*sure, *deleted} if sure else set[str]()
            left = {entry: cell for entry, cell in left.items() if entry in vouched or cell in vouched}
            lost = sure
        _reserve(engine, located, left)
        if located.kind.name == episode.EPISODE.name:
            _drop_facts(engine, located.owner, path, lost, by_hand=not deleted)
        elif located.kind.name == fact.FACT.name:
            unsaid = set(deleted)  # by whoever took them out
            _correct_profile(engine, located.owner, path, [one for one in lost if one not in unsaid], parsed.rows)
        for changed in drop_sources(engine, located.owner, lost) if located.kind.name == case.CASE.name else ():
            index_file(engine, changed)
        if located.kind.name in (episode.EPISODE.name, case.CASE.name):
            _make_room(engine, path, _cells(left, parsed.rows))
        if stamp is None and not unsure:
            return engine.index.remove_file(path)
        keys = [Key(located.owner, located.kind.name, entry) for entry in left]
        stamp = stamp if stamp and not unsure and apart is parsed else NOT_YET
        _put_back(engine, located, path, [row for row in apart.rows if row.key.local_id not in mine])
        return engine.index.replace_file(path, stamp, apart.rows, apart.problems, partial=unsure, gone=keys)


def _read(engine: Engine, path: str, located: Located, known: Collection[str]) -> tuple[Stamp | None, Parsed]:
    stamp, parsed = read_file(engine, path, located)
    return stamp, parsed.given(path, known) if stamp else parsed


def _reserve(engine: Engine, located: Located, left: Iterable[str]) -> None:
    """Numbers of entries that a person typed and deleted again are not given to others."""
    numbers = [int(entry[-8:]) for entry in left if entry[-8:].isdecimal()]
    if numbers and located.day:
        engine.buffer.next_number(located.owner, located.kind.code, located.day, max(numbers), 0)


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
    found = {key: stored for key, stored in engine.index.find(keys).items() if stored.path != path}
    elsewhere: dict[Key, str] = {}
    for other in {stored.path for stored in found.values()}:
        located = locate(other)
        there = {key.local_id: "" for key, stored in found.items() if stored.path == other}
        moved = read_file(engine, other, located)[1].left(there) if located else there
        elsewhere |= {key: other for key in found if key.local_id in there.keys() - moved.keys()}
    return elsewhere


def _give_way(engine: Engine, path: str, behind: frozenset[str]) -> bool:
    """Index the files that repeat what was in this one; true if there are any. Two may repeat each other."""
    waiting = {problem.path for problem in engine.index.problems() if problem.reason.endswith(_repeats(path))}
    for other in waiting - behind - {path}:
        if located := locate(other):
            _index_file(engine, other, located, behind=behind | {path})
    return bool(waiting)


def index_appended(engine: Engine, path: str, change: Change, entries: Sequence[LogEntry]) -> None:
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


def missing(engine: Engine, path: str) -> list[str]:
    """What the index has in this file and the file has not, if more hangs on it: cells of episodes, ids of facts and
    cases."""
    located, known = locate(path), engine.index.stamp(path)
    if located is None or located.kind.name not in DEPENDED_ON or known is None:
        return []
    if (known.mtime_ns, known.size) == engine.vault.stat(path):
        return []
    mine = engine.index.parents(path)
    parsed = _read(engine, path, located, mine)[1]
    return _lost(located, parsed.left(mine), parsed.rows)


def _lost(located: Located, left: Mapping[str, str], rows: Sequence[IndexRow]) -> list[str]:
    """Of the entries that left a file which has these rows: cells of episodes, or the facts or cases themselves."""
    if located.kind.name in (fact.FACT.name, case.CASE.name):
        return sorted(left)
    if located.kind.name == episode.EPISODE.name:
        return _cells(left, rows)
    return []


def _cells(left: Mapping[str, str], rows: Sequence[IndexRow]) -> list[str]:
    """The cells of which nothing is left in a file that has these rows."""
    return sorted({cell for cell in left.values() if cell}.difference(row.parent_id for row in rows))


def _drop_facts(engine: Engine, owner: Owner, path: str, cells: Sequence[str], *, by_hand: bool) -> None:
    """Remove the facts of cells whose episode left `path` and is nowhere else, and what they say in the profile."""
    episodes = engine.index.children(owner, episode.EPISODE.name, cells)
    kept = {row.parent_id for row in episodes if row.path != path}
    lost = [cell for cell in cells if cell not in kept]
    facts = engine.index.children(owner, fact.FACT.name, lost)
    gone = [*facts, *(row for row in episodes if row.parent_id not in kept)]
    names = sorted(known_names(engine, owner)) if by_hand and lost else []  # before the profile loses what tells them
    profile_path, infos = unsay(engine, owner, gone)
    if by_hand:
        _keep(engine, owner, lost, gone, infos, names)
    if profile_path:
        index_file(engine, profile_path)
    by_path: dict[str, list[str]] = {}
    for row in facts:
        by_path.setdefault(row.path, []).append(row.key.local_id)
    for fact_path, entries in by_path.items():
        take_out(engine, fact_path, entries)
        index_file(engine, fact_path, deleted=entries)


def _make_room(engine: Engine, path: str, cells: Iterable[str]) -> None:
    """Messages of which these cells, that left `path`, were all that was made may be sent again."""
    for cell in cells:
        made = Where(None, (episode.EPISODE.name, case.CASE.name), Predicate("parent_id", "eq", cell))
        others = engine.index.page(made, limit=MOST_OF_A_CELL).rows
        if all(row.path == path for row in others):  # else a repeated request would double another owner's memories
            engine.buffer.forget_cell(cell)


def take_out(engine: Engine, path: str, entries: Collection[str]) -> None:
    try:
        engine.vault.update(path, partial(without, entries))
    except Unreadable:
        raise
    except Damaged as error:  # which names the line alone
        raise Unreadable(f"{path}, {error}") from None


def _correct_profile(engine: Engine, owner: Owner, path: str, lost: Sequence[str], rows: Sequence[IndexRow]) -> None:
    """A fact that a person deleted leaves the profile, and one that they changed stands there as it is now."""
    known = engine.index.find([*(Key(owner, fact.FACT.name, entry) for entry in lost), *(row.key for row in rows)])
    changed = [row for row in rows if row.key in known and known[row.key].data["content"] != row.data["content"]]
    left = {row.key.local_id for row in changed}.union(lost)
    names = known_names(engine, owner) if left else set()  # before the profile loses what tells them
    profile_path, infos = unsay(engine, owner, [stored for key, stored in known.items() if key.local_id in left])
    for key, stored in known.items():
        if key.local_id in lost:
            undo.keep(engine, owner, key.local_id, Removed({}, spoken_for(infos, [stored]), sorted(names)))
    if changed:
        profile_path = say_corrected(engine, owner, path, changed, names) or profile_path
    if profile_path:  # once, so that nobody sees it without either
        index_file(engine, profile_path)


def _keep(
    engine: Engine,
    owner: Owner,
    cells: Iterable[str],
    gone: Sequence[IndexedMemory],
    infos: Sequence[Info],
    names: Sequence[str],
) -> None:
    """For the case that a person puts the episodes of these cells back."""
    texts: dict[tuple[str, str], str] = {}
    for path in {row.path for row in gone if row.key.kind == fact.FACT.name}:
        file = engine.vault.read(path)
        for entry in parse_log(file.text, path).entries if file else ():
            place = (text_field(entry, "parent_id", ""), path)
            texts[place] = texts.get(place, "") + render_entry(entry) + "\n"
    for cell in cells:
        facts = {path: text for (of, path), text in texts.items() if of == cell}
        rest_on = [row for row in gone if row.parent_id == cell]
        undo.keep(engine, owner, cell, Removed(facts, spoken_for(infos, rest_on), names))


def _put_back(engine: Engine, located: Located, path: str, rows: Sequence[IndexRow]) -> None:
    """What left with an episode or a fact comes back with it."""
    owner = located.owner
    if located.kind.name == episode.EPISODE.name:
        for removed in undo.take(engine, owner, {row.parent_id for row in rows}):
            for fact_path, text in removed.facts.items():
                there = locate(fact_path)
                if there is None:
                    continue
                front = log_front(fact.FACT, owner, there.day, iso(engine.clock.now()))
                engine.vault.update(fact_path, partial(_with_entries, text, front))
                index_file(engine, fact_path)
                returned = parse_file(fact_path, there, FileText(text, 0, 0)).rows
                _say_again(engine, owner, fact_path, returned, removed)
    elif located.kind.name == fact.FACT.name:
        for removed in undo.take(engine, owner, {row.key.local_id for row in rows}):
            _say_again(engine, owner, path, rows, removed)


def _say_again(engine: Engine, owner: Owner, path: str, rows: Sequence[IndexRow], removed: Removed) -> None:
    if profile_path := say_corrected(engine, owner, path, rows, removed.names, removed.infos):
        index_file(engine, profile_path)


def _with_entries(text: str, front: Mapping[str, Json], current: str | None) -> str | None:
    known = {entry.id for entry in parse_log(current or "", "").entries}
    missing = [entry for entry in parse_log(text, "").entries if entry.id not in known]
    return append_entries(current or "", missing, front) if missing else current

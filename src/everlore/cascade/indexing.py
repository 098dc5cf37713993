"""From files to rows: read one file, and make the index agree with it.

A file is read and applied under its own lock, the one that writers hold too, so that what the index ends up
with is the newest text whichever process comes last. Deleting an episode takes its facts with it: when an
episode disappears from its file, the facts that came from the same cell leave their files as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.index.base import Applied, Stamp
from everlore.kinds import case, episode, fact, profile, skill
from everlore.types import Entry, Owner, Problem, Row
from everlore.vault.files import FileText
from everlore.vault.markdown import parse_log, parse_sheet, remove_entry
from everlore.vault.paths import Located, locate

EMBED_AT_ONCE = 48
"""Units embedded in the same call that stored them; more are left to the worker."""
EMBED_SLICE = 64


@dataclass(frozen=True, slots=True)
class Parsed:
    rows: list[Row]
    problems: list[Problem]


def parse_file(path: str, located: Located, file: FileText) -> Parsed:
    """The rows that a file stands for. What cannot be read becomes a problem; the rest stays."""
    updated = file.mtime_ns // 1_000_000
    if located.place.layout == "sheet":
        try:
            return Parsed([_sheet_row(located, file.text, updated)], [])
        except Damaged as error:
            return Parsed([], [Problem(path, 1, str(error))])
    log = parse_log(file.text, path)
    rows: list[Row] = []
    problems = list(log.problems)
    for entry in log.entries:
        try:
            rows.append(_entry_row(located.place.kind, entry, located.owner, updated))
        except Damaged as error:
            problems.append(Problem(path, 0, str(error)))
    return Parsed(rows, problems)


def _entry_row(kind: str, entry: Entry, owner: Owner, updated: int) -> Row:
    if kind == "episode":
        return episode.to_row(episode.from_entry(entry, owner), updated)
    if kind == "fact":
        return fact.to_row(fact.from_entry(entry, owner), updated)
    return case.to_row(case.from_entry(entry, owner), updated)


def _sheet_row(located: Located, text: str, updated: int) -> Row:
    sheet = parse_sheet(text)
    if located.place.kind == "profile":
        return profile.to_row(profile.from_sheet(sheet, located.owner), updated)
    return skill.to_row(skill.from_sheet(sheet, located.owner, located.name), updated)


def index_file(engine: Engine, path: str) -> Applied:
    """Make the index agree with one file, which may be gone."""
    located = locate(path)
    if located is None:
        return Applied()
    with engine.vault.lock(path):
        file = engine.vault.read(path)
        if file is None:
            applied = engine.index.remove_file(path)
        else:
            parsed = parse_file(path, located, file)
            applied = engine.index.replace_file(path, Stamp(file.mtime_ns, file.size), parsed.rows, parsed.problems)
    if applied.gone_parents and located.place.kind == episode.PLACE.kind:
        drop_facts(engine, located.owner, applied.gone_parents)
    return applied


def drop_facts(engine: Engine, owner: Owner, cells: Sequence[str]) -> int:
    """Remove the facts of cells that have no episode any more, from their files and the index."""
    kept = {row.parent_id for row in engine.index.children(owner, episode.PLACE.kind, cells)}
    lost = [cell for cell in cells if cell not in kept]
    facts = engine.index.children(owner, fact.PLACE.kind, lost)
    by_path: dict[str, list[str]] = {}
    for row in facts:
        by_path.setdefault(row.path, []).append(row.key.entry)
    for path, entries in by_path.items():
        _remove_entries(engine, path, entries)
        index_file(engine, path)
    for cell in lost:
        engine.buffer.forget_cell(cell)
    return len(facts)


def _remove_entries(engine: Engine, path: str, entries: Sequence[str]) -> None:
    def edit(text: str | None) -> str | None:
        for entry in entries:
            if text is not None:
                text = remove_entry(text, entry)
        return text

    engine.vault.update(path, edit)


def index_paths(engine: Engine, paths: Iterable[str]) -> None:
    """Index files that were just written, and embed what is new if that is quick."""
    for path in dict.fromkeys(paths):
        index_file(engine, path)
    if not engine.embedder.ready():
        engine.embedder.warm()
    elif engine.embedding.acquire(blocking=False):
        # when somebody else is embedding already, the backlog is theirs and this call need not wait
        try:
            _embed(engine, EMBED_AT_ONCE)
        finally:
            engine.embedding.release()


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

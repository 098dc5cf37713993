"""Curate: a checked reply takes the place of a draft, entry by entry, and an undo puts the draft back.

What a reply changes is first written down as edits (`kinds/review.py`), then carried out. Carrying out twice is the
same as once, so what a crash interrupts is finished by whoever looks at the episode next. What a person changed since
is never overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

from everlore import extract
from everlore.clock import day, entry_id, iso
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.kinds import fact as facts
from everlore.kinds.base import END_FIELDS
from everlore.kinds.fact import FACT, Fact
from everlore.kinds.paths import locate, log_path
from everlore.kinds.review import REVIEW, Edit, Review
from everlore.kinds.review import from_entry as review_of
from everlore.memory.daily_log import NewEntries, append
from everlore.memory.review import (
    LEASE_SECONDS,
    MOST,
    TOKENS,
    Item,
    episode_named,
    give_back,
    lease_of,
    lend,
    newest_drafts,
    queue_lock,
    runs_of,
    stretch_of,
)
from everlore.models.chat import ChatModel, Meter
from everlore.sync.indexing import index_file
from everlore.sync.projection import known_names
from everlore.sync.writing import Pages, write_together
from everlore.types import IndexedMemory, Json, Key, LogEntry, Owner
from everlore.vault.markdown import append_entries, last_number, log_front, parse_log, remove_entry, replace_entry

if TYPE_CHECKING:
    from everlore.extract.curation import Accepted, Line, Refusal, Stretch

LOOKED_THROUGH = 200
"""Drafts among which those are that nobody else has."""
LESSON = "KeyInsight"
"""The section of a case that says what was learnt."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a reply. `state` of the episode afterwards: drafted or curated."""

    id: str
    state: str
    taken: int
    """Changes that were made."""
    refused: tuple[Refusal, ...]
    changes: str


def review(
    engine: Engine, owner: Owner, *, limit: int = 1, id_: str = "", seconds: int = LEASE_SECONDS, budget: int = TOKENS
) -> list[Item]:
    """Lend the newest episodes that wait and that nobody else has, or the one that is named."""
    items: list[Item] = []
    with queue_lock(engine, owner):
        for stored in [episode_named(engine, owner, id_)] if id_ else newest_drafts(engine, owner, LOOKED_THROUGH):
            if len(items) == min(limit, MOST):
                break
            standing = _standing(engine, stored)
            if standing and not stored.data.get("reviewed_by"):  # a crash came before it was carried out
                _carry_out(engine, standing)
            elif item := lend(engine, stored, seconds, budget):
                items.append(item)
    if id_ and not items:
        raise InvalidInput(f"{id_} is being reviewed by somebody else; ask again later")
    return items


def curate(
    engine: Engine, owner: Owner, id_: str, lease: str, reply: Json, reviewer: str, *, dry_run: bool = False
) -> Outcome:
    """Take what is right in a reply. The same reply twice changes nothing; another one under the same lease takes the
    place of the first. A `dry_run` only tells what would change."""
    digest = blake2b(json.dumps(reply, sort_keys=True).encode(), digest_size=10).hexdigest()
    with queue_lock(engine, owner):
        stored = episode_named(engine, owner, id_)
        standing = _standing(engine, stored)
        if standing and standing.digest == digest:
            _carry_out(engine, standing)
            return Outcome(id_, "curated", len(standing.edits), (), standing.changes)
        if not lease or lease_of(engine, stored) != lease:
            raise InvalidInput("this lease is not valid, or its time is over: ask to review the episode again")
        if standing and not dry_run:
            _restore(engine, standing)
            stored = episode_named(engine, owner, id_)
        stretch = stretch_of(engine, stored)
        accepted, refused = _as_drafted(reply, stretch, *extract.grounding.check(reply, stretch))
        changes = _told(stretch, accepted)
        if dry_run or not accepted.any:
            state = "curated" if stored.data.get("reviewed_by") else "drafted"
            return Outcome(id_, state, 0, refused, changes)
        edits = _edits(engine, stored, stretch, accepted, reviewer)
        new = Review(
            owner=owner,
            local_id="",
            session_id=stored.session_id,
            timestamp=stored.timestamp,
            parent_id=stored.parent_id,
            sender_ids=stored.sender_ids,
            episode=stored.key.local_id,
            reviewer=reviewer,
            reviewed=engine.clock.now(),
            changes=changes,
            edits=tuple(edits),
            digest=digest,
        )
        entries = NewEntries(REVIEW, owner, stored.timestamp, [new], "digest", digest, _stands)
        [(found, _)] = write_together(engine, lambda pages: append(engine, pages, [entries]))
        _carry_out(engine, review_of(found[0], owner))
    return Outcome(id_, "curated", len(edits), refused, changes)


def return_drafts(engine: Engine, owner: Owner, items: Sequence[Item]) -> None:
    """Leases that are not needed any more."""
    with queue_lock(engine, owner):
        for item in items:
            stored = episode_named(engine, owner, item.id)
            if lease_of(engine, stored) == item.lease:
                give_back(engine, stored)


def undo_curation(engine: Engine, owner: Owner, id_: str) -> Outcome:
    """Put the draft back that a review took the place of. The review stays on record."""
    with queue_lock(engine, owner):
        stored = episode_named(engine, owner, id_)
        standing = _standing(engine, stored)
        if standing is None:
            raise NotFound(f"{id_} has no review that could be undone")
        _restore(engine, standing)
        give_back(engine, stored)
    return Outcome(id_, "drafted", len(standing.edits), (), standing.changes)


def model_review(model: ChatModel, item: Item, meter: Meter) -> Json:
    """What the configured language model replies."""
    answer = model.ask(extract.curation.REVIEW, extract.curation.shown(item.stretch), meter)
    return answer.model_dump(exclude_defaults=True)


def review_drafts(engine: Engine, most: int) -> int:
    """Let the configured language model review what was drafted without it; returns how many were."""
    done = 0
    for owner, _ in engine.index.rows.owners() if engine.llm else ():
        if owner.track != "user" or engine.llm is None:
            continue
        items = review(engine, owner, limit=most - done)
        try:
            for item in items:
                reply = model_review(engine.llm, item, Meter(engine.settings.llm.budget_seconds))
                curate(engine, owner, item.id, item.lease, reply, engine.llm.model)
                done += 1
        finally:
            return_drafts(engine, owner, items)
        if done >= most:
            break
    return done


def _stands(entry: LogEntry) -> bool:
    return not entry.fields.get("undone")


def _standing(engine: Engine, stored: IndexedMemory) -> Review | None:
    """The review of an episode that was not undone."""
    owner = stored.key.owner
    for row in engine.index.rows.children(owner, REVIEW.name, [stored.parent_id]):
        entry = _entries(engine, row.path).get(row.key.local_id)
        if row.data["episode"] == stored.key.local_id and entry is not None and _stands(entry):
            return review_of(entry, owner)
    return None


def _entries(engine: Engine, path: str) -> dict[str, LogEntry]:
    file = engine.vault.read(path)
    return {entry.id: entry for entry in parse_log(file.text, path).entries} if file else {}


def _as_drafted(
    reply: Json, stretch: Stretch, accepted: Accepted, refused: Sequence[Refusal]
) -> tuple[Accepted, tuple[Refusal, ...]]:
    """What a reply leaves as it was drafted is no claim of its own that would have to be believed."""
    if not isinstance(reply, dict) or not refused:
        return accepted, tuple(refused)
    wrong, drafted = {one.where for one in refused}, dict(stretch.facts)
    told = {"title": (reply.get("title"), stretch.title), "summary": (reply.get("summary"), stretch.summary)}
    kept = {where: draft for where, (text, draft) in told.items() if where in wrong and text == draft}
    facts = reply.get("facts")
    said = {f"facts[{at}]": one.get("text") for at, one in enumerate(facts) if isinstance(one, dict)} if facts else {}
    left = {where: text for where, text in said.items() if where in wrong and text in tuple(drafted)}
    lines = [extract.curation.Line(text, (drafted[text] or 1,)) for text in dict.fromkeys(left.values())]
    title, summary = kept.get("title", accepted.title), kept.get("summary", accepted.summary)
    return replace(accepted, title=title, summary=summary, lines=(*accepted.lines, *lines)), tuple(
        one for one in refused if one.where not in kept | left
    )


def _edits(engine: Engine, stored: IndexedMemory, stretch: Stretch, accepted: Accepted, reviewer: str) -> list[Edit]:
    """Entry by entry, the episode last: with it, the review is carried out."""
    files: dict[str, dict[str, LogEntry]] = {}

    def there(row: IndexedMemory) -> LogEntry:
        if row.path not in files:
            files[row.path] = _entries(engine, row.path)
        return files[row.path][row.key.local_id]

    owner = stored.key.owner
    rows = engine.index.rows.children(owner, FACT.name, [stored.parent_id])
    as_drafted = {line.text for line in accepted.lines if not line.category and line.valid_from is None}
    drafted = {str(row.data["content"]) for row in rows}
    dropped = [row for row in rows if accepted.lines and row.data["content"] not in as_drafted]
    new = [line for line in accepted.lines if not (line.text in as_drafted and line.text in drafted)]
    made = dict(zip(map(id, new), _new_facts(engine, stored, stretch, new, rows), strict=True))
    edits = [Edit(row.path, there(row), None) for row in dropped]
    edits += [Edit(log_path(FACT, owner, stored.timestamp), None, facts.to_entry(one)) for one in made.values()]
    instead = {
        end.id: made.get(id(accepted.lines[end.replaced_by])) for end in accepted.ends if end.replaced_by is not None
    }
    for row, end in _ended(engine, stored, stretch, accepted, {row.key.local_id for row in dropped}):
        entry, by = there(row), instead.get(row.key.public_id)
        fields = {name: value for name, value in entry.fields.items() if name not in END_FIELDS}
        if end is not None:
            fields |= {"valid_until": iso(end)} | ({"superseded_by": by.local_id} if by else {})
        edits.append(Edit(row.path, entry, replace(entry, fields=fields)))
    if accepted.lesson:
        for row in runs_of(engine, stored):
            entry = there(row)
            edits.append(Edit(row.path, entry, replace(entry, sections={**entry.sections, LESSON: accepted.lesson})))
    episode = there(stored)
    told = {name: text for name, text in (("Subject", accepted.title), ("Summary", accepted.summary)) if text}
    after = LogEntry(episode.id, {**episode.fields, "reviewed_by": reviewer}, {**episode.sections, **told})
    return [*edits, Edit(stored.path, episode, after)]


def _ended(
    engine: Engine, stored: IndexedMemory, stretch: Stretch, accepted: Accepted, dropped: set[str]
) -> list[tuple[IndexedMemory, int | None]]:
    """Older facts, each with the moment at which it ends; None: what a dropped draft had ended holds again."""
    owner = stored.key.owner
    moments = {turn.number: turn.moment for turn in stretch.turns}
    ends: dict[str, int | None] = {end.id: min(moments[turn] for turn in end.turns) for end in accepted.ends}
    keys = [Key(owner, FACT.name, one.id.removeprefix(f"{owner.id}_")) for one in stretch.older]
    rows = engine.index.rows.find(keys).values()
    for row in rows:
        if row.data["superseded_by"] in dropped:
            ends.setdefault(row.key.public_id, None)
    return [(row, ends[row.key.public_id]) for row in rows if row.key.public_id in ends]


def _new_facts(
    engine: Engine, stored: IndexedMemory, stretch: Stretch, lines: Sequence[Line], drafts: Sequence[IndexedMemory]
) -> list[Fact]:
    """Lines as facts, with ids of their own."""
    if not lines:
        return []
    owner, turns = stored.key.owner, {turn.number: turn for turn in stretch.turns}
    told = {row.data["turn"]: row for row in drafts}
    own = {name.casefold() for name in known_names(engine, owner, Pages(engine).text)}
    path = log_path(FACT, owner, stored.timestamp)
    file = engine.vault.read(path)
    floor = last_number(file.text if file else None)
    number = engine.buffer.next_number(owner, FACT.code, day(stored.timestamp), floor, len(lines))
    made = []
    for at, line in enumerate(lines):
        turn = turns[line.turns[0]]
        beside = told.get(turn.number - 1)  # a draft of the same turn knows its second and its sender
        by_owner = turn.role == "user" and turn.speaker.casefold() in own
        made.append(
            Fact(
                owner=owner,
                local_id=entry_id(FACT.code, stored.timestamp, number + at),
                session_id=stored.session_id,
                timestamp=beside.timestamp if beside else turn.moment,
                parent_id=stored.parent_id,
                sender_ids=beside.sender_ids if beside else (owner.id,) if by_owner else stored.sender_ids,
                text=line.text,
                turn=turn.number - 1,
                by_user=turn.role == "user",
                about=extract.facts.about(line.text, turn.speaker) if turn.role == "user" else "",
                category=line.category,
                valid_from=line.valid_from,
                project=stored.project,
            )
        )
    if not stored.project:
        return made
    called = {number: turn.speaker for number, turn in turns.items()}
    return [
        replace(fact, personal=extract.profile_items.personal(fact, owner.id, called[fact.turn + 1])) for fact in made
    ]


def _carry_out(engine: Engine, review: Review) -> None:
    _make(engine, review.owner, [(edit.path, edit.id, edit.before, edit.after) for edit in review.edits])


def _restore(engine: Engine, review: Review) -> None:
    """The draft again, and then the review marked as undone."""
    _make(engine, review.owner, [(edit.path, edit.id, edit.after, edit.before) for edit in review.edits])
    rows = engine.index.rows.children(review.owner, REVIEW.name, [review.parent_id])
    usual = log_path(REVIEW, review.owner, review.timestamp)
    path = next((row.path for row in rows if row.key.local_id == review.local_id), usual)
    undone = partial(_marked, review.local_id, {"undone": iso(engine.clock.now())})
    engine.vault.change(path, undone)
    index_file(engine, path)


def _marked(local_id: str, fields: Mapping[str, str], text: str | None) -> str | None:
    return replace_entry(text, LogEntry(local_id, fields, {})) if text else text


def _make(engine: Engine, owner: Owner, wanted: Sequence[tuple[str, str, LogEntry | None, LogEntry | None]]) -> None:
    """Make entries what they shall be: (path, id, as it is expected to be, as it shall be). One that is neither was
    changed by a person since, and stays as it is."""
    for path in dict.fromkeys(path for path, *_ in wanted):
        here = [(entry, before, after) for place, entry, before, after in wanted if place == path]
        engine.vault.change(path, partial(_changed, engine, owner, path, here))
        index_file(engine, path, deleted=[entry for entry, _, after in here if after is None])


def _changed(
    engine: Engine,
    owner: Owner,
    path: str,
    wanted: Sequence[tuple[str, LogEntry | None, LogEntry | None]],
    text: str | None,
) -> str | None:
    known = {entry.id: entry for entry in parse_log(text, path).entries} if text else {}
    for entry, before, after in wanted:
        found = known.get(entry)
        if found is not None and not _as_expected(found, before, after):
            continue
        if after is None:
            text = remove_entry(text, entry) if text and found else text
        elif found is not None and text is not None:
            gone = [name for name in before.fields if name not in after.fields] if before else []
            text = replace_entry(text, after, gone)
        elif before is None:
            located = locate(path)
            assert located is not None
            front = log_front(located.kind, owner, located.day, iso(engine.clock.now()))
            text = append_entries(text, [after], front)
    return text


def _as_expected(found: LogEntry, before: LogEntry | None, after: LogEntry | None) -> bool:
    """Whether an entry says what a change begins with, in all that the change is about."""
    if before is None:
        return False
    fields = {*before.fields, *(after.fields if after else ())}
    sections = {*before.sections, *(after.sections if after else ())}
    return all(found.fields.get(name) == before.fields.get(name) for name in fields) and all(
        found.sections.get(name, "").strip() == before.sections.get(name, "").strip() for name in sections
    )


def _told(stretch: Stretch, accepted: Accepted) -> str:
    """What a reply changes, line by line, as people read a difference."""
    older = {offered.id: offered.text for offered in stretch.older}
    new = [line.text for line in accepted.lines]
    drafted = [text for text, _ in stretch.facts]
    lines = [f"~ title: {stretch.title} → {accepted.title}"] if accepted.title not in ("", stretch.title) else []
    if accepted.summary not in ("", stretch.summary):
        lines.append(f"~ summary: {accepted.summary}")
    lines += [f"- {text}" for text in drafted if new and text not in new]
    fresh = [line for line in accepted.lines if line.text not in drafted]
    lines += [f"+ {line.text}" + (f" ({line.category})" if line.category else "") for line in fresh]
    lines += [f"× {older[end.id]} (ended)" for end in accepted.ends]
    lines += [f"! {accepted.lesson}"] if accepted.lesson else []
    return "\n".join(lines) or "as drafted"

"""A cell as a user's memories: values first, then their files, what they end, and the profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlore import extract
from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import Damaged, Misconfigured, Unavailable, Unreadable
from everlore.kinds import fact as facts
from everlore.kinds import profile
from everlore.kinds.base import list_field
from everlore.kinds.episode import Episode
from everlore.kinds.fact import Fact
from everlore.kinds.paths import log_paths, sheet_path
from everlore.stores.base import Asked
from everlore.stores.tokens import query_terms
from everlore.sync.projection import added_to_profile, known_names, note_unreadable
from everlore.sync.writing import Pages
from everlore.types import Cell, IndexedMemory, LogEntry, Owner, Where
from everlore.vault.markdown import parse_log, replace_entry

if TYPE_CHECKING:
    from everlore.extract.learned import Vector
    from everlore.extract.llm import CellAnswer

NEW = "new-"
"""How the ids of facts begin that have none yet."""
ALIKE, NEWEST = 60, 60
"""Facts with words in common, and facts of late, that new ones are compared with."""


@dataclass(frozen=True, slots=True)
class UserMemories:
    """What a cell means to one of its users; the ids are given when it is written."""

    episode: Episode | None
    facts: tuple[Fact, ...]
    name: str
    """What the facts call the user."""
    compared: tuple[IndexedMemory, ...] = ()
    """The known facts with which it is worth comparing these."""
    again: tuple[tuple[IndexedMemory, str], ...] = ()
    """Those of them that were said once more, each with where that was."""


def user_memories(
    engine: Engine, cell: Cell, owner: Owner, pages: Pages, answer: CellAnswer | None = None
) -> UserMemories:
    """`answer` is what a language model made of the cell, where one is configured."""
    zone = engine.clock.zone
    told = answer if isinstance(answer, extract.prompts.UserCell) else None
    drafts = extract.facts.write_facts(cell, zone)
    if told is not None:
        drafts = extract.llm.told_facts(told, cell, drafts)
    episode = extract.episode.write_episode(cell, owner, "", drafts, zone)
    if episode is not None and told is not None and engine.llm is not None:
        episode = replace(extract.llm.with_episode(episode, told.episode), reviewed_by=engine.llm.model)
    if told is not None:
        drafts = extract.llm.with_profile(told, cell, owner.id, drafts)
    name = next(extract.turns.name_of(message) for message in cell.messages if message.sender_id == owner.id)
    said = [extract.facts.as_fact(draft, cell, owner, f"{NEW}{at}") for at, draft in enumerate(drafts)]
    said = _placed(engine, cell, said)
    rows = compared(engine, owner, said, pages)
    doubtful = [fact for fact, draft in zip(said, drafts, strict=True) if draft.tentative and not fact.category]
    kept = _kept(engine, said, doubtful, [facts.from_row(row) for row in rows])
    if cell.project:
        kept = [replace(fact, personal=extract.profile_items.personal(fact, owner.id, name)) for fact in kept]
    others = [row for row in rows if row.parent_id != cell.id]
    again = {fact: same for fact in kept if (same := equal_fact(fact.text, others))}
    new = tuple(fact for fact in kept if fact not in again)
    return UserMemories(
        episode, new, name, tuple(rows), tuple((same, facts.source(fact)) for fact, same in again.items())
    )


def _placed(engine: Engine, cell: Cell, told: Sequence[Fact]) -> list[Fact]:
    """The facts with their places in a profile, as far as their meaning tells."""
    alone = len({message.sender_id for message in cell.messages if message.role == "user"}) == 1
    said = [extract.supersede.words_of(fact) for fact in told]
    meant = _encoded(engine, said) or {}
    pairs = zip(told, said, strict=True)
    return [extract.profile_items.placed(fact, words, meant.get(words), alone=alone) for fact, words in pairs]


def _kept(engine: Engine, said: Sequence[Fact], doubtful: Sequence[Fact], known: Sequence[Fact]) -> list[Fact]:
    """The facts of a cell; of those that are worth it only if they end something, the ones that do."""
    used: set[str] = set()
    if any(map(extract.supersede.may_end, doubtful)):
        others = (*known, *(fact for fact in said if fact not in doubtful))
        used = {fact.superseded_by for fact in _superseded(engine, others, doubtful)}
    kept = [fact for fact in said if fact not in doubtful or fact.local_id in used]
    return [replace(fact, local_id="") for fact in kept]


def equal_fact(text: str, known: Iterable[IndexedMemory]) -> IndexedMemory | None:
    """The fact that says the same and holds."""
    plain = _plain(text)
    standing = (row for row in known if row.validity.end is None and row.data.get("by_user", True))
    return next((row for row in standing if _plain(str(row.data["content"])) == plain), None)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。")


def add_sources(pages: Pages, stored: IndexedMemory, sources: Sequence[str]) -> None:
    """Where else a fact was said, beside what is known of that."""
    text = pages.text(stored.path)
    for entry in parse_log(text, "").entries if text else ():
        known = list_field(entry, "sources")
        if entry.id == stored.key.local_id and not set(sources) <= set(known):
            fields = {"sources": tuple(dict.fromkeys((*known, *sources)))}
            text = replace_entry(text or "", LogEntry(entry.id, fields, {}))
            changed = [one for one in parse_log(text, "").entries if one.id == entry.id]
            pages.change(stored.path, text, changed)


def settle(
    engine: Engine, pages: Pages, owner: Owner, memories: UserMemories, entries: Sequence[LogEntry], *, fresh: bool
) -> None:
    """What the facts of these entries change besides: the older facts they end, and the profile."""
    for row, source in memories.again:
        add_sources(pages, row, (source,))
    if fresh:
        new = [replace(fact, local_id=entry.id) for fact, entry in zip(memories.facts, entries, strict=True)]
    else:
        new = [facts.from_entry(entry, owner) for entry in entries]
    if not new:
        return
    ended = _supersede(engine, pages, owner, new, memories.compared)
    over = {fact.local_id for fact in ended}
    standing = [fact for fact in new if fact.valid_until is None and fact.local_id not in over]
    path = sheet_path(profile.PROFILE, owner)
    try:
        text = pages.text(path)
        pages.change(path, added_to_profile(engine, owner, text, standing, memories.name, ended))
    except Unreadable:
        note_unreadable(engine, path)


def _supersede(
    engine: Engine, pages: Pages, owner: Owner, new: Sequence[Fact], compared: Sequence[IndexedMemory]
) -> list[Fact]:
    """End the older facts that these contradict, and these where later ones were told before. Returns what they ended,
    also before a crash."""
    told = {fact.local_id for fact in new}
    rows = [row for row in compared if row.key.local_id not in told]
    known = [facts.from_row(row) for row in rows]
    ended = {fact.local_id: fact for fact in _superseded(engine, known, new)}
    theirs = {row.path for row in rows if row.key.local_id in ended}
    mine = log_paths(facts.FACT, owner, new[0].timestamp) if told & ended.keys() else ()
    end_in(pages, owner, ended, {*theirs, *mine})
    return [*ended.values(), *(fact for fact in known if fact.superseded_by in told and fact.local_id not in ended)]


def end_in(pages: Pages, owner: Owner, ended: Mapping[str, Fact], paths: Iterable[str]) -> None:
    """Write the ends of facts into the logs that hold them."""
    pages.read(paths)
    for path in sorted(paths):
        if text := pages.text(path):
            changed, entries = _with_ends(text, ended, owner)
            pages.change(path, changed, entries)


def compared(engine: Engine, owner: Owner, new: Sequence[Fact], pages: Pages) -> list[IndexedMemory]:
    """The known facts with which it is worth comparing new ones: of the same slots, with words in common, of late."""
    able = [fact for fact in new if extract.supersede.may_end(fact)]
    if not able:
        return []
    slots = extract.supersede.slots_of(able, known_names(engine, owner, pages.text))
    terms = query_terms(" ".join(extract.supersede.words_of(fact) for fact in able))
    asked = Asked(Where(owner, (facts.FACT.name,)), terms, limit=ALIKE)
    alike = {piece.row for piece in engine.index.search.candidates(asked).pieces} if terms else ()
    return engine.index.rows.related(owner, facts.FACT.name, slots, alike, NEWEST)


def _superseded(engine: Engine, known: Sequence[Fact], new: Sequence[Fact]) -> list[Fact]:
    texts: dict[str, None] = {}
    for fact in filter(extract.supersede.may_end, new):
        near = extract.supersede.likely(fact, (*known, *new))
        texts |= dict.fromkeys(map(extract.supersede.words_of, (fact, *near) if near else ()))
    return extract.supersede.superseded(known, new, engine.clock.now(), _encoded(engine, list(texts)))


def _encoded(engine: Engine, texts: Sequence[str]) -> dict[str, Vector] | None:
    """What statements mean; None where the embedder cannot tell now, or is another than the one that the judgements
    were learned with."""
    if engine.embedder.name != extract.learned.model():
        return None
    try:
        return dict(zip(texts, engine.embedder.encode(texts, patient=False), strict=True)) if texts else {}
    except (Unavailable, Misconfigured):
        return None


def _with_ends(text: str, ended: Mapping[str, Fact], owner: Owner) -> tuple[str, list[LogEntry]]:
    """The text of a log in which these facts have ended, and their entries as they read now."""
    changed: set[str] = set()
    for entry in parse_log(text, "").entries:
        if fact := ended.get(entry.id):
            with suppress(Damaged):  # reported as a problem; it holds until a person has mended it
                facts.from_entry(entry, owner)
                ends = {"valid_until": iso(fact.valid_until or 0), "superseded_by": fact.superseded_by}
                text = replace_entry(text, LogEntry(entry.id, ends, {}))
                changed.add(entry.id)
    return text, [entry for entry in parse_log(text, "").entries if entry.id in changed] if changed else []

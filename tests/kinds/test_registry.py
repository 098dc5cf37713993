"""A kind is one file: one that only this test knows is saved, indexed, found, listed, ended, rebuilt and exported."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from vaults import ALICE, BOB, DAY, MAY_28, assert_index_equals_files

from everlore.clock import entry_id, iso
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.kinds import registry
from everlore.kinds.base import index_row, moment_field, section
from everlore.kinds.paths import locate, log_path, sheet_path
from everlore.kinds.registry import (
    DailyLog,
    Kind,
    OwnFile,
    all_kinds,
    by_path,
    kind,
    kinds_where,
    parts_of,
    register,
    searched,
    several,
)
from everlore.memory import export_owner, forget, import_owner, listing
from everlore.memory.notes import invalidate
from everlore.search import Query, recall
from everlore.search.recipes import KEYWORD
from everlore.sync.indexing import index_file
from everlore.sync.upkeep import rebuild
from everlore.types import IndexRow, Key, LogEntry, MemoryFile, Owner, Unit, Validity
from everlore.vault.markdown import append_entries, log_front, render_sheet


@dataclass(frozen=True)
class Dream:
    owner: Owner
    local_id: str
    timestamp: int
    text: str


def _parse(entry: LogEntry, owner: Owner, day: str) -> Dream:
    return Dream(owner, entry.id, moment_field(entry, day), section(entry, "Dream"))


def _render(dream: Dream) -> LogEntry:
    return LogEntry(dream.local_id, {"timestamp": iso(dream.timestamp)}, {"Dream": dream.text})


def _index(dream: Dream, updated: int) -> IndexRow:
    return index_row(
        Key(dream.owner, "dream", dream.local_id),
        updated,
        {"content": dream.text},
        (Unit(0, dream.text, dream.text),),
        timestamp=dream.timestamp,
        validity=Validity(dream.timestamp),
    )


DREAM = Kind("dream", "dr", "user", DailyLog("dreams/dream-{date}.md"), _parse, _render, _index, found_as="dream")
POSTER = Kind(
    name="poster",
    code="po",
    track="user",
    layout=OwnFile("posters/*.md"),
    parse=lambda file, owner, name: Dream(owner, f"po_{name}", MAY_28, file.body),
    render=lambda dream: MemoryFile({"title": dream.local_id}, dream.text),
    index=lambda dream, updated: index_row(
        Key(dream.owner, "poster", dream.local_id), updated, {"content": dream.text}, (Unit(0, "", dream.text),)
    ),
    found_as="episode",
    plural="posters on the wall",
)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    monkeypatch.setattr(registry, "_folders", {at: list(kinds) for at, kinds in registry._folders.items()})
    register(DREAM)
    register(POSTER)


def _saved(engine: Engine, text: str, at: int = MAY_28, owner: Owner = ALICE) -> Key:
    dream = Dream(owner, entry_id(DREAM.code, at, 1), at, text)
    path = log_path(DREAM, owner, at)
    front = log_front(DREAM, owner, iso(at)[:10], iso(at))
    engine.vault.change(path, lambda old: append_entries(old or "", [DREAM.render(dream)], front))
    index_file(engine, path)
    return Key(owner, DREAM.name, dream.local_id)


@pytest.mark.usefixtures("own")
def test_a_kind_of_ones_own_is_saved_found_listed_and_rebuilt(engine: Engine) -> None:
    key = _saved(engine, "I was flying over Lisbon with a heron.")
    _saved(engine, "I forgot my keys in a swimming pool.", MAY_28 + DAY)
    assert_index_equals_files(engine)
    hits = recall(engine, Query(ALICE, "flying heron"), KEYWORD).hits
    assert [hit.stored.key for hit in hits["dream"]] == [key]
    assert [row.key.kind for row in listing(engine, ALICE, DREAM.name).rows] == ["dream", "dream"]
    rebuild(engine, lambda *_: None)
    assert {row.key.kind for row in assert_index_equals_files(engine)} == {"dream"}
    assert engine.index.rows.find([key])[key].data == {"content": "I was flying over Lisbon with a heron."}
    assert {edge.target for _, edge in engine.index.links.of([engine.index.rows.find([key])[key].id])} >= {"lisbon"}


@pytest.mark.usefixtures("own")
def test_a_kind_of_ones_own_ends_leaves_and_moves_to_another_owner(engine: Engine) -> None:
    key = _saved(engine, "I was flying over Lisbon with a heron.")
    exported = export_owner(engine, ALICE)
    assert list(exported.files) == ["dreams/dream-2026-05-28.md"]
    assert import_owner(engine, BOB, exported.files).written == 1
    invalidate(engine, engine.index.rows.find([key])[key], "it was a film")
    ended = engine.index.rows.find([key])[key]
    assert ended.validity.end is not None
    assert ended.data["invalidation_reason"] == "it was a film"
    assert recall(engine, Query(ALICE, "flying heron"), KEYWORD).hits["dream"] == []
    assert len(recall(engine, Query(BOB, "flying heron"), KEYWORD).hits["dream"]) == 1
    forget(engine, ALICE, key.public_id)
    assert {row.key.owner for row in assert_index_equals_files(engine)} == {BOB}


@pytest.mark.usefixtures("own")
def test_a_file_of_ones_own_is_found_beside_episodes(engine: Engine) -> None:
    path = sheet_path(POSTER, ALICE, "jazz/2026")
    engine.vault.change(path, lambda _: render_sheet(POSTER.render(Dream(ALICE, "x", MAY_28, "Jazz in the old dock."))))
    index_file(engine, path)
    (hit,) = recall(engine, Query(ALICE, "old dock"), KEYWORD).hits["episode"]
    assert hit.stored.key == Key(ALICE, "poster", "po_jazz/2026")
    assert searched("user") == {"dream": ("dream",), "episode": ("episode", "note", "record", "poster")}
    assert several("poster") == "posters on the wall"


@pytest.mark.usefixtures("own")
def test_a_name_or_a_code_is_given_once() -> None:
    for again in (DREAM, Kind("sleep", "dr", "user", DailyLog("sleep/{date}.md"), _parse, _render, _index)):
        with pytest.raises(InvalidInput, match="that the kind 'dream' has already"):
            register(again)


def test_files_of_a_kind_that_nobody_registered_are_no_memories() -> None:
    assert "dream" not in [one.name for one in all_kinds()]
    assert locate("default_app/default_project/users/alice/dreams/dream-2026-05-28.md") is None


def test_a_path_tells_the_kind() -> None:
    assert by_path("user", "facts/fact-2026-11-15-2.md") == (kind("fact"), "", "2026-11-15")
    assert by_path("user", ".atomic_facts/atomic_fact-2026-11-15.md") == (kind("fact"), "", "2026-11-15")
    assert by_path("agent", "skills/fix the tests/SKILL.md") == (kind("skill"), "fix the tests", "")
    assert by_path("user", "user.md") == (kind("profile"), "", "")
    for none in ("facts/fact-2026-13-15.md", "facts/fact-2026-11-15-1.md", "entities/.md", "user.md/x.md", "x"):
        assert by_path("user", none) is None
    assert by_path("user", "skills/fix/SKILL.md") is None


def test_what_the_kinds_say_of_each_other() -> None:
    assert searched("user") == {"episode": ("episode", "note", "record")}
    assert searched("agent") == {"case": ("case",), "skill": ("skill",)}
    assert kinds_where(lambda one: one.edited_section) == ("fact", "note")
    assert (parts_of("episode"), parts_of("note")) == (("fact", "review"), ())
    assert (several("entity"), several("fact", 1), several("fact"), several("unknown")) == (
        "entities",
        "fact",
        "facts",
        "unknowns",
    )

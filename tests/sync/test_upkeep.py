"""The index can be thrown away: made again from the files, it answers every question as before."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import apsw
import pytest
from embeddings import Endpoint
from vaults import ALICE, BOB, DAY, HELPER, MAY_28, SCOPE, assert_index_equals_files, in_index, open_vault, says

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.kinds.paths import Located
from everlore.memory import flush, forget, listing, remember
from everlore.search import METHODS, Query, recall
from everlore.search.recipes import Method
from everlore.sync import indexing
from everlore.sync.embedding import embed_pending
from everlore.sync.indexing import Parsed, parse_file
from everlore.sync.upkeep import index_changes, rebuild, troubles
from everlore.sync.worker import drain, scan
from everlore.types import Owner, Scope
from everlore.vault import disk, folder
from everlore.vault.base import FileText
from everlore.vault.folder import FolderVault
from everlore.vault.markdown import parse_log, remove_entry

QUESTIONS = (
    "Where does Alice climb?",
    "favorite coffee shop",
    "violin",
    "What happened in May 2026?",
    "search violins",
)
PLACES = ("Yosemite", "Rome", "Oslo", "Lisbon", "Vienna", "Dublin")


def fill(engine: Engine) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "violins"}'}}
    for number, place in enumerate(PLACES):
        at = MAY_28 + number % 3 * DAY + number * 60_000
        remember(
            engine,
            SCOPE,
            f"s{number}",
            [
                says(f"I climb in {place} every spring with my sister.", at=at),
                says(f"I cook ramen in {place}, and my dog Rex eats it.", "bob", at + 1),
                says(f"My favorite coffee shop is Blue Bottle number {number}.", at=at + 2),
                says(f"Please search the catalogue for violins from {place}.", at=at + 3),
                says("Searching.", "helper", at + 4, role="assistant", tool_calls=[call]),
                says(f"{number} violins found in {place}.", "tools", at + 5, role="tool", tool_call_id="c1"),
                says(f"Done, there are {number} violins.", "helper", at + 6, role="assistant"),
            ],
        )
        flush(engine, SCOPE, f"s{number}")
    forget(engine, ALICE, listing(engine, ALICE, "episode").rows[2].key.public_id)
    while embed_pending(engine, 500):
        pass


def answers(engine: Engine) -> dict[tuple[str, str, str], Any]:
    """What every question brings up, by every method, with its scores and facts."""
    found = {}
    for owner in (ALICE, BOB, HELPER):
        for method in get_args(Method):
            for question in QUESTIONS:
                for top_k in (-1, 3):
                    hits = recall(engine, Query(owner, question, top_k, radius=0.0), METHODS[method]).hits
                    found[owner.id, method, f"{question} {top_k}"] = {
                        kind: [
                            (hit.stored.key, hit.score, hit.stored.path, dict(hit.stored.data), hit.stored.timestamp)
                            for one in some
                            for hit in (one, *one.facts)
                        ]
                        for kind, some in hits.items()
                    }
    return found


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint) -> Path:
    root = tmp_path_factory.mktemp("template") / "vault"
    engine = open_vault(root, vectors.url)
    fill(engine)
    engine.close()
    return root


@pytest.fixture
def filled(template: Path, tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    shutil.copytree(template, tmp_path / "vault")
    engine = open_vault(tmp_path / "vault", vectors.url)
    yield engine
    engine.close()


def test_a_rebuilt_index_answers_as_before(filled: Engine) -> None:
    before, rows = answers(filled), in_index(filled)
    assert sum(bool(kind) for hits in before.values() for kind in hits.values()) > 80, "there is something to compare"
    told: list[tuple[str, int, int]] = []
    assert rebuild(filled, lambda *step: told.append(step)) == len(rows)
    assert answers(filled) == before
    assert {what for what, _, _ in told} == {"opening files", "reading files", "embedding"}
    assert told[-1][1] == told[-1][2]
    assert_index_equals_files(filled)


def test_a_deleted_index_answers_as_before(filled: Engine, vectors: Endpoint, tmp_path: Path) -> None:
    before = answers(filled)
    filled.close()
    (filled.settings.memory.root / ".everlore" / "index.db").unlink()
    engine = open_vault(filled.settings.memory.root, vectors.url)
    assert scan(engine) == sum(1 for _ in engine.vault.walk())
    drain(engine)
    while embed_pending(engine, 500):
        pass
    assert answers(engine) == before
    assert_index_equals_files(engine)
    engine.close()


def test_appending_to_the_index_is_the_same_as_reading_the_file_again(filled: Engine) -> None:
    """A flush adds its rows without reading the rest of the day; a scan has nothing to correct."""
    assert scan(filled) == 0
    nasty = (
        "I wrote this:\r\n\r\n## heading\n<!-- entry:ep_1 -->\n  \\## and trailing blanks   \n\n**Bob** (10:00): no\n"
    )
    for number, text in enumerate((nasty, "  I live in Rome.\t\n", "My cat is named Ä\u2028Ö.", "I own a 🎻 violin.")):
        remember(filled, SCOPE, "nasty", [says(text, at=MAY_28 + 500_000 + number)])
        flush(filled, SCOPE, "nasty")
        assert scan(filled) == 0
        assert_index_equals_files(filled)


def test_a_large_day_is_not_read_again_by_a_flush(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        remember(engine, SCOPE, "s", [says(f"I visited museum number {number} in Rome.", at=MAY_28 + number)])
        flush(engine, SCOPE, "s")
    read: list[int] = []

    def counted(path: str, located: Located, file: FileText) -> Parsed:
        parsed = parse_file(path, located, file)
        read.extend([len(parsed.rows)] if not located.kind.has_own_file else [])
        return parsed

    monkeypatch.setattr(indexing, "parse_file", counted)
    remember(engine, SCOPE, "s", [says("I visited museum number 9 in Rome.", at=MAY_28 + 9)])
    flush(engine, SCOPE, "s")
    assert read == [], "what was written is indexed as it was made"
    assert_index_equals_files(engine)


def test_sync_finds_what_changed_and_only_that(filled: Engine) -> None:
    assert index_changes(filled) == 0
    file = filled.settings.memory.root / "default_app/default_project/users/alice/user.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nShe is kind.\n", encoding="utf-8")
    assert index_changes(filled) == 1
    assert index_changes(filled) == 0


def test_owners_of_other_scopes_are_apart_after_a_rebuild(engine: Engine) -> None:
    other = Scope("app", "other")
    for scope, word in ((SCOPE, "Rome"), (other, "Oslo")):
        remember(engine, scope, "s", [says(f"I live in {word}.")])
        flush(engine, scope, "s")
    rebuild(engine, lambda *_: None)
    for owner, word in ((ALICE, "Rome"), (Owner(other, "user", "alice"), "Oslo")):
        [row] = listing(engine, owner, "episode").rows
        assert word in row.data["episode"]


def test_a_memory_that_is_in_two_files_is_reported_by_a_rebuild_too(filled: Engine) -> None:
    root = filled.settings.memory.root
    day = min((root / "default_app/default_project/users/alice/episodes").glob("*.md"))
    shutil.copy(day, day.with_name("episode-2019-01-01.md"))
    rebuild(filled, lambda *_: None)
    told = filled.index.files.problems()
    assert told
    assert all("is there twice, also in" in problem.reason and problem.line for problem in told)
    assert {problem.path.rpartition("/")[2] for problem in told} == {day.name}, "the first in order is read"
    day.with_name("episode-2019-01-01.md").unlink()
    index_changes(filled)
    assert_index_equals_files(filled)


def test_a_file_that_cannot_be_opened_costs_a_rebuild_nothing(filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rows = answers(filled), in_index(filled)
    closed = filled.settings.memory.root / "default_app/default_project/users/alice/episodes/episode-2026-05-29.md"
    path = closed.relative_to(filled.settings.memory.root).as_posix()

    def barred(target: Path, *rest: Any) -> object:
        if target == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(target))
        return load(target, *rest)

    load = disk.load
    monkeypatch.setattr(folder, "load", barred)
    assert rebuild(filled, lambda *_: None) == len(rows)
    assert in_index(filled) == rows
    assert answers(filled) == before
    (trouble,) = troubles(filled.index)
    assert trouble.startswith(f"{path}: ")
    assert "Permission denied" in trouble
    monkeypatch.setattr(folder, "load", load)
    filled.index.queue.enqueue([path])
    drain(filled)
    assert_index_equals_files(filled)


def test_a_trouble_names_its_file_once(filled: Engine) -> None:
    path = next(iter(in_index(filled).values())).path
    filled.index.queue.enqueue([path])
    assert filled.index.queue.claim(1) == [path]
    filled.index.queue.failed(path, f"{path} cannot be read or written: Permission denied; nothing was lost")
    assert troubles(filled.index) == [f"{path}: cannot be read or written: Permission denied; nothing was lost"]


@pytest.mark.parametrize("name", ["episodes/episode-2026-05-29.md", "facts/fact-2026-05-29.md", "user.md"])
@pytest.mark.parametrize("broken", ["emptied", "no text", "a marker", "front matter"])
def test_what_cannot_be_read_any_more_costs_a_rebuild_nothing(filled: Engine, name: str, broken: str) -> None:
    before, rows = answers(filled), in_index(filled)
    file = filled.settings.memory.root / "default_app/default_project/users/alice" / name
    content = file.read_bytes()
    if broken == "emptied":
        file.write_bytes(b"")
    elif broken == "no text":
        file.write_bytes(content + b"\xff\xfe")
    elif broken == "a marker":
        file.write_bytes(content.replace(b"<!-- /entry:", b"<!-- entry:", 1))
    else:
        file.write_bytes(content.replace(b"---\n", b"---\nid: [\n", 1))
    index_changes(filled)
    told = troubles(filled.index)
    assert bool(told) == (name != "user.md" or broken != "a marker")
    assert in_index(filled) == rows
    rebuild(filled, lambda *_: None)
    assert in_index(filled) == rows
    assert answers(filled) == before
    assert troubles(filled.index) == told
    file.write_bytes(content)
    index_changes(filled)
    assert_index_equals_files(filled)


def test_an_entry_that_was_deleted_beside_a_broken_one_is_gone_after_a_rebuild(filled: Engine) -> None:
    rows = in_index(filled)
    gone, broken = [
        key for key, seen in rows.items() if key.owner == ALICE and seen.path.endswith("fact-2026-05-29.md")
    ][:2]
    file = filled.settings.memory.root / rows[gone].path
    text = remove_entry(file.read_text(encoding="utf-8"), gone.local_id)
    file.write_text(text.replace(f"<!-- /entry:{broken.local_id} -->\n", ""), encoding="utf-8")
    rebuild(filled, lambda *_: None)
    assert rows.keys() - in_index(filled).keys() == {gone}


@pytest.mark.parametrize("what", ["episode", "day", "fact"])
def test_what_is_deleted_while_a_rebuild_reads_takes_along_what_hangs_on_it(filled: Engine, what: str) -> None:
    alice = filled.settings.memory.root / "default_app/default_project/users/alice"
    episodes, facts = alice / "episodes/episode-2026-05-29.md", alice / "facts/fact-2026-05-29.md"
    text = (facts if what == "fact" else episodes).read_text(encoding="utf-8")
    gone = next(entry for entry in parse_log(text, "").entries if what != "fact" or "climbs" in str(entry))
    cell = gone.fields["parent_id"]
    assert str(cell) in facts.read_text(encoding="utf-8")
    place = next(place for place in PLACES if place in str(gone))
    assert place in (alice / "user.md").read_text(encoding="utf-8")
    begun: list[str] = []

    def delete(step: str, done: int, _: int) -> None:
        if step == "reading files" and done == 0 and not begun:
            begun.append(step)
            if what == "day":
                episodes.unlink()
            else:
                (facts if what == "fact" else episodes).write_text(remove_entry(text, gone.id), encoding="utf-8")

    rebuild(filled, delete)
    assert (str(cell) in facts.read_text(encoding="utf-8")) == (what == "fact")
    assert f"climbs in {place}" not in (alice / "user.md").read_text(encoding="utf-8")
    assert_index_equals_files(filled)


def test_of_a_damaged_index_nothing_is_kept(filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = in_index(filled)
    database = apsw.Connection(str(filled.settings.memory.root / ".everlore" / "index.db"))
    database.execute("DELETE FROM units WHERE id % 3 = 0")
    database.close()
    path = next(iter(rows.values())).path

    def barred(vault: FolderVault, asked: str) -> object:
        if asked == path:
            raise Unavailable(f"{path} cannot be read or written: Input/output error; nothing was lost")
        return read(vault, asked)

    read, raw = FolderVault.read, FolderVault.raw
    monkeypatch.setattr(FolderVault, "read", barred)
    monkeypatch.setattr(
        FolderVault, "raw", lambda vault, asked: raw(vault, asked) if asked != path else barred(vault, asked)
    )
    rebuild(filled, lambda *_: None)
    assert in_index(filled) == {key: seen for key, seen in rows.items() if seen.path != path}
    assert filled.index.upkeep.check() == []

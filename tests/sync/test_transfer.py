"""Out to a folder and in again, between a folder and PostgreSQL: nothing is lost and nothing overwritten unasked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Postgres, emptied, new_schema, opened
from embeddings import Endpoint
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import everlore
from stored import message
from vaults import ALICE, SCOPE, assert_index_equals_files, open_vault, says

from everlore.kinds.paths import log_path, sheet_path
from everlore.kinds.registry import kind
from everlore.memory import flush, remember
from everlore.postgres.server import Server
from everlore.stores.buffer import Record
from everlore.stores.postgres.buffer import PostgresBuffer
from everlore.stores.postgres.index import open_index
from everlore.sync.transfer import Side, folder_side, move
from everlore.types import Cell, Message, Owner, Scope
from everlore.vault.base import Raw, Vault
from everlore.vault.folder import FolderVault
from everlore.vault.postgres import PostgresVault

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: name != "default"
)
owners = st.builds(lambda app, name: Owner(Scope(app), "user", name), names, names)
paths = st.one_of(
    owners.map(lambda owner: sheet_path(kind("profile"), owner)),
    st.builds(lambda o, day: log_path(kind("episode"), o, day * 86_400_000), owners, st.integers(0, 20_000)),
)
raws = st.builds(Raw, st.binary(max_size=60) | st.text(max_size=40).map(lambda t: t.encode("utf-8", "replace")),
                 st.integers(1, 2**61))  # fmt: skip
vaults = st.dictionaries(paths, raws, max_size=5)
talks = st.lists(st.tuples(st.sampled_from(["s1", "s\x00é"]), st.text(max_size=10), st.integers(1, 5)), max_size=5)


def quiet(_: str, __: int, ___: int) -> None: ...


def files_of(vault: Vault) -> dict[str, Raw | None]:
    return {path: vault.raw(path) for path, _, _ in vault.walk()}


def known(side: Side) -> list[Record]:
    assert side.buffer is not None
    return sorted(side.buffer.dump(), key=repr)


@pytest.fixture(scope="module")
def tables(database: Postgres) -> Iterator[Server]:
    with opened(database.url(), new_schema()) as server:
        open_index(server)
        PostgresVault(server)
        PostgresBuffer(server)
        yield server


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=vaults, talk=talks, closed=st.integers(0, 3), finished=st.booleans())
def test_any_vault_goes_to_postgres_and_back_byte_for_byte(
    tables: Server, files: dict[str, Raw], talk: list[tuple[str, str, int]], closed: int, finished: bool
) -> None:
    database = Side(PostgresVault(emptied(tables)), PostgresBuffer(tables))
    with tempfile.TemporaryDirectory() as name, folder_side(Path(name) / "a", writing=True) as first:
        assert first.buffer is not None
        for path, raw in files.items():
            first.vault.put(path, raw)
        sent = [message(n, text, session=session, timestamp=at) for n, (session, text, at) in enumerate(talk)]
        first.buffer.append(sent)
        first.buffer.next_number(ALICE, "ep", "2026-05-28", 3, 2)
        for number, one in enumerate(sent[:closed]):
            first.buffer.close_cells([Cell(f"c{number}", one.scope, one.session_id, (one,))])
        if finished and sent:
            first.buffer.finish(Cell("c0", sent[0].scope, sent[0].session_id, ()))
        moved = move(first, database, quiet)
        assert (sorted(moved.written), moved.equal, moved.differing) == (sorted(files), 0, [])
        assert files_of(database.vault) == files
        assert known(database) == known(first)
        assert move(first, database, quiet).written == []
        with folder_side(Path(name) / "b", writing=True) as second:
            move(database, second, quiet)
            assert files_of(second.vault) == files
            assert known(second) == known(first)
            assert second.buffer is not None
            assert second.buffer.pending_cells() == first.buffer.pending_cells()
            for session in ("s1", "s\x00é"):
                assert _texts(second, session) == _texts(first, session) == _texts(database, session)
            assert second.buffer.append(sent) == 0
            assert second.buffer.next_number(ALICE, "ep", "2026-05-28", 0) == 6


def _texts(side: Side, session: str) -> list[Message]:
    assert side.buffer is not None
    return side.buffer.unprocessed(Scope(), session)


def test_what_differs_is_named_and_only_overwritten_when_asked(tables: Server, tmp_path: Path) -> None:
    database = Side(PostgresVault(emptied(tables)), PostgresBuffer(tables))
    path, other = (sheet_path(kind("profile"), Owner(Scope(), "user", name)) for name in ("alice", "bob"))
    database.vault.change(path, lambda _: "theirs")
    with folder_side(tmp_path / "a", writing=True) as folder:
        folder.vault.change(path, lambda _: "mine!!")
        folder.vault.change(other, lambda _: "new")
        assert folder.buffer is not None
        assert database.buffer is not None
        folder.buffer.append([message(1), message(2), message(3)])
        folder.buffer.close_cells([closed := Cell("c", SCOPE, "s1", (message(1),))])
        folder.buffer.finish(closed)
        database.buffer.append([message(2)])
        refused = move(folder, database, quiet)
        assert move(folder, database, quiet, dry_run=True) == refused
        assert (refused.differing, refused.messages, database.vault.read(other)) == ([path], 0, None)
        tried = move(folder, database, quiet, force=True, dry_run=True)
        assert database.vault.read(other) is None
        forced = move(folder, database, quiet, force=True)
        assert (tried, forced.messages) == (forced, 1)
        assert sorted(forced.written) == sorted([path, other])
        assert files_of(database.vault) == files_of(folder.vault)


def test_a_vault_moves_to_postgres_and_back_by_commands(database: Postgres, vectors: Endpoint, tmp_path: Path) -> None:
    url = database.database()
    home, back = tmp_path / "home", tmp_path / "back"
    env = {"EVEROS_EMBEDDING__BASE_URL": vectors.url, "EVEROS_EMBEDDING__MODEL": "test",
           "EVEROS_EMBEDDING__DIMENSION": "64"}  # fmt: skip
    on_postgres = env | {"EVEROS_STORE__URL": url}
    engine = open_vault(home, vectors.url)
    remember(engine, SCOPE, "s1", [says("My sister Maria moved to Porto.")])
    flush(engine, SCOPE, "s1")
    remember(engine, SCOPE, "s2", [says("This waits.", at=1_780_000_500_000)])
    engine.close()

    tried = everlore("import", str(home), "--dry-run", root=tmp_path, env=on_postgres)
    assert tried.stdout.startswith("would be imported: 3 files, 0 equal already, 1 messages"), tried.stderr
    done = everlore("import", str(home), root=tmp_path, env=on_postgres)
    assert done.returncode == 0, done.stderr
    assert "imported: 3 files, 0 equal already, 1 messages" in done.stdout
    assert "copying files: 3/3" in done.stderr
    moved = open_vault(tmp_path, vectors.url, store={"url": url})
    try:
        assert_index_equals_files(moved)
        assert [one.text for one in moved.buffer.unprocessed(SCOPE, "s2")] == ["This waits."]
        flush(moved, SCOPE, "s2")
    finally:
        moved.close()

    done = everlore("export", str(back), root=tmp_path, env=on_postgres)
    assert done.returncode == 0, done.stderr
    again = open_vault(back, vectors.url)
    try:
        exported = files_of(again.vault)
        assert len(exported) >= 3
        for path, raw in files_of(FolderVault(home)).items():
            assert raw is not None
            assert exported[path] is not None
        assert again.buffer.count() == 0
    finally:
        again.close()
    conflict = everlore("export", str(home), root=tmp_path, env=on_postgres)
    assert conflict.returncode == 1
    assert "differs\tdefault_app/default_project/users/alice/episodes/episode-2026-05-28.md" in conflict.stdout
    assert "--force" in conflict.stdout


def test_an_import_that_was_broken_off_goes_on_where_it_was(
    database: Postgres, vectors: Endpoint, tmp_path: Path
) -> None:
    source = open_vault(tmp_path / "old", vectors.url)
    remember(source, SCOPE, "s", [says("I bought a violin in Rome.")])
    flush(source, SCOPE, "s")
    source.close()
    env = {"EVEROS_STORE__URL": database.database()}
    engine = open_vault(tmp_path / "new", vectors.url, store={"url": env["EVEROS_STORE__URL"]})
    with folder_side(tmp_path / "old", writing=False) as old:
        move(old, Side(engine.vault, engine.buffer), quiet)  # killed here: all is copied, nothing indexed
    assert engine.index.upkeep.status().files == 0
    told = everlore("import", str(tmp_path / "old"), root=tmp_path / "new", env=env)
    assert "0 files, 3 equal already" in told.stdout, told.stderr
    assert "indexing files: 3/3" in told.stderr
    assert "indexed" in told.stdout
    assert engine.index.upkeep.status().files == 3
    engine.close()


def test_commands_refuse_what_makes_no_sense(tmp_path: Path) -> None:
    for words, said in (
        (["export", str(tmp_path)], "is the vault itself"),
        (["import", str(tmp_path / "nowhere")], "there is no folder"),
        (["store", "distribute"], "only a PostgreSQL"),
    ):
        done = everlore(*words, root=tmp_path)
        assert (done.returncode, said in done.stderr) == (1, True), done.stderr
    (tmp_path / "empty").mkdir()
    done = everlore("import", str(tmp_path / "empty"), root=tmp_path)
    assert (done.returncode, "no memories in" in done.stderr) == (1, True)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    FolderVault(home).change(sheet_path(kind("profile"), ALICE), lambda _: "x")
    done = everlore("export", str(away), "--dry-run", root=home)
    assert (done.returncode, "would be exported: 1 files" in done.stdout) == (0, True), done.stderr
    assert not away.exists()

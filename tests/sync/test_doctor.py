"""The doctor says what is so: of parts that are damaged, closed or out of reach, and of all others beside them."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint, endpoint
from llm import Said, scripted
from serving import clean_env
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says, settings_for

from everlore.config import Settings
from everlore.memory import create_entity, flush, remember
from everlore.sync.doctor import Finding, doctor
from everlore.sync.embedding import embed_pending
from everlore.sync.upkeep import index_changes, rebuild
from everlore.vault import disk, folder
from everlore.vault.folder import FolderVault

EPISODES = "default_app/default_project/users/alice/episodes/episode-2026-05-28.md"


@pytest.fixture(scope="module")
def model() -> Iterator[Endpoint]:
    with endpoint() as served:
        yield served


@pytest.fixture(scope="module")
def template(model: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / "vault"
    engine = open_vault(root, model.url)
    for number, place in enumerate(("Rome", "Oslo")):
        remember(engine, SCOPE, place, [says(f"I live in {place} and play the violin.", at=MAY_28 + number * DAY)])
        flush(engine, SCOPE, place)
    while embed_pending(engine, 500):
        pass
    index_changes(engine)
    engine.close()
    return root


@pytest.fixture
def settings(template: Path, tmp_path: Path, model: Endpoint) -> Settings:
    shutil.copytree(template, tmp_path / "vault")
    model.broken = False
    return settings_for(tmp_path / "vault", model.url)


def found(settings: Settings) -> list[Finding]:
    return doctor(settings, lambda *_: None)


def wrong(settings: Settings) -> list[Finding]:
    return [finding for finding in found(settings) if finding.level != "ok"]


def test_a_sound_vault_is_left_as_it_is(settings: Settings) -> None:
    root = settings.memory.root
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    assert [finding.what.partition(":")[0] for finding in found(settings)] == [
        "vault", "message buffer", "index", "files", "embedding model",
    ]  # fmt: skip
    assert wrong(settings) == []
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before
    assert list((root / ".everlore/tmp").iterdir()) == []


def test_memories_are_counted_as_people_count(settings: Settings, model: Endpoint) -> None:
    engine = open_vault(settings.memory.root, model.url)
    create_entity(engine, ALICE, "Falcon", "project", "")
    create_entity(engine, ALICE, "Carol", "person", "")
    engine.close()
    (told,) = [finding.what for finding in found(settings) if finding.what.startswith("index: ")]
    assert told == "index: sound (2 entities, 2 episodes, 3 facts, 1 profile)", "the violin was told twice"


def test_the_model_is_asked_and_not_the_cache(settings: Settings, model: Endpoint) -> None:
    assert wrong(settings) == []
    model.broken = True
    (told,) = wrong(settings)
    assert (told.level, told.what.startswith("embedding model: ")) == ("error", True)


@pytest.mark.parametrize(("value", "said"), [(float("nan"), "not finite numbers"), ([], "not a list of numbers")])
def test_an_answer_of_the_model_that_is_no_vector(
    settings: Settings, model: Endpoint, monkeypatch: pytest.MonkeyPatch, value: object, said: str
) -> None:
    monkeypatch.setattr(model, "vector", lambda _: [value] * 64 if value else value)
    (told,) = wrong(settings)
    assert (told.level, said in told.what) == ("error", True), told


def test_a_model_that_answers_with_shorter_vectors_than_the_index_has(
    settings: Settings, model: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "vector", lambda _: [1.0] * 32)
    (told,) = wrong(settings_for(settings.memory.root, model.url, dimension=0))
    assert (told.level, "answers with 32 numbers, and the index has 64" in told.what) == ("error", True), told


def test_a_damaged_index_is_told_and_left_alone(settings: Settings, model: Endpoint) -> None:
    index = settings.memory.root / ".everlore/index.db"
    index.write_bytes(b"x" * 100 + index.read_bytes()[100:])
    (told,) = wrong(settings)
    assert told.level == "error"
    assert "index.db is damaged" in told.what
    assert "everlore index rebuild" in told.hint
    assert index.read_bytes()[:100] == b"x" * 100
    assert "files: all read" in [finding.what for finding in found(settings)]

    engine = open_vault(settings.memory.root, model.url)  # as any command does
    empty = wrong(settings)
    assert [finding.what for finding in empty] == [
        ".everlore/index.db.damaged was damaged and set aside", "5 files differ from the index",
    ]  # fmt: skip
    assert "everlore index rebuild" in empty[0].hint
    rebuild(engine, lambda *_: None)
    engine.close()
    (settings.memory.root / ".everlore/index.db.damaged").unlink()
    assert wrong(settings) == []


def test_damage_inside_the_index_hides_no_file(settings: Settings) -> None:
    index = settings.memory.root / ".everlore/index.db"
    content = bytearray(index.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    index.write_bytes(content)
    (settings.memory.root / EPISODES).write_bytes(b"\xff\xfe")
    told = wrong(settings)
    assert {finding.level for finding in told} == {"error"}
    assert any(finding.what.startswith("index: ") and "rebuild" in finding.hint for finding in told)
    assert any(finding.what.startswith(EPISODES) for finding in told)


def test_a_damaged_buffer_hides_nothing_else(settings: Settings) -> None:
    state = settings.memory.root / ".everlore/state.db"
    state.write_bytes(b"x" * 4096)
    (settings.memory.root / EPISODES).write_bytes(b"\xff\xfe")
    buffer, file = wrong(settings)
    assert buffer.level == "error"
    assert "state.db cannot be read" in buffer.what
    assert "restore a backup" in buffer.hint
    assert file.what.startswith(EPISODES)
    assert found(settings)[-1].what.startswith("embedding model")


def test_a_file_that_differs_though_it_does_not_look_so(settings: Settings) -> None:
    file = settings.memory.root / EPISODES
    stat = file.stat()
    file.write_bytes(file.read_bytes().replace(b"Rome", b"Bern"))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (told,) = wrong(settings)
    assert (told.level, told.what.startswith(EPISODES)) == ("error", True)
    assert told.hint == "run: everlore index rebuild"


def test_a_file_that_was_emptied(settings: Settings, model: Endpoint) -> None:
    (settings.memory.root / EPISODES).write_bytes(b"")
    for _ in range(2):
        (told,) = wrong(settings)
        assert (told.level, "holds none of its 1 memories" in told.what) == ("error", True)
        engine = open_vault(settings.memory.root, model.url)
        index_changes(engine)
        engine.close()


def test_a_file_that_cannot_be_opened(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    load, closed = disk.load, settings.memory.root / EPISODES

    def barred(target: Path, *rest: Any) -> object:
        if target == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(target))
        return load(target, *rest)

    monkeypatch.setattr(folder, "load", barred)
    (told,) = wrong(settings)
    assert (told.level, told.what.startswith(EPISODES), "Permission denied" in told.what) == ("error", True, True)


def test_a_folder_that_cannot_be_read(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def barred(path: Path) -> object:
        if str(path).endswith("episodes"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", barred)
    (told,) = wrong(settings)
    assert (told.level, "users/alice/episodes cannot be read" in told.what) == ("error", True), told


def test_a_vault_that_cannot_be_written(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FolderVault, "_temporary", full)
    (told,) = wrong(settings)
    assert (told.level, "No space left on device" in told.what) == ("error", True)
    assert "make room" in told.hint


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")
def test_the_doctor_of_a_disk_on_which_nothing_can_be_written(settings: Settings) -> None:
    import resource  # Windows has no such module

    done = subprocess.run(
        [sys.executable, "-m", "everlore", "doctor"],
        env=clean_env(settings.memory.root),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert done.returncode == 1, done.stdout
    assert done.stdout.splitlines()[0].startswith("error\tvault: "), done.stdout
    assert "files: all read" in done.stdout
    assert "Traceback" not in done.stderr


def test_facts_without_their_episode(settings: Settings, model: Endpoint) -> None:
    """As after a crash, or a restored backup of one file: the index never knew the episode."""
    root = settings.memory.root
    (root / EPISODES).unlink()
    shutil.rmtree(root / ".everlore")
    engine = open_vault(root, model.url)
    index_changes(engine)
    while embed_pending(engine, 500):
        pass
    engine.close()
    (told,) = wrong(settings)
    assert told.level == "warning"
    assert told.what.startswith(f"{EPISODES.replace('episode', 'fact')}: ")
    assert "belong to an episode that is nowhere" in told.what
    assert "delete them too" in told.hint


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_what_is_in_the_way_of_a_file(settings: Settings) -> None:
    day = settings.memory.root / EPISODES
    day.rename(day.with_name("mine.txt"))
    day.symlink_to(day.with_name("mine.txt"))
    day.with_name("episode-2026-06-02.md").mkdir()
    told = wrong(settings)
    assert [(finding.level, finding.what.partition(" ")[0][-13:]) for finding in told] == [
        ("error", "2026-05-28.md"), ("error", "2026-06-02.md"),
    ]  # fmt: skip


def test_a_vault_without_anything_is_sound(tmp_path: Path, model: Endpoint) -> None:
    assert wrong(settings_for(tmp_path / "new", model.url)) == []


def test_a_file_that_is_broken_in_another_way_now_is_told_of_as_it_is(settings: Settings, model: Endpoint) -> None:
    file = settings.memory.root / EPISODES
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace("<!-- /entry", "<!-- /other"), encoding="utf-8")
    engine = open_vault(settings.memory.root, model.url)
    index_changes(engine)
    engine.close()
    (told,) = wrong(settings)
    assert (told.what.endswith("has no closing marker"), "its other entries are used" in told.hint) == (True, True)
    for broken, said in ((b"", "holds none of its 1 memories any more"), (b"\xff\xfe\xff", "not UTF-8 text")):
        file.write_bytes(broken)
        (told,) = [finding for finding in wrong(settings) if finding.level == "error"]
        assert said in told.what
        assert "what was known of it stays" in told.hint
    file.write_text(whole, encoding="utf-8")
    assert [finding.level for finding in wrong(settings)] == ["warning"], "it differs from the index"


def test_a_language_model_is_asked_where_there_is_one(settings: Settings, model: Endpoint) -> None:
    root = settings.memory.root
    with scripted() as llm:
        llm.otherwise = Said("ok")
        there = {"base_url": llm.url, "api_key": "sk-x", "model": "scripted", "timeout_seconds": 2}
        both = settings_for(root, model.url, llm=there, multimodal=there)
        assert [finding.what for finding in found(both)][-2:] == [
            "language model: scripted answers", "multimodal model: scripted answers",
        ]  # fmt: skip
        llm.otherwise = Said(status=404)
        told, _ = wrong(both)
        assert told.what.startswith("language model: ")
        assert "check EVEROS_LLM__BASE_URL and EVEROS_LLM__MODEL" in told.what
        assert "unset EVEROS_LLM__BASE_URL" in told.hint
    (told,) = wrong(settings_for(root, model.url, llm={"base_url": "http://127.0.0.1:1"}))
    assert "set EVEROS_LLM__MODEL" in told.what

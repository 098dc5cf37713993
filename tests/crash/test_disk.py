"""A disk that is full or must not be written: a clear error, nothing half-written, and afterwards all goes on."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from crash_driver import try_to_remember
from embeddings import Endpoint
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, facts, open_vault, says
from warm_start import processes

from everlore.memory import flush, recover, remember, unprocessed
from everlore.sync.upkeep import index_changes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")


@pytest.fixture(scope="module")
def template(vectors: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with a file of some size in it."""
    root = tmp_path_factory.mktemp("template") / "vault"
    engine = open_vault(root, vectors.url)
    text = "I visited the museum in Rome with my sister and bought a lamp. " + "It was nice. " * 150
    remember(engine, SCOPE, "before", [says(f"{number} {text}", at=MAY_28 + number) for number in range(30)])
    flush(engine, SCOPE, "before")
    engine.close()
    return root


@pytest.fixture
def vault(template: Path) -> Iterator[Path]:
    """A copy of it that any user may read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield shutil.copytree(template, folder / "vault")
    shutil.rmtree(folder)


def attempt(vault: Path, vectors: Endpoint, limit: int | None) -> list[str]:
    report = vault.parent / "report"
    report.unlink(missing_ok=True)
    report.touch()
    report.chmod(0o666)
    process = processes()(target=try_to_remember, args=(vault, vectors.url, report, limit))
    process.start()
    process.join(240)
    assert process.exitcode == 0, report.read_text(encoding="utf-8")
    process.close()
    return report.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("limit", [0, 33_000, 55_000, 100_000])
def test_a_full_disk_is_said_plainly_and_loses_nothing(vault: Path, vectors: Endpoint, limit: int) -> None:
    day = vault / "default_app/default_project/users/alice/episodes/episode-2026-05-28.md"
    before = day.read_bytes()
    said = attempt(vault, vectors, limit)
    assert said[0] == "opened" or said[0].startswith("Unavailable"), said
    assert not [line for line in said if line.startswith("broken")], said
    engine = open_vault(vault, vectors.url)
    recover(engine)
    index_changes(engine)
    assert_index_equals_files(engine)
    told = [text for text in contents(engine, ALICE).values() if "violin" in text]
    waiting = [message for message in unprocessed(engine, SCOPE, "after") if "violin" in message.text]
    assert len(told) + len(waiting) == int("accepted" in said)
    assert len(told) == 1 or "flushed" not in said
    if "accepted" in said:
        flush(engine, SCOPE, "after")
        assert len([text for text in contents(engine, ALICE).values() if "violin" in text]) == 1
        assert len([fact for fact in facts(engine, ALICE) if "violin" in str(fact["content"])]) == 1
    else:
        assert day.read_bytes() == before
    engine.close()


def test_the_limits_above_meet_every_stage(vault: Path, vectors: Endpoint) -> None:
    """Without a limit all goes through; with the smallest nothing does. Otherwise the test above tells nothing."""
    assert attempt(vault, vectors, None) == ["opened", "accepted", "flushed"]
    assert attempt(vault, vectors, 0)[-1].startswith("Unavailable")


def test_a_vault_that_must_not_be_written_is_said_plainly(vault: Path, vectors: Endpoint) -> None:
    files = {path: path.read_bytes() for path in vault.rglob("*.md")}
    for path in [vault, *vault.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    said = attempt(vault, vectors, None if os.getuid() else -1)
    assert said[-1].startswith("Unavailable"), said
    assert "accepted" not in said
    assert str(vault / ".everlore") in said[-1]
    for path in [vault, *vault.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == files
    assert attempt(vault, vectors, None) == ["opened", "accepted", "flushed"]

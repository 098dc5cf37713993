"""Reading all of a large vault takes memory for the names of its files, and not for what they say."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from embeddings import Endpoint
from vaults import open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.sync import upkeep
from everlore.sync.doctor import doctor
from everlore.sync.transfer import Side, folder_side, move
from everlore.sync.worker import scan
from everlore.types import Scope

FEW, MANY = 20, 60
"""Owners, each with a long talk, its facts and a profile."""
BATCH, PACK = "everlore.stores.sql.files.GROUP", "everlore.stores.sqlite.packs.SIZE"
MORE = 5_000
"""Bytes that one more owner may take: far less than the files of one."""


def told(root: Path, url: str, owners: int) -> None:
    """What one owner said, under many names."""
    with_one = open_vault(root, url)
    said = [says(f"I walked to hill {number} with my sister Ada and saw {number} herons.") for number in range(80)]
    remember(with_one, Scope(), "s", said)
    flush(with_one, Scope(), "s")
    with_one.close()
    first = next(root.rglob("users/alice"))
    files = {path.relative_to(first): path.read_text(encoding="utf-8") for path in first.rglob("*.md")}
    assert sum(map(len, files.values())) > 6 * MORE
    for number in range(1, owners):
        for path, text in files.items():
            target = first.parent / f"owner{number}" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace("alice", f"owner{number}"), encoding="utf-8")


def peak(work: Callable[[], object]) -> int:
    """The most that Python held at once beyond what it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rebuilt(engine: Engine, seen: list[tuple[str, int, int]]) -> None:
    upkeep.rebuild(engine, lambda *step: seen.append(step))


def exported(engine: Engine, seen: list[tuple[str, int, int]]) -> None:
    assert engine.vault.folder
    with folder_side(engine.vault.folder.parent / "exported", writing=True) as target:
        move(Side(engine.vault, None), target, lambda *step: seen.append(step))


def examined(engine: Engine, seen: list[tuple[str, int, int]]) -> None:
    doctor(engine.settings, lambda *step: seen.append(step))


def started(engine: Engine, seen: list[tuple[str, int, int]]) -> None:
    seen.append(("queueing", scan(engine), 0))
    seen.append(("queued", 0, 0))


@pytest.mark.parametrize("work", [rebuilt, exported, examined, started])
def test_memory_does_not_grow_with_what_the_files_say(
    work: Callable[[Engine, list[tuple[str, int, int]]], None],
    tmp_path: Path,
    vectors: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for size in (BATCH, PACK):  # small ones: where a batch ends must not count as much as what grows
        monkeypatch.setattr(size, 100)
    held = {}
    for owners in (FEW, MANY):
        root = tmp_path / f"{owners}" / "vault"
        told(root, vectors.url, owners)
        engine = open_vault(root, vectors.url)
        seen: list[tuple[str, int, int]] = []
        held[owners] = peak(lambda: work(engine, seen))  # noqa: B023
        engine.close()
        assert len({step[:2] for step in seen}) > 1, "whoever waits is told how far it is"
    assert held[MANY] - held[FEW] < MORE * (MANY - FEW)

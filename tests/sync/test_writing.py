"""Files of one telling and their rows are written in one step, and by many at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint
from vaults import ALICE, DAY, MAY_28, SCOPE, assert_index_equals_files, open_vault, says

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.kinds.paths import owner_dir
from everlore.memory import flush, listing, remember
from everlore.sync.writing import Pages, write_together


@pytest.fixture(params=["folder", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    url = request.getfixturevalue("database").database() if request.param == "postgres" else ""
    opened = open_vault(tmp_path / "vault", vectors.url, store={"url": url})
    yield opened
    opened.close()


def told(engine: Engine, text: str, session: str, at: int = MAY_28) -> None:
    remember(engine, SCOPE, session, [says(text, at=at)])
    assert flush(engine, SCOPE, session)


def files(engine: Engine) -> list[str]:
    return [path for path, _, _ in engine.vault.walk(str(owner_dir(ALICE)))]


def test_what_cannot_be_indexed_is_told_again_and_there_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> Sequence[None]:
        raise Unavailable("the index is busy")

    remember(engine, SCOPE, "s", [says("My favorite coffee shop is Blue Bottle.")])
    with monkeypatch.context() as patched:
        patched.setattr(engine.index.files, "apply", refused)
        with pytest.raises(Unavailable, match="busy"):
            flush(engine, SCOPE, "s")
    if engine.vault.folder is None:
        assert files(engine) == [], "files and rows are one step there"
    assert engine.buffer.count() == 1
    assert flush(engine, SCOPE, "s")
    assert engine.buffer.count() == 0
    assert len(files(engine)) == 3
    assert len(listing(engine, ALICE, "episode").rows) == 1
    if engine.vault.folder is not None:
        assert_index_equals_files(engine)


@pytest.mark.parametrize("engine", ["folder"], indirect=True)  # in the database, a write waits for 30 s
def test_who_was_overtaken_once_is_not_overtaken_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of our processes write to a file all the time, each comes to its end."""
    monkeypatch.setattr(engine.vault, "patience", 0.5)
    path = f"{owner_dir(ALICE)}/user.md"
    ended = threading.Event()

    def busy() -> None:
        while not ended.wait(0.01):
            engine.vault.change(path, lambda text: f"{text or ''}.")

    def slowly(pages: Pages) -> None:
        text = pages.text(path)
        time.sleep(0.3)
        pages.change(path, f"{text or ''}mine")

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(busy)
        try:
            write_together(engine, slowly)
        finally:
            ended.set()
        writing.result()
    file = engine.vault.read(path)
    assert file
    assert file.text.count("mine") == 1


def test_of_many_who_say_where_they_live_at_once_one_statement_holds(engine: Engine) -> None:
    towns = ("Galway", "Dublin", "Cork", "Sligo", "Tralee", "Ennis")
    with ThreadPoolExecutor(len(towns)) as pool:
        said = [(f"I live in {town}.", town, MAY_28 - at * 100 * DAY) for at, town in enumerate(reversed(towns))]
        list(pool.map(lambda one: told(engine, *one), said))
    rows = sorted(listing(engine, ALICE, "fact").rows, key=lambda row: row.timestamp)
    assert [row.validity.end is None for row in rows] == [False] * 5 + [True]
    [profile] = listing(engine, ALICE, "profile").rows
    assert [info["description"] for info in profile.data["explicit_info"]] == ["Alice lives in Ennis."]
    if engine.vault.folder is not None:
        assert_index_equals_files(engine)

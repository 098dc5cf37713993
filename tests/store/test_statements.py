"""How many statements a call sends to PostgreSQL: each is a journey."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from databases import Postgres
from embeddings import Endpoint
from logged import logging_database, statements
from stored import row
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says

from everlore.clock import day as day_of
from everlore.clock import entry_id, iso
from everlore.engine import Engine
from everlore.kinds.fact import FACT, Fact, to_entry
from everlore.kinds.paths import log_path
from everlore.memory import NewMessage, flush, listing, remember
from everlore.stores.base import Stamp
from everlore.sync.transfer import Side, folder_side, move
from everlore.sync.upkeep import index_changes
from everlore.types import Where
from everlore.vault.markdown import append_entries, log_front

AN_ADD, A_FLUSH = 3, 30
A_GROUP = 20
"""Statements of a rebuild, for some hundred memories in as many files."""


@pytest.fixture(scope="module")
def logging() -> Iterator[Postgres]:
    with logging_database() as server:
        yield server


@pytest.fixture
def url(logging: Postgres) -> str:
    return logging.database()


@pytest.fixture
def engine(url: str, tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    opened = open_vault(tmp_path, vectors.url, store={"url": url})
    remember(opened, SCOPE, "s0", [says("My favorite coffee shop is Blue Bottle. My brother Paul lives in Lisbon.")])
    flush(opened, SCOPE, "s0")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "text",
    [
        "My sister Maria moved to Porto. She works at a bank.",
        "My favorite coffee shop is Sightglass now. Paul does not live in Lisbon any more.",
    ],
    ids=["new facts", "facts that end others"],
)
def test_an_add_and_a_flush(engine: Engine, logging: Postgres, url: str, text: str) -> None:
    first = [says(text, at=MAY_28 + DAY), says("Noted.", "helper", MAY_28 + DAY + 1, role="assistant")]
    sent = statements(logging, url, lambda: remember(engine, SCOPE, "s1", first))
    assert len(sent) <= AN_ADD, "\n".join(sent)
    sent = statements(logging, url, lambda: flush(engine, SCOPE, "s1"))
    assert len(sent) <= A_FLUSH, "\n".join(sent)
    assert engine.index.upkeep.status().unembedded == 0, "and all of it is found by its meaning"
    ended = [row for row in listing(engine, ALICE, "fact").rows if row.validity.end is not None]
    assert bool(ended) is ("Sightglass" in text)


SAID = [
    "My sister Maria moved to Porto last week.",
    "She works at a bank and likes fado.",
    "My favorite coffee shop is Sightglass now.",
    "Paul does not live in Lisbon any more, he moved to Rome.",
    "I want to learn Italian this year.",
]


def talk(day: int) -> list[NewMessage]:
    begin = MAY_28 + day * DAY
    return [
        said
        for at, text in enumerate(SAID)
        for said in (
            says(text, at=begin + 2000 * at),
            says(f"Noted: {text}", "helper", begin + 2000 * at + 1000, role="assistant"),
        )
    ]


def run(day: int) -> list[NewMessage]:
    """A task with four calls of a tool."""
    begin = MAY_28 + day * DAY
    told = [says("Please fix the failing build of the billing service.", at=begin)]
    for at in range(4):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "shell", "arguments": '{"run": "make"}'}}
        told.append(says(f"Step {at}", "helper", begin + 2000 * at + 1000, role="assistant", tool_calls=[call]))
        told.append(says("it works", "helper", begin + 2000 * at + 2000, role="tool", tool_call_id=f"c{at}"))
    return [*told, says("The build works again.", "helper", begin + 9000, role="assistant")]


@pytest.mark.parametrize("session", [talk, run])
def test_a_session_of_ten_messages(
    engine: Engine, logging: Postgres, url: str, session: Callable[[int], list[NewMessage]]
) -> None:
    """The second one meets what the first one left."""
    for day in (1, 2, 3):
        messages = session(day)
        assert len(messages) == 10
        sent = statements(logging, url, lambda day=day, messages=messages: remember(engine, SCOPE, f"s{day}", messages))  # type: ignore[misc]
        assert len(sent) <= AN_ADD, "\n".join(sent)
        sent = statements(logging, url, lambda day=day: flush(engine, SCOPE, f"s{day}"))  # type: ignore[misc]
        assert len(sent) <= A_FLUSH, "\n".join(sent)


def test_a_rebuild_writes_files_together(engine: Engine, logging: Postgres, url: str) -> None:
    def files(count: int) -> Iterator[tuple[str, Stamp, list[object], list[object]]]:
        for number in range(count):
            yield f"f{number}.md", Stamp(1, 1), [row(f"af_{number}", f"text {number}")], []

    few = statements(logging, url, lambda: engine.index.files.rebuild(files(2)))  # type: ignore[arg-type]
    many = statements(logging, url, lambda: engine.index.files.rebuild(files(200)))  # type: ignore[arg-type]
    assert len(many) <= len(few) + A_GROUP, "\n".join(many)


def test_an_import_writes_files_together(logging: Postgres, vectors: Endpoint, tmp_path: Path) -> None:
    """Ninety files more cost a few statements more, from copying to the last word."""
    few, many = (import_of(files, logging, vectors, tmp_path / f"{files}") for files in (10, 100))
    assert len(many) <= len(few) + 3 * A_GROUP, "\n".join(many)


def import_of(files: int, logging: Postgres, vectors: Endpoint, folder: Path) -> list[str]:
    for day in range(files):
        at = MAY_28 + day * DAY
        fact = Fact(ALICE, entry_id(FACT.code, at, 1), "s", at, f"mc_{day}", ("alice",), f"Lamp {day} is green.")
        file = folder / log_path(FACT, ALICE, at)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = append_entries(None, [to_entry(fact)], log_front(FACT, ALICE, day_of(at), iso(at)))
        file.write_text(text, encoding="utf-8")
    url = logging.database()
    engine = open_vault(folder / "system", vectors.url, store={"url": url})

    def work() -> None:
        with folder_side(folder, writing=False) as source:
            move(source, Side(engine.vault, engine.buffer), lambda *_: None)
        index_changes(engine)

    try:
        sent = statements(logging, url, work)
        assert engine.index.rows.count(Where(ALICE, ("fact",))) == files
    finally:
        engine.close()
    return sent

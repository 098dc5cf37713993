"""A file that a person broke, or words that nobody thought of, cost no more than themselves: talk goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from embeddings import Endpoint
from vaults import ALICE, DAY, HELPER, MAY_28, SCOPE, facts, open_vault, says, within

from everlore.engine import Engine
from everlore.kinds.paths import locate
from everlore.memory import NewMessage, flush, listing, profile, recover, remember, reset, unprocessed
from everlore.memory import extraction as writing
from everlore.memory.extraction import retry
from everlore.models.chat import Meter
from everlore.sync.indexing import index_file
from everlore.sync.upkeep import index_changes, rebuild
from everlore.sync.worker import Worker
from everlore.types import Cell

SKILL = "---\nid: sk_20260528_00000009\n{front}\n---\nBoil the water.\n"


def tell(engine: Engine, *messages: NewMessage, session: str = "s") -> None:
    assert remember(engine, SCOPE, session, list(messages)) or flush(engine, SCOPE, session)


def job(place: str, at: int, arguments: str = '{"to": "Rome"}') -> list[NewMessage]:
    calls = [
        {"id": f"{tool}{at}", "type": "function", "function": {"name": tool, "arguments": arguments}}
        for tool in ("search_flights", "book_flight")
    ]
    return [
        says(f"Please book a flight to {place}.", at=at),
        says("", "helper", at + 1, role="assistant", tool_calls=calls),
        says(f"3 flights to {place}", "search", at + 2, role="tool", tool_call_id=f"search_flights{at}"),
        says("booked", "search", at + 3, role="tool", tool_call_id=f"book_flight{at}"),
        says(f"Booked the flight to {place}.", "helper", at + 4, role="assistant"),
        says("That is exactly what I wanted.", at=at + 5),
    ]


def folder(engine: Engine, owner: str) -> Path:
    return engine.settings.memory.root / "default_app/default_project" / owner


def assert_nothing_waits(engine: Engine) -> None:
    assert engine.buffer.pending_cells() == []
    assert engine.buffer.count() == 0


@pytest.mark.parametrize(
    "content",
    [
        SKILL.format(front="timestamp: yesterday").encode(),
        SKILL.format(front="confidence: [high]").encode(),
        SKILL.format(front=f"confidence: 1{'0' * 400}").encode(),
        SKILL.format(front="a: [").encode(),
        "---\nid: sk_20260528_00000009\n---\nGrüße".encode("latin-1"),
        b"",
    ],
)
def test_a_skill_that_cannot_be_read_stops_no_case_and_no_other_skill(engine: Engine, content: bytes) -> None:
    pages = [folder(engine, "agents/helper/skills") / name / "SKILL.md" for name in ("tea", "book-flight")]
    for page in pages:
        page.parent.mkdir(parents=True)
        page.write_bytes(content)
    for number, place in enumerate(("Rome", "Oslo", "Bern", "Graz")):
        tell(engine, *job(place, MAY_28 + number * DAY), session=f"s{number}")
    assert_nothing_waits(engine)
    assert listing(engine, HELPER, "case").total == 4
    assert listing(engine, HELPER, "skill").total == 1
    assert [page.read_bytes() for page in pages] == [content, content]
    rebuild(engine, lambda *_: None)
    assert listing(engine, HELPER, "case").total == 4
    assert listing(engine, HELPER, "skill").total == 1


def test_a_fact_that_cannot_be_read_is_not_ended_and_stops_nothing(engine: Engine) -> None:
    tell(engine, says("I live in Berlin."))
    (file,) = folder(engine, "users/alice/facts").glob("*.md")
    text = file.read_text(encoding="utf-8").replace("**timestamp**: 2026", "**timestamp**: soon")
    file.write_text(text, encoding="utf-8")
    index_changes(engine)
    tell(engine, says("I live in Paris now.", at=MAY_28 + DAY), session="t")
    assert_nothing_waits(engine)
    assert file.read_text(encoding="utf-8") == text
    assert any("Paris" in fact["content"] for fact in facts(engine, ALICE))


def test_a_profile_that_is_no_text_is_told_later(engine: Engine) -> None:
    page = folder(engine, "users/alice") / "user.md"
    page.parent.mkdir(parents=True)
    page.write_bytes("Grüße".encode("utf-16"))
    index_changes(engine)
    tell(engine, says("I live in Berlin."))
    assert_nothing_waits(engine)
    assert page.read_bytes() == "Grüße".encode("utf-16")
    page.write_text("---\n---\nHello\n", encoding="utf-8")
    index_changes(engine)
    assert "Berlin" in str((stored := profile(engine, ALICE)) and stored.data)


def test_arguments_of_a_tool_may_be_nested_as_deeply_as_anyone_likes(engine: Engine) -> None:
    for depth in (300, 900, 20_000):
        deep = '{"a":' * depth + "1" + "}" * depth
        tell(engine, *job("Rome", MAY_28, deep), session=f"s{depth}")
    assert_nothing_waits(engine)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Pacific/Kiritimati", "America/Los_Angeles"])
def test_the_last_days_of_the_calendar_have_a_date_everywhere(tmp_path: Path, vectors: Endpoint, zone: str) -> None:
    engine = open_vault(tmp_path, vectors.url, memory={"root": tmp_path, "timezone": zone})
    tell(engine, *(says("I live in Berlin since yesterday.", at=at) for at in (1, 253_402_300_799_999)))
    assert_nothing_waits(engine)
    engine.close()


def test_a_cell_that_cannot_be_written_keeps_its_messages_and_holds_up_no_other(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = writing.write_cell

    def failing(engine: Engine, cell: Cell, meter: Meter) -> bool:
        if "poison" in cell.messages[0].text:
            raise ZeroDivisionError
        return write(engine, cell, meter)

    monkeypatch.setattr(writing, "write_cell", failing)
    remember(engine, SCOPE, "s", [says("I drank poison.")])
    with pytest.raises(ZeroDivisionError):
        flush(engine, SCOPE, "s")
    remember(engine, SCOPE, "s", [says("I cook ramen.", at=MAY_28 + 2)])
    done = flush(engine, SCOPE, "s")
    assert (bool(done), done.waiting) == (True, 1)
    assert "log" in done.reason
    remember(engine, SCOPE, "other", [says("I drank poison, too."), says("I climb.", at=MAY_28 + DAY)])
    assert listing(engine, ALICE, "episode").total == 2
    assert (recover(engine), retry(engine)) == (2, 2)
    assert {message.text for message in unprocessed(engine, SCOPE, "s")} == {"I drank poison."}
    monkeypatch.setattr(writing, "write_cell", write)
    assert retry(engine) == 0
    assert_nothing_waits(engine)
    assert listing(engine, ALICE, "episode").total == 4


def test_a_server_comes_back_to_what_could_not_be_written(tmp_path: Path, vectors: Endpoint) -> None:
    engine = open_vault(tmp_path, vectors.url, llm={"retry_seconds": 0.1})
    worker = Worker(engine, recover, retry)
    worker.start()
    blocked = folder(engine, "users/alice")
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where a folder must be", encoding="utf-8")
    remember(engine, SCOPE, "s", [says("I climb in Yosemite."), says("I cook.", at=MAY_28 + DAY)])
    assert len(engine.buffer.pending_cells()) == 2
    blocked.unlink()
    within(5, lambda: not engine.buffer.pending_cells())
    assert listing(engine, ALICE, "episode").total == 2
    worker.stop()
    engine.close()


def test_everything_is_forgotten_also_what_is_no_text(engine: Engine) -> None:
    tell(engine, says("I live in Berlin."))
    for file in folder(engine, "users/alice").rglob("*.md"):
        file.write_bytes(b"\xff\xfe\x00")
    reset(engine, SCOPE)
    assert [path for path, _, _ in engine.vault.walk() if locate(path)] == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("users/alice/user.md", "---\nprofile_timestamp_ms: 99999999999999999999\n---\nShe cooks.\n"),
        ("users/alice/user.md", "---\nprofile_timestamp_ms: -99999999999999999999\n---\nShe cooks.\n"),
        ("users/alice/user.md", f"---\nexplicit_info: {'[' * 3000}{']' * 3000}\n---\nShe cooks.\n"),
        ("agents/helper/skills/tea/SKILL.md", SKILL.format(front="timestamp: 9999-12-31T23:59:59-12:00")),
        ("agents/helper/skills/tea/SKILL.md", SKILL.format(front="timestamp: 0001-01-01T00:00:00+14:00")),
        ("users/alice/facts/fact-2026-05-28.md", "**turn**: 99999999999999999999"),
        ("users/alice/facts/fact-2026-05-28.md", "**timestamp**: 9999-12-31T23:59:59-12:00"),
        ("users/alice/facts/fact-2026-05-28.md", "**valid_until**: 0001-01-01T00:00:00+14:00"),
    ],
)
def test_odd_values_in_a_file_stop_neither_the_queue_nor_a_rebuild(engine: Engine, path: str, text: str) -> None:
    tell(engine, says("I live in Berlin."))
    page = folder(engine, path)
    if not text.startswith("---"):
        before = page.read_text(encoding="utf-8")
        name = text.partition(":")[0]
        kept = "\n".join(line for line in before.splitlines() if not line.startswith(name))
        text = kept.replace("### Fact", f"{text}\n\n### Fact")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    other = folder(engine, "users/bob/user.md")
    other.parent.mkdir(parents=True)
    other.write_text("---\n---\nHe climbs.\n", encoding="utf-8")
    for again in (False, True):
        rebuild(engine, lambda *_: None) if again else index_changes(engine)
        assert engine.index.queue.failures() == []
        assert engine.index.upkeep.status().rows["profile"] >= 1
        for found in ("episode", "profile", "fact"):
            rows = listing(engine, ALICE, found).rows
            assert all(1 <= engine.clock.local(row.timestamp).year <= 9999 for row in rows)
    index_file(engine, f"default_app/default_project/{path}")

"""What was forgotten waits in the bin, comes back as it was, and is gone when the bin says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from databases import Postgres, new_schema
from embeddings import Endpoint
from vaults import ALICE, BOB, HELPER, MAY_28, SCOPE, assert_index_equals_files, facts, open_vault, says

from everlore import memory
from everlore.clock import DAY_MS, Clock
from everlore.engine import Engine
from everlore.errors import Conflict, NotFound
from everlore.memory import flush, forget, listing, profile, remember
from everlore.memory.forget import Forgotten
from everlore.memory.records import save_record
from everlore.sync.upkeep import index_changes
from everlore.types import IndexedMemory, Scope


@pytest.fixture(params=["folder", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    store: dict[str, dict[str, str]] = {}
    if request.param == "postgres":
        database: Postgres = request.getfixturevalue("database")
        store = {"store": {"url": database.url(), "schema": new_schema()}}
    opened = open_vault(tmp_path / "vault", vectors.url, **store)
    for number, text in enumerate(("I live in Graz. My dog is called Rex.", "I work as a nurse.")):
        tell(opened, f"s{number}", text, MAY_28 + number * 60_000)
    yield opened
    opened.close()


def tell(engine: Engine, session: str, text: str, at: int = MAY_28) -> None:
    remember(engine, SCOPE, session, [says(text, at=at)])
    assert flush(engine, SCOPE, session)


def files(engine: Engine) -> Mapping[str, bytes]:
    return {path: raw.content for path, raw in engine.vault.raws([one for one, _, _ in engine.vault.walk()]).items()}


def first_episode(engine: Engine) -> IndexedMemory:
    return listing(engine, ALICE, "episode", descending=False).rows[0]


def forgotten(engine: Engine) -> Forgotten:
    return forget(engine, ALICE, first_episode(engine).key.public_id)


def told(engine: Engine) -> list[str]:
    known = profile(engine, ALICE)
    return sorted(str(info["description"]) for info in known.data["explicit_info"]) if known else []


def test_what_was_forgotten_comes_back_byte_for_byte(engine: Engine) -> None:
    before, rows = files(engine), sorted(str(one) for one in facts(engine, ALICE))
    gone = forgotten(engine)
    assert gone.count == 3
    assert files(engine) != before
    assert memory.restore(engine, SCOPE, gone.bin).left == ()
    assert files(engine) == before
    assert sorted(str(one) for one in facts(engine, ALICE)) == rows
    assert_index_equals_files(engine)
    assert memory.binned(engine, SCOPE) == []


def test_the_preview_names_all_that_goes_and_takes_nothing(engine: Engine) -> None:
    before = files(engine)
    going = memory.preview(engine, ALICE, first_episode(engine).key.public_id)
    assert going.counts == {"episode": 1, "fact": 2}
    assert sorted(going.lines) == ["Alice lives in Graz.", "Alice's dog is called Rex."]
    assert files(engine) == before
    assert memory.binned(engine, SCOPE) == []
    left = [line for line in told(engine) if line not in going.lines]
    forgotten(engine)
    assert told(engine) == left


def test_the_bin_tells_what_is_in_it(engine: Engine) -> None:
    gone = forgotten(engine)
    (item,) = memory.binned(engine, SCOPE, ALICE)
    assert (item.id, item.act, item.counts) == (gone.bin, "forget", {"episode": 1, "fact": 2})
    assert "Graz" in item.title
    assert memory.binned(engine, SCOPE, BOB) == []
    assert memory.binned(engine, Scope("other")) == []


def test_what_was_told_meanwhile_stays(engine: Engine) -> None:
    gone = forgotten(engine)
    tell(engine, "s3", "I play the violin.", MAY_28 + 120_000)
    memory.restore(engine, SCOPE, gone.bin)
    said = sorted(str(one["content"]) for one in facts(engine, ALICE))
    assert said == [
        "Alice lives in Graz.",
        "Alice plays the violin.",
        "Alice works as a nurse.",
        "Alice's dog is called Rex.",
    ]
    assert told(engine) == said
    episodes = listing(engine, ALICE, "episode", descending=False).rows
    assert [row.key.local_id[-2:] for row in episodes] == ["01", "02", "03"]
    assert_index_equals_files(engine)


def test_two_that_were_forgotten_one_after_the_other_come_back_in_any_order(engine: Engine) -> None:
    before = files(engine)
    first, second = forgotten(engine), forgotten(engine)
    assert not facts(engine, ALICE)
    memory.restore(engine, SCOPE, first.bin)
    assert told(engine) == ["Alice lives in Graz.", "Alice's dog is called Rex."]
    memory.restore(engine, SCOPE, second.bin)
    assert {path: sorted(content.splitlines()) for path, content in files(engine).items() if "user.md" not in path} == {
        path: sorted(content.splitlines()) for path, content in before.items() if "user.md" not in path
    }
    assert_index_equals_files(engine)


def test_a_message_of_what_came_back_is_known_again(engine: Engine) -> None:
    gone = forgotten(engine)
    memory.restore(engine, SCOPE, gone.bin)
    remember(engine, SCOPE, "s0", [says("I live in Graz. My dog is called Rex.")])
    assert not flush(engine, SCOPE, "s0")
    assert listing(engine, ALICE, "episode").total == 2


def test_what_a_forgotten_fact_had_ended_stays_ended_and_can_be_reopened(engine: Engine) -> None:
    tell(engine, "s3", "I moved to Linz.", MAY_28 + DAY_MS)
    linz = next(row for row in listing(engine, ALICE, "fact").rows if "Linz" in str(row.data["content"]))
    going = memory.preview(engine, ALICE, linz.key.public_id)
    gone = forget(engine, ALICE, linz.key.public_id)
    assert [row.data["content"] for row in gone.ended] == ["Alice lives in Graz."]
    assert [row.key for row in going.ended] == [row.key for row in gone.ended]
    assert "Alice lives in Graz." not in told(engine)
    memory.reopen(engine, gone.ended[0])
    assert "Alice lives in Graz." in told(engine)
    assert_index_equals_files(engine)


def test_a_reset_comes_back_with_the_messages_that_waited(engine: Engine) -> None:
    memory.save_note(engine, ALICE, "The key is below the mat.")
    memory.create_entity(engine, ALICE, "Rex", "dog")
    save_record(engine, ALICE, "contact", {"name": "Ada"}, "crm", (), 1.0)
    remember(engine, SCOPE, "waiting", [says("I cook ramen."), says("And udon.", at=MAY_28 + 1)])
    before = files(engine)
    done = memory.reset(engine, SCOPE)
    kept = files(engine)
    assert set(kept) == {path for path in before if "/records/" in path}
    memory.restore(engine, SCOPE, done.bin)
    assert files(engine) == before
    assert [message.text for message in memory.unprocessed(engine, SCOPE, "waiting")] == ["I cook ramen.", "And udon."]
    assert_index_equals_files(engine)


def test_an_owner_goes_as_a_whole_and_comes_back(engine: Engine) -> None:
    remember(engine, SCOPE, "waiting", [says("I cook ramen.")])
    remember(engine, SCOPE, "both", [says("Hello Bob."), says("Hello Alice.", "bob")])
    remember(engine, SCOPE, "bobs", [says("I keep bees.", "bob")])
    assert flush(engine, SCOPE, "bobs")
    before = files(engine)
    done = memory.forget_owner(engine, ALICE)
    assert {path.split("/")[3] for path in files(engine)} == {"bob"}
    assert memory.unprocessed(engine, SCOPE, "waiting") == []
    assert len(memory.unprocessed(engine, SCOPE, "both")) == 2
    memory.restore(engine, SCOPE, done.bin)
    assert files(engine) == before
    assert len(memory.unprocessed(engine, SCOPE, "waiting")) == 1
    assert_index_equals_files(engine)


def test_what_an_import_overwrote_comes_back(engine: Engine) -> None:
    before = files(engine)
    tell(engine, "other", "I keep bees.", MAY_28 + 200_000)
    with_bees = memory.export_owner(engine, ALICE).files
    now = files(engine)
    for path, content in before.items():
        engine.vault.change(path, lambda _, content=content: content.decode())  # type: ignore[misc]
    done = memory.import_owner(engine, ALICE, with_bees, overwrite=True)
    assert files(engine) == now
    memory.restore(engine, SCOPE, done.bin)
    assert files(engine) == before
    index_changes(engine)  # what an editor takes out of a file is believed after a moment
    assert_index_equals_files(engine)


def test_what_stands_in_the_place_of_something_is_not_overwritten_unless_told_and_then_goes_to_the_bin(
    engine: Engine,
) -> None:
    key = memory.create_entity(engine, ALICE, "Rex", "dog")
    page = engine.index.rows.find([key])[key]
    gone = memory.remove(engine, page)
    engine.vault.change(page.path, lambda _: "---\ntype: entity\nname: Rex\n---\n\nA person.\n")
    with pytest.raises(Conflict, match="something else is there"):
        memory.restore(engine, SCOPE, gone.bin)
    memory.restore(engine, SCOPE, gone.bin, overwrite=True)
    assert engine.index.rows.find([key])[key].data["entity_type"] == "dog"
    (other,) = memory.binned(engine, SCOPE)
    memory.restore(engine, SCOPE, other.id)
    file = engine.vault.read(page.path)
    assert file is not None
    assert "A person." in file.text


def test_cases_and_what_skills_say_because_of_them_come_back(engine: Engine) -> None:
    for number, place in enumerate(("Vapiano", "Osteria")):
        at = MAY_28 + (number + 2) * DAY_MS
        calls = [
            {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}
            for tool in ("search", "reserve")
        ]
        said = [
            says(f"Please reserve a table at {place}.", at=at),
            says("Searching.", "helper", at + 1, role="assistant", tool_calls=calls),
            says("Found it.", "tools", at + 2, role="tool", tool_call_id="search"),
            says("reserved", "tools", at + 3, role="tool", tool_call_id="reserve"),
            says("Done, the table is reserved.", "helper", at + 4, role="assistant"),
            says("That is exactly what I wanted.", at=at + 5),
        ]
        remember(engine, SCOPE, f"work{number}", said)
        assert flush(engine, SCOPE, f"work{number}")
    before = files(engine)
    cases = listing(engine, HELPER, "case", descending=False).rows
    skills = listing(engine, HELPER, "skill").rows
    assert len(cases) == 2
    assert skills
    going = memory.preview(engine, HELPER, cases[0].key.public_id)
    assert [row.key for row in going.skills] == [row.key for row in skills]
    gone = memory.remove(engine, cases[0])
    assert files(engine) != before
    memory.restore(engine, SCOPE, gone.bin)
    assert files(engine) == before
    assert_index_equals_files(engine)


def test_the_bin_is_emptied_by_hand_and_by_itself(engine: Engine) -> None:
    first, second = forgotten(engine), forgotten(engine)
    assert memory.empty(engine, SCOPE, first.bin) == 1
    with pytest.raises(NotFound):
        memory.restore(engine, SCOPE, first.bin)
    later = replace(engine, clock=Later(29))
    assert memory.sweep(later) == 0
    assert [item.id for item in memory.binned(engine, SCOPE)] == [second.bin]
    assert memory.sweep(replace(engine, clock=Later(20_000))) == 0, "the clock may be wrong, and is asked again"
    assert memory.sweep(engine) == 0
    assert memory.sweep(replace(engine, clock=Later(31))) == 0
    assert memory.sweep(replace(engine, clock=Later(33))) == 1
    assert engine.vault.bin.names() == []


class Later(Clock):
    def __init__(self, days: int) -> None:
        super().__init__()
        self._ms = days * DAY_MS

    def now(self) -> int:
        return super().now() + self._ms


def test_another_scope_neither_sees_nor_restores_it(engine: Engine) -> None:
    gone = forgotten(engine)
    with pytest.raises(NotFound):
        memory.restore(engine, Scope("other"), gone.bin)
    assert memory.empty(engine, Scope("other")) == 0


def test_without_days_nothing_is_kept(tmp_path: Path, vectors: Endpoint) -> None:
    opened = open_vault(tmp_path / "other", vectors.url, memory={"root": tmp_path / "other", "bin_days": 0})
    tell(opened, "s", "I live in Graz.")
    assert forgotten(opened).bin == ""
    assert memory.reset(opened, SCOPE).bin == ""
    assert opened.vault.bin.names() == []
    opened.close()

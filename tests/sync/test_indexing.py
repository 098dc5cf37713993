"""A person edits, deletes, moves and restores files while the worker runs; search knows within two seconds."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from vaults import (
    ALICE,
    BOB,
    HELPER,
    MAY_28,
    SCOPE,
    assert_index_comes_to_equal_files,
    assert_index_equals_files,
    contents,
    facts,
    says,
    within,
)

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.kinds.episode import EPISODE, Episode
from everlore.memory import daily_log, flush, forget, listing, profile, remember
from everlore.search import Query, recall
from everlore.search.recipes import KEYWORD
from everlore.sync import worker
from everlore.sync.upkeep import index_changes, rebuild
from everlore.sync.writing import write_together
from everlore.types import Cell, Json, LogEntry, Message, Owner
from everlore.vault.markdown import append_entries, remove_entry

SOON = 2.0
DAY_FILE, FACT_FILE = "episodes/episode-2026-05-28.md", "facts/fact-2026-05-28.md"


@pytest.fixture
def alice(engine: Engine) -> Path:
    """Alice's folder. She and Bob talked once, and she told three things on her own."""
    remember(engine, SCOPE, "both", [says("I climb in Yosemite every spring."), says("I cook ramen.", "bob")])
    flush(engine, SCOPE, "both")
    for number, text in enumerate(("My favorite coffee shop is Blue Bottle.", "I play the violin in an orchestra.")):
        remember(engine, SCOPE, f"own{number}", [says(text, at=MAY_28 + 60_000 * (1 + number))])
        flush(engine, SCOPE, f"own{number}")
    return engine.settings.memory.root / "default_app/default_project/users/alice"


def found(engine: Engine, text: str, owner: Owner = ALICE) -> str:
    """Everything that a search by words brings up."""
    hits = recall(engine, Query(owner, text, 5), KEYWORD).hits.values()
    return "\n".join(str(dict(hit.stored.data)) for told in hits for one in told for hit in (one, *one.facts))


def _finds(engine: Engine, word: str) -> bool:
    return word in found(engine, f"{word} violin")


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def entry_with(engine: Engine, word: str, owner: Owner = ALICE) -> str:
    return next(entry for entry, text in contents(engine, owner).items() if word in text)


def test_an_edited_line_of_an_episode(engine: Engine, alice: Path, working: None) -> None:
    change(alice / DAY_FILE, "I play the violin in an orchestra", "I play the theremin in an orchestra")
    within(SOON, lambda: "theremin" in found(engine, "theremin"))
    assert "I play the violin" not in found(engine, "orchestra")
    assert_index_comes_to_equal_files(engine)


def test_an_edit_while_the_index_is_too_busy_to_note_it(
    engine: Engine, alice: Path, working: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueue, refused = engine.index.queue.enqueue, list[object]()

    def busy(paths: Iterable[str]) -> None:
        if not refused:
            refused.append(paths)
            raise Unavailable("index.db is busy")
        enqueue(paths)

    monkeypatch.setattr(engine.index.queue, "enqueue", busy)
    for word in ("theremin", "hurdygurdy"):
        with (alice / "user.md").open("a", encoding="utf-8") as file:
            file.write(f"\nShe plays the {word}.\n")
        within(SOON, partial(_listed, engine, word))
    assert refused


def _listed(engine: Engine, word: str) -> bool:
    return word in str((stored := profile(engine, ALICE)) and stored.data)


def test_an_edited_fact(engine: Engine, alice: Path, working: None) -> None:
    change(alice / FACT_FILE, "Alice plays the violin", "Alice plays the hurdygurdy")
    within(SOON, lambda: "hurdygurdy" in found(engine, "hurdygurdy"))


def test_an_edited_profile(engine: Engine, alice: Path, working: None) -> None:
    with (alice / "user.md").open("a", encoding="utf-8") as file:
        file.write("\nShe is afraid of spiders.\n")
    within(SOON, lambda: "spiders" in str((stored := profile(engine, ALICE)) and stored.data))


def test_a_skill_written_and_edited_by_hand(engine: Engine, working: None) -> None:
    folder = engine.settings.memory.root / "default_app/default_project/agents/helper/skills/tea"
    folder.mkdir(parents=True)
    front = "---\nid: sk_20260528_00000001\nname: tea\ndescription: Making tea\n---\n"
    (folder / "SKILL.md").write_text(front + "Boil the water first.\n", encoding="utf-8")
    within(SOON, lambda: "Boil" in found(engine, "water", HELPER))
    (folder / "SKILL.md").write_text(front + "Warm the samovar first.\n", encoding="utf-8")
    within(SOON, lambda: "samovar" in found(engine, "samovar", HELPER))
    assert found(engine, "boil", HELPER) == ""


def test_a_deleted_entry_takes_its_facts_with_it_and_leaves_the_others_copy(
    engine: Engine, alice: Path, working: None
) -> None:
    file = alice / DAY_FILE
    file.write_text(remove_entry(file.read_text(encoding="utf-8"), entry_with(engine, "Yosemite")), encoding="utf-8")
    within(SOON, lambda: "Yosemite" not in found(engine, "Yosemite climb"))
    assert "Yosemite" not in (alice / FACT_FILE).read_text(encoding="utf-8")
    assert "Blue Bottle" in (alice / FACT_FILE).read_text(encoding="utf-8")
    assert "Yosemite" in found(engine, "Yosemite", BOB)
    assert any("Yosemite" in str(fact["content"]) for fact in facts(engine, BOB))
    assert_index_comes_to_equal_files(engine)


def test_a_deleted_entry_leaves_the_profile_and_what_a_person_wrote_there_stays(
    engine: Engine, alice: Path, working: None
) -> None:
    change(alice / "user.md", "explicit_info:", "nickname: Al\nexplicit_info:\n- description: Owns a canoe")
    with (alice / "user.md").open("a", encoding="utf-8") as opened:
        opened.write("She is afraid of spiders.\n")
    within(SOON, lambda: "spiders" in str((stored := profile(engine, ALICE)) and stored.data))
    file = alice / DAY_FILE
    file.write_text(remove_entry(file.read_text(encoding="utf-8"), entry_with(engine, "Blue Bottle")), encoding="utf-8")
    within(SOON, lambda: "Blue Bottle" not in found(engine, "Blue Bottle"))
    text = (alice / "user.md").read_text(encoding="utf-8")
    assert "Blue Bottle" not in text
    assert all(words in text for words in ("nickname: Al", "Owns a canoe", "She is afraid of spiders.", "Yosemite"))
    assert_index_comes_to_equal_files(engine)


def test_a_forgotten_fact_leaves_the_profile_unless_it_was_said_twice(engine: Engine, alice: Path) -> None:
    for number, text in enumerate(("My favorite coffee shop is Blue Bottle.", "I love Blue Bottle."), 2):
        remember(engine, SCOPE, f"again{number}", [says(text, at=MAY_28 + number * 60_000)])
        flush(engine, SCOPE, f"again{number}")
    said = [row for row in listing(engine, ALICE, "fact").rows if "Blue Bottle" in row.data["content"]]
    assert len(said) == 2, "what is said in the same words is one fact"
    for left in (True, False):
        fact = next(row for row in listing(engine, ALICE, "fact").rows if "Blue Bottle" in row.data["content"])
        forget(engine, ALICE, fact.key.public_id)
        assert ("Blue Bottle" in (alice / "user.md").read_text(encoding="utf-8")) is left
    assert_index_equals_files(engine)


def test_forgetting_does_the_same_at_once(engine: Engine, alice: Path) -> None:
    assert forget(engine, ALICE, f"alice_{entry_with(engine, 'Yosemite')}").count >= 2
    assert "Yosemite" not in found(engine, "Yosemite climb")
    assert not any("Yosemite" in str(fact["content"]) for fact in facts(engine, ALICE))
    assert any("Yosemite" in str(fact["content"]) for fact in facts(engine, BOB))
    assert_index_equals_files(engine)


def test_what_one_owner_forgot_is_not_doubled_for_the_other_by_a_repeated_request(engine: Engine, alice: Path) -> None:
    forget(engine, ALICE, f"alice_{entry_with(engine, 'Yosemite')}")
    remember(engine, SCOPE, "both", [says("I climb in Yosemite every spring."), says("I cook ramen.", "bob")])
    flush(engine, SCOPE, "both")
    assert len(contents(engine, BOB)) == 1


def test_what_every_owner_forgot_may_be_told_again(engine: Engine, alice: Path) -> None:
    forget(engine, ALICE, f"alice_{entry_with(engine, 'Blue Bottle')}")
    told = [says("My favorite coffee shop is Blue Bottle.", at=MAY_28 + 60_000)]
    remember(engine, SCOPE, "own0", told)
    assert flush(engine, SCOPE, "own0")
    assert "Blue Bottle" in found(engine, "favorite coffee")


def test_a_deleted_file_and_a_deleted_folder(engine: Engine, alice: Path, working: None) -> None:
    (alice / DAY_FILE).unlink()
    within(SOON, lambda: not listing(engine, ALICE, "episode").rows and not listing(engine, ALICE, "fact").rows)
    assert facts(engine, ALICE) == []
    assert listing(engine, BOB, "episode").total == 1
    shutil.rmtree(alice.parent / "bob")
    within(SOON, lambda: not listing(engine, BOB, "episode").rows and not listing(engine, BOB, "fact").rows)
    assert_index_comes_to_equal_files(engine)


def test_what_is_told_after_a_deletion_is_found_at_once_and_can_be_deleted_too(engine: Engine, alice: Path) -> None:
    """No worker has seen the deletion yet; the file is made anew by the next flush."""
    (alice / DAY_FILE).unlink()
    remember(engine, SCOPE, "later", [says("I adopted a tortoise named Speedy.", at=MAY_28 + 600_000)])
    flush(engine, SCOPE, "later")
    assert "tortoise" in found(engine, "tortoise")
    (alice / DAY_FILE).unlink()
    index_changes(engine)
    assert facts(engine, ALICE) == []
    assert found(engine, "tortoise orchestra") == ""
    assert_index_equals_files(engine)


def test_an_editor_that_saves_by_renaming(engine: Engine, alice: Path, working: None) -> None:
    """As vim does: a swap file, a test file, the old file moved away, the new one written, the old one deleted."""
    file = alice / DAY_FILE
    swap, probe, backup = file.parent / ".episode-2026-05-28.md.swp", file.parent / "4913", Path(f"{file}~")
    text = file.read_text(encoding="utf-8")
    swap.write_bytes(b"b0VIM 9.0\x00\xff")
    probe.touch()
    probe.unlink()
    file.rename(backup)
    time.sleep(0.1)
    file.write_text(text.replace("Yosemite", "Dolomites"), encoding="utf-8")
    backup.unlink()
    swap.unlink()
    within(SOON, lambda: "Dolomites" in found(engine, "Dolomites"))
    time.sleep(0.6)
    assert any("Yosemite" in str(fact["content"]) for fact in facts(engine, ALICE)), "the facts were not touched"
    assert_index_comes_to_equal_files(engine)


def test_an_editor_that_empties_the_file_for_a_moment_costs_no_facts(
    engine: Engine, alice: Path, working: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SETTLE_SECONDS", 3.0)  # a moment may last longer on a busy machine
    file = alice / DAY_FILE
    before, text = facts(engine, ALICE), file.read_text(encoding="utf-8")
    for pause in (0.05, 0.3, 0.45):
        file.write_text("", encoding="utf-8")
        time.sleep(pause)
        file.write_text(text.replace("orchestra", f"orchestra{pause}"), encoding="utf-8")
        within(SOON, partial(_finds, engine, f"orchestra{pause}"))
    assert facts(engine, ALICE) == before


def test_flushing_while_the_file_is_empty_for_a_moment_costs_no_facts(engine: Engine, alice: Path) -> None:
    file = alice / DAY_FILE
    before, text = facts(engine, ALICE), file.read_text(encoding="utf-8")
    file.write_text("", encoding="utf-8")
    remember(engine, SCOPE, "later", [says("I adopted a tortoise named Speedy.", at=MAY_28 + 600_000)])
    flush(engine, SCOPE, "later")
    assert all(fact in facts(engine, ALICE) for fact in before)
    file.write_text(text + file.read_text(encoding="utf-8").partition("---\n\n")[2], encoding="utf-8")
    index_changes(engine)
    assert "tortoise" in found(engine, "tortoise")
    assert "orchestra" in found(engine, "orchestra")
    assert_index_equals_files(engine)


def test_a_moved_file_keeps_its_facts(engine: Engine, alice: Path, working: None) -> None:
    before = facts(engine, ALICE)
    (alice / DAY_FILE).rename(alice / "episodes/episode-2026-05-27.md")
    within(SOON, lambda: all("05-27" in row.path for row in listing(engine, ALICE, "episode").rows))
    within(SOON, lambda: not engine.index.upkeep.status().queued)
    assert facts(engine, ALICE) == before
    assert "orchestra" in found(engine, "orchestra")
    assert_index_comes_to_equal_files(engine)


def test_a_file_that_is_deleted_and_written_elsewhere_a_moment_later_keeps_its_facts(
    engine: Engine, alice: Path, working: None
) -> None:
    """As programs do that know no renaming, such as a sync service."""
    before, text = facts(engine, ALICE), (alice / DAY_FILE).read_text(encoding="utf-8")
    (alice / DAY_FILE).unlink()
    time.sleep(0.2)
    (alice / "episodes/episode-2026-05-27.md").write_text(text, encoding="utf-8")
    within(SOON, lambda: {"05-27" in row.path for row in listing(engine, ALICE, "episode").rows} == {True})
    within(SOON, lambda: not engine.index.upkeep.status().queued)
    assert facts(engine, ALICE) == before
    assert_index_comes_to_equal_files(engine)


def test_a_file_dropped_in_and_a_folder_moved_in(engine: Engine, alice: Path, working: None, tmp_path: Path) -> None:
    carol = alice.parent / "carol"
    outside = tmp_path / "carol"
    shutil.copytree(alice, outside)
    (carol / "episodes").mkdir(parents=True)
    shutil.copy(alice / DAY_FILE, carol / DAY_FILE)
    within(SOON, lambda: "Blue Bottle" in found(engine, "coffee", Owner(SCOPE, "user", "carol")))
    outside.rename(alice.parent / "dora")
    within(SOON, lambda: "Blue Bottle" in found(engine, "coffee", Owner(SCOPE, "user", "dora")))
    within(SOON, lambda: listing(engine, Owner(SCOPE, "user", "dora"), "fact").total > 0)
    assert_index_comes_to_equal_files(engine)


def test_a_file_restored_from_a_backup_with_its_old_time(
    engine: Engine, alice: Path, working: None, tmp_path: Path
) -> None:
    file, backup = alice / DAY_FILE, tmp_path / "backup.md"
    os.utime(file, (1_000_000_000, 1_000_000_000))
    shutil.copy2(file, backup)
    within(SOON, lambda: not engine.index.upkeep.status().queued)
    change(file, "Blue Bottle", "Sightglass")
    within(SOON, lambda: "Sightglass" in found(engine, "Sightglass coffee"))
    shutil.copy2(backup, file)
    within(SOON, lambda: "Sightglass" not in found(engine, "coffee"))
    assert "my favorite coffee shop is Blue Bottle" in found(engine, "coffee").replace("My", "my")
    assert_index_comes_to_equal_files(engine)


def test_temporary_files_are_ignored(engine: Engine, alice: Path, working: None) -> None:
    before = engine.index.files.known()
    folder = (alice / DAY_FILE).parent
    for name in (
        ".x.swp",
        "episode-2026-05-28.md~",
        "#episode-2026-05-28.md#",
        "4913",
        "x.tmp",
        ".#episode-2026-05-28.md",
    ):
        (folder / name).write_text((alice / DAY_FILE).read_text(encoding="utf-8"), encoding="utf-8")
    (alice / "notes.txt").write_text("Blue whale", encoding="utf-8")
    change(alice / DAY_FILE, "orchestra", "quartet")
    within(SOON, lambda: "quartet" in found(engine, "quartet"))
    assert engine.index.files.known().keys() == before.keys()
    assert engine.index.files.problems() == []


def test_a_file_that_does_not_parse_is_reported_and_its_good_entries_stay(
    engine: Engine, alice: Path, working: None
) -> None:
    entry = entry_with(engine, "Yosemite")
    change(alice / DAY_FILE, f"<!-- /entry:{entry} -->\n", "")
    change(alice / DAY_FILE, "orchestra", "quartet")
    within(SOON, lambda: engine.index.upkeep.status().problems == 1)
    [problem] = engine.index.files.problems()
    assert problem.path.endswith(DAY_FILE)
    assert entry in problem.reason
    assert problem.line > 1
    assert "quartet" in found(engine, "quartet"), "the good entries are read"
    assert "Yosemite" in found(engine, "Yosemite"), "the broken one stays as it was"
    assert any("Yosemite" in str(fact["content"]) for fact in facts(engine, ALICE))
    change(alice / DAY_FILE, "I climb in Yosemite every spring.", f"I climb in Yosemite.\n<!-- /entry:{entry} -->\n")
    within(SOON, lambda: engine.index.upkeep.status().problems == 0)
    assert "Yosemite" in found(engine, "Yosemite")


def test_a_file_that_is_not_text_is_reported_and_its_entries_stay(engine: Engine, alice: Path, working: None) -> None:
    file = alice / DAY_FILE
    good = file.read_bytes()
    file.write_bytes(good.replace(b"orchestra", b"orch\xe9stra"))
    within(SOON, lambda: "UTF-8" in str(engine.index.files.problems()))  # for a moment the file was empty
    assert engine.index.upkeep.status().problems == 1
    assert "Yosemite" in found(engine, "Yosemite")
    file.write_bytes(good)
    within(SOON, lambda: engine.index.upkeep.status().problems == 0)
    assert_index_comes_to_equal_files(engine)


@pytest.mark.parametrize(
    "how", [index_changes, lambda engine: rebuild(engine, lambda *_: None)], ids=["sync", "rebuild"]
)
def test_a_deletion_while_nothing_ran_takes_the_facts_too(
    engine: Engine, alice: Path, how: Callable[[Engine], int]
) -> None:
    file = alice / DAY_FILE
    file.write_text(remove_entry(file.read_text(encoding="utf-8"), entry_with(engine, "Yosemite")), encoding="utf-8")
    how(engine)
    assert not any("Yosemite" in str(fact["content"]) for fact in facts(engine, ALICE))
    assert len(facts(engine, ALICE)) >= 2
    assert_index_equals_files(engine)


def test_what_a_person_writes_while_the_engine_appends_is_kept(
    engine: Engine, alice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person saves between the engine's reading and its replacing: the engine begins again."""
    file = alice / DAY_FILE
    message = Message("m1", SCOPE, "s", "alice", None, "user", MAY_28 + 1, "x", "x")
    saves = iter(range(3))

    def saved_meanwhile(text: str | None, entries: Sequence[LogEntry], front_updates: Mapping[str, Json]) -> str:
        if (number := next(saves, None)) is not None:
            change(file, "orchestra", f"orchestra and number {number}")
        return append_entries(text, entries, front_updates)

    monkeypatch.setattr(daily_log, "append_entries", saved_meanwhile)
    told = Episode(ALICE, "", "s", MAY_28, "mc_1", ("alice",), "Music", "An instrument.", "I own a xylophone.")
    wanted = daily_log.of_cell(EPISODE, ALICE, Cell("mc_1", SCOPE, "s", (message,)), [told])
    [(_, fresh)] = write_together(engine, lambda pages: daily_log.append(engine, pages, [wanted]))
    assert fresh
    text = file.read_text(encoding="utf-8")
    assert text.count("xylophone") == 1
    assert all(f"number {number}" in text for number in range(3))
    assert "xylophone" in found(engine, "xylophone")
    assert "number" in found(engine, "orchestra")
    assert_index_equals_files(engine)

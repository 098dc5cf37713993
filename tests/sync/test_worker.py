"""Files that are emptied, overwritten slowly, cut and pasted: nothing is lost that nobody meant to delete."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest
from vaults import (
    ALICE,
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
from everlore.memory import flush, forget, listing, profile, remember, save_note
from everlore.memory.bin import empty
from everlore.sync.indexing import index_file
from everlore.sync.upkeep import index_changes
from everlore.vault import folder
from everlore.vault.disk import being_written
from everlore.vault.markdown import parse_log, remove_entry

EPISODES = "episodes/episode-2026-05-28.md"
FACTS = "facts/fact-2026-05-28.md"
SAID = ("I climb in Yosemite every spring.", "I live in Graz.", "I work as a nurse.", "I have a parrot named Kasimir.")


def tell(engine: Engine, number: int, text: str) -> None:
    remember(engine, SCOPE, f"s{number}", [says(text, at=MAY_28 + number * 60_000)])
    assert flush(engine, SCOPE, f"s{number}")


@pytest.fixture
def alice(engine: Engine) -> Path:
    for number, text in enumerate(SAID):
        tell(engine, number, text)
    return engine.settings.memory.root / "default_app/default_project/users/alice"


def known(engine: Engine) -> tuple[int, list[str], str]:
    """Episodes, valid facts and what the profile lists."""
    stored = profile(engine, ALICE)
    infos = stored.data["explicit_info"] if stored else []
    return (
        listing(engine, ALICE, "episode").total,
        sorted(str(fact["content"]) for fact in facts(engine, ALICE)),
        "\n".join(sorted(str(info["description"]) for info in infos)),
    )


def settled(engine: Engine) -> None:
    time.sleep(0.4)  # the watcher gathers changes
    within(5, lambda: not engine.index.upkeep.status().queued)


EMPTY, ZEROS, PROSE = b"", b"\0" * 900, b"A diary of another program.\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *((EPISODES, content) for content in (EMPTY, ZEROS, PROSE, b"\n\n", None)),
        *((FACTS, content) for content in (EMPTY, None)),
        *(("user.md", content) for content in (EMPTY, ZEROS)),
    ],
)
def test_a_file_that_holds_nothing_any_more_is_reported_and_its_memories_stay(
    engine: Engine, alice: Path, working: None, name: str, content: bytes | None
) -> None:
    before, file = known(engine), alice / name
    text = file.read_bytes()
    file.write_bytes(text.replace(b"\n", b"\r") if content is None else content)
    settled(engine)
    within(5, lambda: any(problem.path.endswith(name) for problem in engine.index.files.problems()))
    time.sleep(1.2)  # longer than a deletion takes to be believed
    assert known(engine)[:1] == before[:1]
    file.write_bytes(text)
    settled(engine)
    within(5, lambda: engine.index.files.problems() == [])
    assert known(engine) == before
    assert_index_comes_to_equal_files(engine)


def test_a_day_goes_on_beside_a_file_that_was_emptied(engine: Engine, alice: Path, working: None) -> None:
    episodes, said, listed = known(engine)
    texts = {name: (alice / name).read_text(encoding="utf-8") for name in (EPISODES, FACTS, "user.md")}
    for name in texts:
        (alice / name).write_text("", encoding="utf-8")
    tell(engine, 9, "I adopted a tortoise named Speedy.")
    for name, text in texts.items():
        assert (alice / name).read_text(encoding="utf-8") == ""
        (alice / name).write_text(text, encoding="utf-8")
    settled(engine)
    within(5, lambda: engine.index.files.problems() == [])
    now = known(engine)
    assert now[0] == episodes + 1
    assert set(now[1]) > set(said)
    assert set(now[2].split("\n")) > set(listed.split("\n")), "what was told meanwhile reaches the profile, too"
    assert_index_comes_to_equal_files(engine)


def test_notes_go_on_beside_a_file_that_was_emptied(engine: Engine) -> None:
    notes = [save_note(engine, ALICE, text) for text in ("The key is below the mat.", "The ladder is in the cellar.")]
    file = engine.settings.memory.root / next(iter(engine.index.rows.find(notes).values())).path
    text = file.read_text(encoding="utf-8")
    file.write_text("", encoding="utf-8")
    notes += [save_note(engine, ALICE, text) for text in ("The rake is in the shed.", "The saw is, too.")]
    assert file.read_text(encoding="utf-8") == ""
    assert set(engine.index.rows.find(notes)) == set(notes), "those of the file stay until it is restored"
    file.write_text(text, encoding="utf-8")
    index_changes(engine)
    assert set(engine.index.rows.find(notes)) == set(notes)
    assert_index_comes_to_equal_files(engine)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes")
@pytest.mark.parametrize("name", [EPISODES, FACTS, "user.md"])
@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_program_that_saves_slowly_is_waited_for(
    engine: Engine, alice: Path, working: None, name: str, share: float
) -> None:
    before, file = known(engine), alice / name
    text = file.read_text(encoding="utf-8").replace("Graz", "Linz")

    def save() -> None:
        with file.open("w", encoding="utf-8") as out:
            out.write(text[: int(len(text) * share)])
            out.flush()
            begun.set()
            time.sleep(1.5)
            out.write(text[int(len(text) * share) :])

    begun = threading.Event()
    saving = threading.Thread(target=save)
    saving.start()
    begun.wait()
    assert being_written(file)
    tell(engine, 9, "I adopted a tortoise named Speedy.")
    saving.join()
    settled(engine)
    within(5, lambda: engine.index.files.problems() == [])
    now = known(engine)
    assert now[0] == before[0] + 1
    assert len(now[1]) == len(before[1]) + 1
    assert "Linz" in file.read_text(encoding="utf-8")
    assert set(before[2].replace("Graz", "Linz").split("\n")) <= set(now[2].replace("Graz", "Linz").split("\n"))


def test_a_file_that_somebody_keeps_open_for_writing_is_left_alone(
    engine: Engine, alice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder.FolderVault, "patience", 0.2)
    path = "default_app/default_project/users/alice/user.md"
    with (
        (alice / "user.md").open("a", encoding="utf-8"),
        pytest.raises(Unavailable, match="written by another program"),
    ):
        engine.vault.change(path, lambda text: f"{text}!")
    assert engine.vault.change(path, lambda text: f"{text}!").after is not None


def entry_with(engine: Engine, word: str) -> str:
    return next(entry for entry, text in contents(engine, ALICE).items() if word in text)


def test_an_episode_that_is_moved_at_once_keeps_its_facts_and_its_lines(
    engine: Engine, alice: Path, working: None
) -> None:
    """Facts go for good with an episode that is missing for longer than a file takes to be saved; when it is put back
    later, it is back without them."""
    before, file = known(engine), alice / EPISODES
    text = file.read_text(encoding="utf-8")
    begin = text.index("<!-- entry:", text.index("Yosemite"))
    end = text.index("\n", text.index("<!-- /entry:", begin)) + 1
    (alice / "episodes/episode-2026-05-27.md").write_text(text[begin:end], encoding="utf-8")
    file.write_text(text[:begin] + text[end:], encoding="utf-8")
    settled(engine)
    within(5, lambda: engine.index.files.problems() == [])
    assert known(engine) == before
    assert_index_comes_to_equal_files(engine)


def test_an_episode_that_is_put_back_is_found_again(engine: Engine, alice: Path, working: None) -> None:
    before, file = known(engine), alice / EPISODES
    text = file.read_text(encoding="utf-8")
    file.write_text(remove_entry(text, entry_with(engine, "Graz")), encoding="utf-8")
    within(5, lambda: listing(engine, ALICE, "episode").total == 3)
    settled(engine)
    assert "Graz" not in str(known(engine)), "what it said is gone with it"
    file.write_text(text, encoding="utf-8")
    within(5, lambda: listing(engine, ALICE, "episode").total == before[0])
    assert "Graz" in str(contents(engine, ALICE))
    assert_index_comes_to_equal_files(engine)


def test_a_fact_that_is_cut_and_put_back_is_in_the_profile_again(engine: Engine, alice: Path, working: None) -> None:
    before, file = known(engine), alice / FACTS
    text = file.read_text(encoding="utf-8")
    start = text.rindex("<!-- entry:", 0, text.index("lives in Graz"))
    end = text.index("\n", text.index("<!-- /entry:", start)) + 1
    file.write_text(text[:start] + text[end:], encoding="utf-8")
    within(5, lambda: "Graz" not in known(engine)[2])
    file.write_text(text, encoding="utf-8")
    within(5, lambda: known(engine) == before)


@pytest.mark.parametrize("broken", ["front matter", "emptied", "no text"])
@pytest.mark.parametrize("deleted", [EPISODES, FACTS, "corrected"])
def test_what_is_deleted_while_the_profile_is_broken_leaves_it_when_it_is_repaired(
    engine: Engine, alice: Path, broken: str, deleted: str
) -> None:
    file = alice / "user.md"
    content = file.read_bytes()
    file.write_bytes({"emptied": b"", "no text": content + b"\xff"}.get(broken, b"---\nid: [\n" + content[4:]))
    day = alice / (FACTS if deleted == "corrected" else deleted)
    text = day.read_text(encoding="utf-8")
    if deleted == "corrected":
        day.write_text(text.replace("lives in Graz", "lives in Linz"), encoding="utf-8")
    else:
        entry = next(entry.id for entry in parse_log(text, "").entries if "Graz" in str(entry))
        day.write_text(remove_entry(text, entry), encoding="utf-8")
    index_changes(engine)
    file.write_bytes(content)
    index_changes(engine)
    listed = known(engine)[2]
    assert "Graz" not in listed + file.read_text(encoding="utf-8")
    assert listed.count("\n") == 2 + (deleted == "corrected")
    assert ("Linz" in listed) == (deleted == "corrected")
    assert_index_comes_to_equal_files(engine)


def test_facts_that_moved_while_their_episode_was_deleted_go_with_it(engine: Engine, alice: Path) -> None:
    file = alice / EPISODES
    file.write_text(remove_entry(file.read_text(encoding="utf-8"), entry_with(engine, "Graz")), encoding="utf-8")
    (alice / FACTS).rename(alice / "facts/fact-2026-05-29.md")
    index_changes(engine)
    episodes, said, listed = known(engine)
    assert episodes == len(said) == len(SAID) - 1
    assert "Graz" not in f"{said} {listed}"
    assert_index_comes_to_equal_files(engine)


def test_a_broken_fact_of_an_episode_that_is_deleted_is_named_with_its_file(engine: Engine, alice: Path) -> None:
    text = (alice / FACTS).read_text(encoding="utf-8")
    (alice / FACTS).write_text(text.replace("<!-- /entry:af_20260528_00000002 -->\n", ""), encoding="utf-8")
    file = alice / EPISODES
    file.write_text(remove_entry(file.read_text(encoding="utf-8"), entry_with(engine, "Graz")), encoding="utf-8")
    index_changes(engine)
    [(path, reason)] = engine.index.queue.failures()
    assert path.endswith(EPISODES)
    assert f"{FACTS}, line" in reason


def test_what_is_deleted_is_kept_nowhere(engine: Engine, alice: Path, working: None) -> None:
    forget(engine, ALICE, f"alice_{entry_with(engine, 'Graz')}")
    file = alice / EPISODES
    file.write_text(remove_entry(file.read_text(encoding="utf-8"), entry_with(engine, "nurse")), encoding="utf-8")
    within(5, lambda: "nurse" not in (alice / "user.md").read_text(encoding="utf-8"))
    settled(engine)
    assert empty(engine, ALICE.scope) == 1, "of what was forgotten, and not of what a person took out of a file"
    root = engine.settings.memory.root
    told = [path for path in root.rglob("*") if path.suffix in (".md", ".json")]
    assert not [path for path in told for word in (b"Graz", b"nurse") if word in path.read_bytes()]


def test_the_number_of_an_entry_that_a_person_typed_and_deleted_is_not_given_again(
    engine: Engine, alice: Path, working: None
) -> None:
    file = alice / EPISODES
    text = file.read_text(encoding="utf-8")
    typed = "\n## ep_20260528_00000050\n\n### Content\nI typed this.\n"
    file.write_text(text + typed, encoding="utf-8")
    within(5, lambda: listing(engine, ALICE, "episode").total == 5)
    file.write_text(text, encoding="utf-8")
    within(5, lambda: listing(engine, ALICE, "episode").total == 4)
    settled(engine)
    tell(engine, 9, "I adopted a tortoise named Speedy.")
    assert entry_with(engine, "tortoise") == "ep_20260528_00000051"


def test_who_deletes_while_another_does_sees_their_own_gone(alice: Path, engine: Engine) -> None:
    """Each finds the other's memory missing from the file too, and cannot know why; their own they know to be gone."""
    mine, other, *_ = listing(engine, ALICE, "episode", descending=False).rows
    engine.vault.change(mine.path, lambda text: remove_entry(text or "", other.key.local_id))
    assert forget(engine, ALICE, mine.key.public_id).count == 2
    episodes, said, listed = known(engine)
    assert mine.key not in engine.index.rows.find([mine.key])
    assert (episodes, len(said)) == (3, 3)
    assert not any("Yosemite" in text for text in [*said, listed])
    assert "Graz" in listed  # nobody has said yet that it was deleted
    index_file(engine, mine.path, gone=[other.parent_id], deleted=[other.key.local_id])
    assert_index_equals_files(engine)
    assert known(engine)[0] == len(SAID) - 2


def test_an_index_that_is_filled_anew_leaves_the_profile_as_it_is(engine: Engine, alice: Path) -> None:
    for number, sport in enumerate(("climbing", "rowing", "fencing"), 1):  # on further days, so in several files
        remember(engine, SCOPE, sport, [says(f"I love {sport}.", at=MAY_28 + number * 86_400_000)])
        assert flush(engine, SCOPE, sport)
    assert len(list((alice / "facts").glob("*.md"))) == 4
    written = (alice / "user.md").read_bytes()
    paths = list(engine.index.files.known())
    for order in (paths, paths[::-1]):
        for path in paths:
            engine.index.files.remove(path)
        engine.index.queue.enqueue(order)
        index_changes(engine)
        assert (alice / "user.md").read_bytes() == written
        assert_index_equals_files(engine)

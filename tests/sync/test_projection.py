"""A profile follows the facts in the files, and keeps what its owner did to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, facts, says

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.memory import edit_memory, flush, forget, invalidate, listing, profile, remember
from everlore.sync.upkeep import index_changes, rebuild
from everlore.types import IndexedMemory
from everlore.vault.base import LOCK_SECONDS, Change

FACTS = "facts/fact-2026-05-28.md"


@pytest.fixture
def alice(engine: Engine) -> Path:
    for number, text in enumerate(("I live in Graz.", "I work as a nurse.")):
        remember(engine, SCOPE, f"s{number}", [says(text, at=MAY_28 + number * 60_000)])
        assert flush(engine, SCOPE, f"s{number}")
    return engine.settings.memory.root / "default_app/default_project/users/alice"


def known(engine: Engine) -> tuple[int, list[str], list[str]]:
    """Episodes, facts and what the profile lists."""
    stored = profile(engine, ALICE)
    listed = sorted(str(info["description"]) for info in stored.data["explicit_info"]) if stored else []
    return len(contents(engine, ALICE)), sorted(str(fact["content"]) for fact in facts(engine, ALICE)), listed


def test_what_could_not_be_put_back_at_once_is_when_the_file_is_looked_at_again(
    engine: Engine, alice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, text = known(engine), (alice / FACTS).read_text(encoding="utf-8")
    start = text.rindex("<!-- entry:", 0, text.index("in Graz"))
    end = text.index("\n", text.index("<!-- /entry:", start)) + 1
    (alice / FACTS).write_text(text[:start] + text[end:], encoding="utf-8")
    index_changes(engine)
    assert "Graz" not in str(known(engine)[2])
    change, refused = engine.vault.change, list[str]()

    def busy(path: str, edit: Callable[[str | None], str | None], timeout: float = LOCK_SECONDS) -> Change:
        if path.endswith("user.md") and not refused:
            refused.append(path)
            raise Unavailable("user.md is being written by another program all the time")
        return change(path, edit, timeout)

    monkeypatch.setattr(engine.vault, "change", busy)
    (alice / FACTS).write_text(text, encoding="utf-8")
    index_changes(engine)
    assert refused
    (alice / FACTS).touch()
    index_changes(engine)
    assert known(engine) == before


def profile_text(alice: Path) -> str:
    return (alice / "user.md").read_text(encoding="utf-8")


def fact_with(engine: Engine, word: str) -> IndexedMemory:
    return next(row for row in listing(engine, ALICE, "fact").rows if word in str(row.data["content"]))


def test_a_fact_that_is_changed_ended_or_forgotten_through_an_interface_changes_the_profile(
    engine: Engine, alice: Path
) -> None:
    edit_memory(engine, fact_with(engine, "Graz"), content="Alice lives in Linz.")
    assert known(engine)[2] == ["Alice lives in Linz.", "Alice works as a nurse."]
    invalidate(engine, fact_with(engine, "nurse"), "she retired")
    assert known(engine)[2] == ["Alice lives in Linz."]
    forget(engine, ALICE, fact_with(engine, "Linz").key.public_id)
    assert known(engine)[2] == []
    assert not (alice / "user.md").exists(), "nothing is left in it"
    assert_index_equals_files(engine)


def test_a_line_that_its_owner_deleted_stays_away_whatever_happens_to_other_facts(engine: Engine, alice: Path) -> None:
    text = profile_text(alice)
    start = text.index("- category", text.index("Graz"))
    (alice / "user.md").write_text(text[: text.index("- category")] + text[start:], encoding="utf-8")
    index_changes(engine)
    assert known(engine)[2] == ["Alice works as a nurse."]
    remember(engine, SCOPE, "later", [says("I have a parrot named Kasimir.", at=MAY_28 + 600_000)])
    assert flush(engine, SCOPE, "later")
    forget(engine, ALICE, fact_with(engine, "nurse").key.public_id)
    assert known(engine)[2] == ["Alice has a parrot named Kasimir."]
    assert "Graz" in str(facts(engine, ALICE))


def as_before(alice: Path) -> str:
    """The profile as a version wrote it that kept no fingerprints."""
    text = re.sub(r"^generated: .*\n", "", profile_text(alice), flags=re.MULTILINE)
    (alice / "user.md").write_text(text, encoding="utf-8")
    return text


def test_a_vault_of_before_is_indexed_without_a_change_to_its_files(engine: Engine, alice: Path) -> None:
    as_before(alice)
    files = {path: path.read_bytes() for path in alice.rglob("*.md")}
    index_changes(engine)
    rebuild(engine, lambda *_: None)
    for path in [*engine.index.files.known()]:
        engine.index.files.remove(path)
    index_changes(engine)
    assert {path: path.read_bytes() for path in alice.rglob("*.md")} == files


@pytest.mark.parametrize("how", ["told", "forgotten"])
def test_in_a_profile_of_before_a_persons_lines_survive_the_next_fact(engine: Engine, alice: Path, how: str) -> None:
    mine = "- description: Owns a canoe  # really\n  since: 2019\n"
    text = as_before(alice).replace("explicit_info:\n", f"explicit_info:\n{mine}")
    (alice / "user.md").write_text(f"{text}She fears spiders.\n", encoding="utf-8")
    index_changes(engine)
    if how == "told":
        remember(engine, SCOPE, "later", [says("I have a parrot named Kasimir.", at=MAY_28 + 600_000)])
        assert flush(engine, SCOPE, "later")
    else:
        forget(engine, ALICE, fact_with(engine, "Graz").key.public_id)
    assert mine in profile_text(alice)
    assert profile_text(alice).endswith("\nShe fears spiders.\n")
    assert ("Graz" in profile_text(alice)) == (how == "told")
    assert ("Kasimir" in profile_text(alice)) == (how == "told")
    assert_index_equals_files(engine)

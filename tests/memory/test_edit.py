"""A memory is changed by hand where it stands, and nothing that somebody else wrote meanwhile is lost."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, facts, says

from everlore.engine import Engine
from everlore.errors import Conflict, InvalidInput, NotFound
from everlore.memory import edit, flush, listing, profile, remember, source


@pytest.fixture(autouse=True)
def told(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("I live in Graz. My dog is called Rex.", at=MAY_28)])
    assert flush(engine, SCOPE, "s")


def graz(engine: Engine) -> str:
    (row,) = (row for row in listing(engine, ALICE, "fact").rows if "Graz" in str(row.data["content"]))
    return row.key.public_id


def test_the_text_of_an_entry_is_changed_and_the_profile_follows(engine: Engine) -> None:
    seen = source(engine, ALICE, graz(engine))
    assert "### Fact\nAlice lives in Graz." in seen.text
    changed = edit(engine, ALICE, seen.id, seen.version, seen.text.replace("Graz", "Linz"))
    assert changed == source(engine, ALICE, seen.id)
    assert sorted(str(one["content"]) for one in facts(engine, ALICE)) == [
        "Alice lives in Linz.",
        "Alice's dog is called Rex.",
    ]
    known = profile(engine, ALICE)
    assert known
    assert "Alice lives in Linz." in [info["description"] for info in known.data["explicit_info"]]
    assert_index_equals_files(engine)


def test_a_profile_is_changed_as_a_whole_file(engine: Engine) -> None:
    known = profile(engine, ALICE)
    assert known
    seen = source(engine, ALICE, known.key.public_id)
    edit(engine, ALICE, seen.id, seen.version, seen.text + "\nShe is tall.\n")
    assert "She is tall." in str(listing(engine, ALICE, "profile").rows[0].data["summary"])


def test_what_was_changed_meanwhile_is_not_overwritten(engine: Engine) -> None:
    seen = source(engine, ALICE, graz(engine))
    file = Path(engine.vault.where, seen.path)
    elsewhere = file.read_text(encoding="utf-8").replace("Graz", "Wels")
    file.write_text(elsewhere, encoding="utf-8")
    with pytest.raises(Conflict, match="changed meanwhile"):
        edit(engine, ALICE, seen.id, seen.version, seen.text.replace("Graz", "Linz"))
    assert file.read_text(encoding="utf-8") == elsewhere
    other = file.read_text(encoding="utf-8").replace("Rex", "Max")  # another entry of the same file is no conflict
    now = source(engine, ALICE, seen.id)
    file.write_text(other, encoding="utf-8")
    edit(engine, ALICE, seen.id, now.version, now.text.replace("Wels", "Linz"))
    assert file.read_text(encoding="utf-8") == other.replace("Wels", "Linz")


def test_of_two_at_once_one_is_told(engine: Engine) -> None:
    seen = source(engine, ALICE, graz(engine))
    told: list[str] = []

    def change(place: str) -> None:
        try:
            edit(engine, ALICE, seen.id, seen.version, seen.text.replace("Graz", place))
        except Conflict:
            told.append(place)

    threads = [threading.Thread(target=change, args=[place]) for place in ("Linz", "Wels")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (lost,) = told
    assert lost not in source(engine, ALICE, seen.id).text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("## af_", "af_", "no heading"),
        ("Alice lives", "<!-- entry:af_20260528_00000009 -->\nAlice lives", "could not be read"),
        ("Alice lives in Graz.", "", "no text under"),
        ("**timestamp**: 2026", "**timestamp**: May 2026", "timestamp"),
    ],
)
def test_what_could_not_be_read_back_is_refused(engine: Engine, old: str, new: str, why: str) -> None:
    seen = source(engine, ALICE, graz(engine))
    before = Path(engine.vault.where, seen.path).read_bytes()
    assert old in seen.text
    with pytest.raises(InvalidInput, match=why):
        edit(engine, ALICE, seen.id, seen.version, seen.text.replace(old, new))
    with pytest.raises(InvalidInput, match="forget it"):
        edit(engine, ALICE, seen.id, seen.version, " \n")
    assert Path(engine.vault.where, seen.path).read_bytes() == before


def test_secrets_are_masked_and_line_ends_kept(engine: Engine) -> None:
    seen = source(engine, ALICE, graz(engine))
    file = Path(engine.vault.where, seen.path)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    seen = source(engine, ALICE, seen.id)
    secret = "sk-" + "a1B2c3D4" * 5
    changed = edit(engine, ALICE, seen.id, seen.version, seen.text.replace("Graz.", f"Graz. The key is {secret}"))
    assert secret.encode() not in file.read_bytes()
    assert "Graz. The key is" in changed.text
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")


def test_what_is_not_there_is_not_found(engine: Engine) -> None:
    seen = source(engine, ALICE, graz(engine))
    with pytest.raises(NotFound):
        source(engine, ALICE, "alice_af_20200101_00000001")
    Path(engine.vault.where, seen.path).unlink()
    with pytest.raises(NotFound):
        edit(engine, ALICE, seen.id, seen.version, seen.text + "more")

"""A checked reply takes the draft's place; the draft comes back when asked for."""

from __future__ import annotations

from typing import Any

import pytest
from vaults import ALICE, DAY, MAY_28, SCOPE, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.memory import curate, curation, flush, forget, history, profile, remember, review, undo_curation
from everlore.memory import waiting_for_review as waiting
from everlore.memory.review import Item
from everlore.search import Query, recall
from everlore.sync.indexing import index_file

DRAFTED = ("I moved to Graz yesterday.", "Never book flights before 9:30 for me.", "Stay positive!")


def told(engine: Engine) -> Item:
    for number, texts in enumerate([("I live in Vienna.",), DRAFTED]):
        at = MAY_28 + number * DAY
        remember(engine, SCOPE, str(number), [says(text, at=at + n * 60_000) for n, text in enumerate(texts)])
        assert flush(engine, SCOPE, str(number))
    [item] = review(engine, ALICE)
    return item


def reply(item: Item) -> dict[str, Any]:
    ends = [{"id": one.id, "turns": [1], "replaced_by": 1} for one in item.stretch.older if "Vienna" in one.text]
    assert ends
    return {
        "title": "Alice's move to Graz",
        "facts": [{"text": "Alice lives in Graz.", "turns": [1], "valid_from": "2026-05-28"}],
        "rules": [{"text": "Never book flights before 9:30 for Alice.", "turns": [2]}],
        "ends": ends,
    }


def files(engine: Engine) -> dict[str, str]:
    """All that people read, without the marks of when a file was written."""
    found = {path: engine.vault.read(path) for path, *_ in engine.vault.walk() if "/reviews/" not in path}
    return {
        path: "\n".join(
            line
            for line in file.text.splitlines()
            if not line.startswith(("last_appended_at", "last_number", "profile_timestamp_ms"))
        )
        for path, file in found.items()
        if file
    }


def lines(engine: Engine) -> list[str]:
    known = profile(engine, ALICE)
    return [info["description"] for info in known.data["explicit_info"]] if known else []


def facts(engine: Engine, item: Item) -> list[str]:
    return sorted(str(row.data["content"]) for row in history(engine, ALICE, item.id) if row.key.kind == "fact")


def test_a_reply_takes_the_place_of_the_draft_and_reaches_the_profile(engine: Engine) -> None:
    item = told(engine)
    done = curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    assert (done.state, done.refused, waiting(engine, ALICE)) == ("curated", (), 1)
    assert facts(engine, item) == ["Alice lives in Graz.", "Never book flights before 9:30 for Alice."]
    assert "Alice lives in Graz." in lines(engine)
    assert "Never book flights before 9:30 for Alice." in lines(engine)
    assert not any("Vienna" in line or "positive" in line for line in lines(engine))
    assert_index_equals_files(engine)


def test_the_same_reply_twice_changes_nothing(engine: Engine) -> None:
    item = told(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    before = files(engine)
    assert curate(engine, ALICE, item.id, "", reply(item), "me").state == "curated"
    assert files(engine) == before


def test_another_reply_under_the_same_lease_takes_the_place_of_the_first(engine: Engine) -> None:
    item = told(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    new = {"facts": [{"text": "Alice moved to Graz on 28 May 2026.", "turns": [1]}]}
    curate(engine, ALICE, item.id, item.lease, new, "me")
    assert facts(engine, item) == ["Alice moved to Graz on 28 May 2026."]
    assert_index_equals_files(engine)


def test_an_undo_puts_back_every_line_of_the_draft(engine: Engine) -> None:
    item = told(engine)
    before = files(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    assert files(engine) != before
    assert undo_curation(engine, ALICE, item.id).state == "drafted"
    assert files(engine) == before
    assert waiting(engine, ALICE) == 2
    assert_index_equals_files(engine)
    with pytest.raises(NotFound, match="no review"):
        undo_curation(engine, ALICE, item.id)


def test_what_a_review_was_undone_of_is_still_found(engine: Engine) -> None:
    item = told(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    undo_curation(engine, ALICE, item.id)
    assert item.id in [hit.stored.key.public_id for hit in recall(engine, Query(ALICE, "flights before 9:30")).best]


def test_history_shows_the_review_also_when_it_is_undone(engine: Engine) -> None:
    item = told(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    undo_curation(engine, ALICE, item.id)
    [seen] = [row for row in history(engine, ALICE, item.id) if row.key.kind == "review"]
    assert "+ Alice lives in Graz." in str(seen.data["content"])
    assert seen.validity.end is not None


def test_what_a_person_changed_since_is_not_overwritten_by_an_undo(engine: Engine) -> None:
    item = told(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    path = next(path for path, *_ in engine.vault.walk() if path.endswith("facts/fact-2026-05-29.md"))
    engine.vault.change(path, lambda text: (text or "").replace("Alice lives in Graz.", "Alice lives in Gries, Graz."))
    index_file(engine, path)
    undo_curation(engine, ALICE, item.id)
    assert "Alice lives in Gries, Graz." in facts(engine, item)


def test_a_reply_that_is_all_wrong_leaves_the_draft(engine: Engine) -> None:
    item = told(engine)
    before = files(engine)
    done = curate(engine, ALICE, item.id, item.lease, {"facts": [{"text": "Bob likes jazz.", "turns": [1]}]}, "me")
    assert (done.state, len(done.refused)) == ("drafted", 1)
    assert files(engine) == before


def test_what_is_left_as_it_was_drafted_needs_no_second_belief(engine: Engine) -> None:
    talk = [says("Which version are you going to?", "assistant"), says("Sixteen.", at=MAY_28 + 60_000)]
    remember(engine, SCOPE, "s", talk)
    assert flush(engine, SCOPE, "s")
    [item] = review(engine, ALICE)
    before, (text, turn) = facts(engine, item), item.stretch.facts[0]
    assert "Which version" in text  # the question stands in another turn than the one that is cited
    left = {"summary": item.stretch.summary, "facts": [{"text": text, "turns": [turn]}]}
    done = curate(engine, ALICE, item.id, item.lease, left, "me")
    assert (done.state, done.refused, done.changes) == ("curated", (), "as drafted")
    assert facts(engine, item) == before


def test_a_dry_run_tells_what_would_change(engine: Engine) -> None:
    item = told(engine)
    before = files(engine)
    done = curate(engine, ALICE, item.id, item.lease, reply(item), "me", dry_run=True)
    assert "+ Alice lives in Graz." in done.changes.splitlines()
    assert "× Alice lives in Vienna. (ended)" in done.changes.splitlines()
    assert files(engine) == before


def test_a_lease_that_is_not_held_is_refused(engine: Engine) -> None:
    item = told(engine)
    for lease in ("", "0123456789abcdef"):
        with pytest.raises(InvalidInput, match="lease"):
            curate(engine, ALICE, item.id, lease, reply(item), "me")


def test_what_a_crash_interrupted_is_finished_by_the_next_reviewer(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = told(engine)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(curation, "_carry_out", crash)
        with pytest.raises(KeyboardInterrupt):
            curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    assert "Alice lives in Graz." not in facts(engine, item)
    assert [one.id for one in review(engine, ALICE, limit=5)] != [item.id]
    assert facts(engine, item) == ["Alice lives in Graz.", "Never book flights before 9:30 for Alice."]
    assert_index_equals_files(engine)


def test_an_unconfirmed_end_of_the_draft_is_taken_back(engine: Engine) -> None:
    item = told(engine)
    only = {"facts": [{"text": "Alice was in Graz yesterday.", "turns": [1]}]}
    curate(engine, ALICE, item.id, item.lease, only, "me")
    assert any("Vienna" in line for line in lines(engine))


def test_forgetting_the_episode_takes_its_review_along(engine: Engine) -> None:
    item = told(engine)
    curate(engine, ALICE, item.id, item.lease, reply(item), "me")
    forget(engine, ALICE, item.id)
    everything = "\n".join(file.text for path, *_ in engine.vault.walk() if (file := engine.vault.read(path)))
    assert "Graz" not in everything

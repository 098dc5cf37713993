"""Notes: kept to the last character, changed in their place, and ended without being deleted."""

from __future__ import annotations

import pytest
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, says

from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.kinds.note import NOTE
from everlore.memory import create_entity, edit_memory, flush, invalidate, remember, save_note, successor
from everlore.memory.notes import LONGEST_CONTENT
from everlore.types import IndexedMemory, Key, Where


def stored(engine: Engine, key: Key) -> IndexedMemory:
    return engine.index.rows.find([key])[key]


def noted(engine: Engine, text: str) -> IndexedMemory:
    return stored(engine, save_note(engine, ALICE, text))


@pytest.mark.parametrize("text", ["plain", "  indented\r\nlines\r\n", "## a heading\n<!-- /entry:x -->\n---"])
def test_a_note_is_kept_to_the_last_character(engine: Engine, text: str) -> None:
    assert noted(engine, text).data["content"] == text
    assert_index_equals_files(engine)


def test_a_day_goes_on_in_another_file(engine: Engine) -> None:
    paths = [noted(engine, f"note {number}").path for number in range(NOTE.per_file + 1)]
    assert len(set(paths[:-1])) == 1
    assert paths[-1] != paths[0]


def test_what_is_given_changes_and_the_rest_stays(engine: Engine) -> None:
    key = save_note(engine, ALICE, "  two\r\nlines", "procedural", {"from": "a test"})
    edit_memory(engine, stored(engine, key), content="one line")
    known = stored(engine, key).data
    assert (known["content"], known["memory_type"], known["metadata"]) == ("one line", "procedural", {"from": "a test"})
    edit_memory(engine, stored(engine, key), memory_type="episodic", metadata={})
    known = stored(engine, key).data
    assert (known["content"], known["memory_type"], known["metadata"]) == ("one line", "episodic", {})


def test_only_the_text_of_a_fact_changes_and_an_episode_stays(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("I live in Rome.", at=MAY_28)])
    flush(engine, SCOPE, "s")
    (fact,) = engine.index.rows.page(Where(ALICE, ("fact",))).rows
    edit_memory(engine, fact, content="Alice lives in Oslo.")
    assert stored(engine, fact.key).data["content"] == "Alice lives in Oslo."
    with pytest.raises(InvalidInput, match="type and metadata"):
        edit_memory(engine, fact, memory_type="episodic")
    (episode,) = engine.index.rows.page(Where(ALICE, ("episode",))).rows
    with pytest.raises(InvalidInput, match="text cannot be changed"):
        edit_memory(engine, episode, content="something else")


def test_an_end_stays_and_takes_a_successor_later(engine: Engine) -> None:
    old, new = noted(engine, "The key is under the mat."), noted(engine, "The key is in the shed.")
    invalidate(engine, old, "moved")
    first = stored(engine, old.key)
    assert first.validity.end is not None
    invalidate(engine, first, "again", new)
    ended = stored(engine, old.key)
    assert (ended.validity.end, ended.data["invalidation_reason"]) == (first.validity.end, "moved")
    assert successor(ended) == new.key.global_id
    with pytest.raises(InvalidInput, match="was itself superseded"):
        invalidate(engine, new, "", ended)
    with pytest.raises(InvalidInput, match="cannot supersede itself"):
        invalidate(engine, new, "", new)


def test_what_has_no_end_is_not_ended(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="entity has no end"):
        invalidate(engine, stored(engine, create_entity(engine, ALICE, "Anna")))


def test_what_cannot_be_kept_is_refused(engine: Engine) -> None:
    for text in (" \n", "x" * (LONGEST_CONTENT + 1)):
        with pytest.raises(InvalidInput, match="content"):
            save_note(engine, ALICE, text)
    with pytest.raises(InvalidInput, match="memory_type"):
        save_note(engine, ALICE, "text", "poetic")
    with pytest.raises(InvalidInput, match="metadata"):
        save_note(engine, ALICE, "text", metadata={"much": "x" * LONGEST_CONTENT})
    assert engine.index.rows.page(Where(ALICE, (NOTE.name,))).rows == []

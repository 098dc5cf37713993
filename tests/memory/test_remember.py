"""What is accepted is kept once, in order, whatever the clients do."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from embeddings import Endpoint
from vaults import ALICE, BOB, DAY, MAY_28, SCOPE, assert_index_equals_files, contents, facts, open_vault, says

from everlore.engine import Engine
from everlore.memory import NewMessage, flush, remember, unprocessed
from everlore.types import Owner

HOUR = 3_600_000


def texts(engine: Engine, session: str = "s") -> list[str]:
    return [message.text for message in unprocessed(engine, SCOPE, session)]


def told(engine: Engine, *words: str) -> list[int]:
    """How often each word is in all of Alice's episodes."""
    everything = "\n".join(contents(engine, ALICE).values())
    return [everything.count(word) for word in words]


def test_two_messages_of_one_millisecond_are_both_kept(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("I like apples."), says("I like pears.")])
    remember(engine, SCOPE, "s", [says("I like plums.")])
    remember(engine, SCOPE, "s", [says("I like figs.", "bob")])
    assert texts(engine) == ["I like apples.", "I like pears.", "I like plums.", "I like figs."]
    assert len({message.id for message in unprocessed(engine, SCOPE, "s")}) == 4
    flush(engine, SCOPE, "s")
    assert told(engine, "apples", "pears", "plums", "figs") == [1, 1, 1, 1]


def test_the_same_text_twice_in_one_batch_is_meant_twice(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("Ho!"), says("Ho!"), says("I live in Rome.")])
    assert texts(engine) == ["Ho!", "Ho!", "I live in Rome."]
    remember(engine, SCOPE, "s", [says("Ho!"), says("Ho!"), says("I live in Rome.")])
    assert texts(engine) == ["Ho!", "Ho!", "I live in Rome."]


def test_a_repeated_batch_is_not_doubled_also_after_it_was_extracted(engine: Engine) -> None:
    batch = [says("I live in Rome."), says("I work as a nurse.", at=MAY_28 + 1)]
    for _ in range(3):
        remember(engine, SCOPE, "s", batch)
    assert len(texts(engine)) == 2
    assert flush(engine, SCOPE, "s")
    for _ in range(2):
        assert not remember(engine, SCOPE, "s", batch)
        assert texts(engine) == []
        assert not flush(engine, SCOPE, "s")
    assert told(engine, "Rome", "nurse") == [1, 1]
    remember(engine, SCOPE, "another", batch)
    assert len(texts(engine, "another")) == 2, "another session is another conversation"


def test_a_batch_that_closes_a_stretch_can_be_repeated(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("I live in Rome.")])
    tomorrow = [says("I moved to Oslo.", at=MAY_28 + DAY)]
    assert remember(engine, SCOPE, "s", tomorrow)
    assert not remember(engine, SCOPE, "s", tomorrow)
    assert told(engine, "live in Rome", "moved to Oslo") == [1, 1]
    assert len(contents(engine, ALICE)) == 2


def test_messages_stay_in_the_order_they_were_sent(engine: Engine) -> None:
    order = [5, 3, 9, 1, 7]
    for number in order[:3]:
        remember(engine, SCOPE, "s", [says(f"I bought lamp {number}.", at=MAY_28 + number)])
    remember(engine, SCOPE, "s", [says(f"I bought lamp {number}.", at=MAY_28 + number) for number in order[3:]])
    assert texts(engine) == [f"I bought lamp {number}." for number in order]
    flush(engine, SCOPE, "s")
    [text] = contents(engine, ALICE).values()
    places = [text.index(f"lamp {number}.") for number in order]
    assert places == sorted(places)


def test_sessions_and_scopes_are_apart(engine: Engine) -> None:
    remember(engine, SCOPE, "one", [says("I live in Rome.")])
    remember(engine, SCOPE, "two", [says("I live in Oslo.")])
    assert flush(engine, SCOPE, "one")
    assert texts(engine, "two") == ["I live in Oslo."]
    assert told(engine, "Rome", "Oslo") == [1, 0]


def test_flushing_nothing_writes_nothing(engine: Engine) -> None:
    assert not flush(engine, SCOPE, "s")
    assert list(engine.vault.walk()) == []


def test_white_space_is_accepted_and_leaves_no_trace(engine: Engine) -> None:
    remember(engine, SCOPE, "s", [says("  \n\t"), says("", "bob")])
    assert len(texts(engine)) == 2
    assert not flush(engine, SCOPE, "s")
    assert texts(engine) == []
    assert list(engine.vault.walk()) == []
    remember(engine, SCOPE, "s", [says("I live in Rome.", at=MAY_28 + 1), says("   ", "bob", MAY_28 + 2)])
    assert flush(engine, SCOPE, "s")
    assert len(contents(engine, ALICE)) == 1
    assert contents(engine, BOB) == {}, "who said nothing has no memory of it"


def test_five_hundred_messages_in_one_call(engine: Engine) -> None:
    batch = [says(f"I bought the painting paint{number}x in Rome.", at=MAY_28 + number) for number in range(500)]
    assert remember(engine, SCOPE, "s", batch), "the size of a stretch is limited"
    assert texts(engine) == []
    assert told(engine, *(f"paint{number}x" for number in range(500))) == [1] * 500
    assert len(contents(engine, ALICE)) == 5
    assert len(facts(engine, ALICE)) == 500
    assert_index_equals_files(engine)


def test_my_own_messages_carry_my_name_unless_a_client_gives_another(tmp_path: Path, vectors: Endpoint) -> None:
    with closing(open_vault(tmp_path, vectors.url, mcp={"user": "me", "user_name": "Anna Berger"})) as engine:
        for number, (sender, name) in enumerate((("me", None), ("me", " "), ("me", "Ann"), ("bob", None))):
            text = f"I live in {('Graz', 'Linz', 'Rome', 'Oslo')[number]}."
            remember(engine, SCOPE, f"s{number}", [NewMessage(sender, "user", MAY_28 + number, text, name)])
            flush(engine, SCOPE, f"s{number}")
        mine = Owner(SCOPE, "user", "me")
        assert [fact["content"] for fact in facts(engine, mine)] == [
            "Anna Berger lives in Graz.",
            "Anna Berger lives in Linz.",
            "Ann lives in Rome.",
        ]
        assert [fact["content"] for fact in facts(engine, BOB)] == ["Bob lives in Oslo."]

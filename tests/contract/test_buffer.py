"""What every message buffer promises."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored import ALICE, BOB, ids, message

from everlore.stores.buffer import Buffer
from everlore.types import Cell, Message, Scope


def cell(name: str, *messages: Message) -> Cell:
    return Cell(name, messages[0].scope, messages[0].session_id, messages)


def test_messages_come_back_as_they_were_in_order(buffer: Buffer) -> None:
    sent = [
        message(2, "späte Nachricht 我"),
        message(1, "x", content=[{"type": "text", "text": "x"}], sender_name="Alice"),
        message(3, "", role="assistant", tool_calls=[{"id": "t1", "function": {"name": "f"}}]),
        message(4, "done \ud800", role="tool", tool_call_id="t1"),
    ]
    assert buffer.append(sent) == 4
    assert buffer.session(Scope(), "s1")[1] == sent
    assert buffer.unprocessed(Scope(), "s1") == sent
    assert buffer.session(Scope("other"), "s1")[1] == []
    assert buffer.session(Scope(), "s2")[1] == []
    assert buffer.count() == 4


def test_a_repeated_batch_is_recognised(open_buffer: Callable[[], Buffer]) -> None:
    buffer = open_buffer()
    twice = [message(1, "yes", timestamp=5), message(2, "yes", timestamp=5)]
    assert buffer.append(twice) == 2
    assert buffer.append([message(7, "yes", timestamp=5), message(8, "yes", timestamp=5)]) == 0
    assert open_buffer().append(twice) == 0
    others = [
        message(9, "yes", timestamp=6),
        message(9, "yes", timestamp=5, session="s2"),
        message(9, "yes", timestamp=5, sender_id="bob"),
        message(9, "yes", timestamp=5, role="assistant"),
        message(9, "yes", timestamp=5, scope=Scope("a")),
        message(9, "yes", timestamp=5, tool_call_id="t"),
        message(9, "yes", timestamp=5, tool_calls=[{"id": "t"}]),
        message(9, "no", timestamp=5),
    ]
    assert [buffer.append([one]) for one in others] == [1] * 8
    assert ids(buffer.session(Scope(), "s2")[1]) == ["m9"]


def test_a_draft_is_kept_until_its_cell_is_finished(open_buffer: Callable[[], Buffer]) -> None:
    buffer = open_buffer()
    closed = cell("c1", message(1))
    buffer.append([message(1)])
    buffer.close_cells([closed])
    assert buffer.draft(closed) is None
    buffer.keep_draft(closed, '{"a": "ü"}')
    buffer.keep_draft(closed, '{"a": "ö"}')
    assert open_buffer().draft(closed) == '{"a": "ö"}'
    buffer.finish(closed)
    assert buffer.draft(closed) is None


def test_a_cell_goes_from_open_to_pending_to_finished(open_buffer: Callable[[], Buffer]) -> None:
    buffer = open_buffer()
    one, two, three = message(1), message(2), message(3)
    buffer.append([one, two, three])
    buffer.close_cells([cell("c1", two, one)])
    assert ids(buffer.session(Scope(), "s1")[1]) == ["m3"]
    again = open_buffer()
    assert again.pending_cells() == [cell("c1", two, one)]
    assert again.session(Scope(), "s1")[0] == again.pending_cells()
    assert again.session(Scope(), "s2")[0] == again.session(Scope("x"), "s1")[0] == []
    assert ids(buffer.unprocessed(Scope(), "s1")) == ["m1", "m2", "m3"]
    buffer.finish(cell("c1", two, one))
    buffer.finish(cell("c1", two, one))
    assert (buffer.pending_cells(), ids(buffer.unprocessed(Scope(), "s1"))) == ([], ["m3"])
    assert buffer.append([one, two]) == 0
    assert buffer.check() == []


def test_no_message_is_taken_by_two_cells(buffer: Buffer) -> None:
    one, two, three = message(1), message(2), message(3)
    buffer.append([one, two, three])
    buffer.close_cells([cell("c1", one, two)])
    buffer.close_cells([cell("c1", one, two), cell("c2", two, three), cell("c3", one)])
    assert buffer.pending_cells() == [cell("c1", one, two), cell("c2", three)]
    assert buffer.check() == []


def test_pending_cells_are_listed_oldest_first(buffer: Buffer) -> None:
    sent = [message(n, session=f"s{n % 2}") for n in range(6)]
    buffer.append(sent)
    for n in (5, 0, 3):
        buffer.close_cells([cell(f"c{n}", sent[n])])
    assert [one.id for one in buffer.pending_cells()] == ["c5", "c0", "c3"]
    assert [one.id for one in buffer.session(Scope(), "s1")[0]] == ["c5", "c3"]


def test_a_forgotten_cell_may_be_said_again(buffer: Buffer) -> None:
    one, two = message(1), message(2)
    buffer.append([one, two])
    buffer.close_cells([cell("c1", one), cell("c2", two)])
    buffer.finish(cell("c1", one))
    buffer.finish(cell("c2", two))
    buffer.forget_cell(Scope(), "s1", "c1")
    assert buffer.append([one, two]) == 1
    assert ids(buffer.session(Scope(), "s1")[1]) == ["m1"]


def test_numbers_grow_for_each_owner_prefix_and_day(open_buffer: Callable[[], Buffer]) -> None:
    buffer = open_buffer()
    assert [buffer.next_number(ALICE, "ep", "2026-05-28", 0) for _ in range(3)] == [1, 2, 3]
    assert buffer.next_number(ALICE, "ep", "2026-05-28", 40) == 41
    assert buffer.next_number(ALICE, "ep", "2026-05-28", 7) == 42
    assert open_buffer().next_number(ALICE, "ep", "2026-05-28", 0) == 43
    assert buffer.next_number(ALICE, "ep", "2026-05-28", 0, count=5) == 44
    assert buffer.next_number(ALICE, "ep", "2026-05-28", 60, count=5) == 61
    assert buffer.next_number(ALICE, "ep", "2026-05-28", 0) == 66
    assert buffer.next_number(BOB, "ep", "2026-05-28", 0) == 1
    assert buffer.next_number(ALICE, "af", "2026-05-28", 0) == 1
    assert buffer.next_number(ALICE, "ep", "2026-05-29", 0) == 1


def test_threads_and_openers_at_once_lose_nothing(open_buffer: Callable[[], Buffer]) -> None:
    buffers = [open_buffer(), open_buffer()]

    def send(number: int) -> int:
        buffer = buffers[number % 2]
        buffer.append([message(number)])
        return buffer.next_number(ALICE, "ep", "day", 0)

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(send, range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert sorted(ids(buffers[0].session(Scope(), "s1")[1])) == sorted(f"m{n}" for n in range(40))


Jsonish = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=Jsonish, text=st.text(max_size=20), session=st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
def test_any_content_survives(buffer: Buffer, content: object, text: str, session: str) -> None:
    said = {"said": content, "as": text}
    sent = message(1, text, session=session, content=[said])
    buffer.append([sent])
    assert buffer.append([sent]) == 0
    assert sent in buffer.session(Scope(), session)[1]


def test_what_waits_in_a_scope_comes_newest_first_and_only_of_that_scope(buffer: Buffer) -> None:
    buffer.append([message(1, "one", session_id="s1"), message(2, "two", session_id="s2")])
    buffer.append([message(3, "elsewhere", scope=Scope("other"))])
    assert [waiting.text for waiting in buffer.waiting(Scope(), 10)] == ["two", "one"]
    assert [waiting.text for waiting in buffer.waiting(Scope(), 1)] == ["two"]
    assert [waiting.text for waiting in buffer.waiting(Scope("other"), 10)] == ["elsewhere"]


def test_sessions_that_go_on_are_told_from_those_that_do_not(buffer: Buffer) -> None:
    assert buffer.open_sessions() == {}
    buffer.append([message(1), message(2, session="s2"), message(3, scope=Scope("a", "b"))])
    first = buffer.open_sessions()
    assert set(first) == {(Scope(), "s1"), (Scope(), "s2"), (Scope("a", "b"), "s1")}
    buffer.append([message(4, "more")])
    second = buffer.open_sessions()
    assert second[Scope(), "s1"] > first[Scope(), "s1"]
    assert second[Scope(), "s2"] == first[Scope(), "s2"]
    buffer.close_cells([cell("c", message(2, session="s2"))])
    assert (Scope(), "s2") not in buffer.open_sessions()


def test_a_session_is_what_waits_in_a_closed_cell_and_the_rest(buffer: Buffer) -> None:
    buffer.append([message(1), message(2), message(9, session="s2")])
    assert [(cells, ids(waiting)) for cells, waiting in [buffer.session(Scope(), "s1")]] == [([], ["m1", "m2"])]
    assert buffer.session(Scope(), "s3") == ([], [])
    cell = Cell("c1", Scope(), "s1", (message(1),))
    buffer.close_cells([cell])
    cells, waiting = buffer.session(Scope(), "s1")
    assert ([one.id for one in cells], ids(waiting)) == (["c1"], ["m2"])
    assert ids(buffer.session(Scope(), "s2")[1]) == ["m9"]
    buffer.finish(cell)
    cells, waiting = buffer.session(Scope(), "s1")
    assert (cells, ids(waiting)) == ([], ["m2"])

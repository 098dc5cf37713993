from __future__ import annotations

from zoneinfo import ZoneInfo

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from talk import MAY_8, MINUTE, SCOPE, message

from everlore.clock import LATEST_MS
from everlore.config import BoundarySection
from everlore.extract.boundary import Vectors, cell_id, estimate_tokens, find_cells
from everlore.types import Message, Role

LIMITS = BoundarySection()
CALL = [{"function": {"name": "search", "arguments": "{}"}}]


def texts(cells: list[list[Message]]) -> list[list[str]]:
    return [[m.text for m in cell] for cell in cells]


def test_no_messages_give_no_cells() -> None:
    assert find_cells([], LIMITS, None) == []


def test_one_conversation_is_one_open_tail() -> None:
    talk = [message(str(n), at=MAY_8 + n * MINUTE) for n in range(20)]
    assert find_cells(talk, LIMITS, None) == [talk]


def test_silence_closes_a_cell() -> None:
    talk = [message("a"), message("b", at=MAY_8 + 239 * MINUTE), message("c", at=MAY_8 + 479 * MINUTE)]
    assert texts(find_cells(talk, LIMITS, None)) == [["a", "b"], ["c"]]


def test_a_new_utc_day_closes_a_cell() -> None:
    late = MAY_8 + 10 * 60 * MINUTE  # 23:56
    talk = [message("a", at=late), message("b", at=late + 5 * MINUTE)]
    assert texts(find_cells(talk, LIMITS, None)) == [["a"], ["b"]]


def test_a_new_day_is_one_of_the_given_zone() -> None:
    late = MAY_8 + 10 * 60 * MINUTE  # 23:56 in UTC, 01:56 in Berlin
    talk = [message("a", at=late), message("b", at=late + 5 * MINUTE)]
    assert texts(find_cells(talk, LIMITS, None, ZoneInfo("Europe/Berlin"))) == [["a", "b"]]
    early = MAY_8 + 8 * 60 * MINUTE  # 21:56 in UTC
    talk = [message("a", at=early), message("b", at=early + 5 * MINUTE)]
    assert texts(find_cells(talk, LIMITS, None, ZoneInfo("Europe/Berlin"))) == [["a"], ["b"]]
    last = message("a", at=LATEST_MS)
    assert texts(find_cells([last, last], LIMITS, None, ZoneInfo("Asia/Tokyo"))) == [["a", "a"]]


def test_message_limit() -> None:
    talk = [message(str(n), at=MAY_8 + n) for n in range(11)]
    assert [len(c) for c in find_cells(talk, BoundarySection(hard_msg_limit=5), None)] == [5, 5, 1]


def test_giant_message_is_a_cell_of_its_own() -> None:
    talk = [message("before"), message("x" * 4000), message("after")]
    assert [len(c) for c in find_cells(talk, BoundarySection(hard_token_limit=100), None)] == [1, 1, 1]


def test_cjk_counts_one_token_a_character() -> None:
    assert estimate_tokens("我喜欢猫") == 4
    assert estimate_tokens("abcdefgh") == 2
    assert estimate_tokens("") == 0


def tool_work(start: int) -> list[Message]:
    return [
        message("find it", at=start),
        message("", "bot", "assistant", start + 1, CALL),
        message("result", "bot", "tool", start + 2),
        message("here it is", "bot", "assistant", start + 3),
    ]


def test_limits_and_days_do_not_tear_tool_work_apart() -> None:
    talk = [message("hello"), *tool_work(MAY_8 + 1)]
    assert [len(c) for c in find_cells(talk, BoundarySection(hard_msg_limit=4), None)] == [1, 4]
    midnight = MAY_8 + 10 * 60 * MINUTE + 4 * MINUTE - 1
    assert len(find_cells(tool_work(midnight), LIMITS, None)) == 1


def test_endless_tool_work_is_cut_between_calls() -> None:
    rounds = [
        part
        for n in range(6)
        for part in (
            message("", "bot", "assistant", MAY_8 + 2 * n, CALL),
            message(f"r{n}", "bot", "tool", MAY_8 + 2 * n + 1),
        )
    ]
    cells = find_cells([message("go"), *rounds], BoundarySection(hard_msg_limit=4), None)
    assert max(len(c) for c in cells) <= 4
    assert all(c[0].role != "tool" for c in cells)


def test_large_outputs_do_not_tear_work_from_its_request() -> None:
    wrote = [{"id": "c", "function": {"name": "write_file", "arguments": "y" * 50_000}}]
    rounds = [
        part
        for n in range(20)
        for part in (
            message("", "bot", "assistant", MAY_8 + 2 * n + 1, wrote),
            message("z\n" * 20_000, "bot", "tool", MAY_8 + 2 * n + 2),
        )
    ]
    talk = [message("go"), *rounds, message("done", "bot", "assistant", MAY_8 + 60)]
    assert [len(c) for c in find_cells(talk, LIMITS, None)] == [42]
    spoken = [message("x" * 40_000, at=MAY_8 + n) for n in range(3)]
    assert [len(c) for c in find_cells(spoken, LIMITS, None)] == [1, 1, 1], "what people say counts in full"


def topic_vectors(sizes: tuple[int, ...]) -> Vectors:
    rng = np.random.default_rng(0)
    rows = []
    for topic, size in enumerate(sizes):
        base = np.zeros(16)
        base[topic] = 1.0
        rows += [base + rng.normal(0, 0.05, 16) for _ in range(size)]
    vectors = np.array(rows, np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def test_topic_shift_is_found_where_it_is() -> None:
    talk = [message(f"turn {n} of the talk", at=MAY_8 + n) for n in range(22)]
    cells = find_cells(talk, LIMITS, topic_vectors((10, 12)))
    assert [len(c) for c in cells] == [10, 12]


def test_a_deep_dip_is_a_shift_where_all_turns_share_a_prefix() -> None:
    plain = topic_vectors((10, 6))
    shared = np.full((16, 16), 0.45, np.float32)  # what date and speaker add to every turn
    vectors = plain + shared
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    across = float(vectors[6:10].mean(0) @ vectors[10:14].mean(0))
    assert 0.76 < across < 0.81
    talk = [message(f"turn {n} of the talk", at=MAY_8 + n) for n in range(16)]
    assert [len(c) for c in find_cells(talk, LIMITS, vectors)] == [10, 6]


def test_topic_shift_needs_enough_on_both_sides_and_can_be_off() -> None:
    talk = [message(f"turn {n} of the talk", at=MAY_8 + n) for n in range(14)]
    for sizes in ((3, 11), (12, 2)):
        assert min(map(len, find_cells(talk, LIMITS, topic_vectors(sizes)))) >= LIMITS.min_messages // 2
    off = BoundarySection(topic_shift=False, min_messages=4)
    assert len(find_cells(talk, off, topic_vectors((7, 7)))) == 1
    assert len(find_cells(talk, BoundarySection(min_messages=4), topic_vectors((7, 7)))) == 2


def test_cell_id_is_deterministic_and_knows_its_parts_apart() -> None:
    one = cell_id(SCOPE, "s", ["a", "b"])
    assert one == cell_id(SCOPE, "s", ("a", "b"))
    assert one.startswith("mc_")
    assert len(one) == 15
    assert one != cell_id(SCOPE, "s", ["ab"])
    assert one != cell_id(SCOPE, "sa", ["b"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "tool"]), st.booleans(), st.integers(0, 600), st.text(max_size=40)
        ),
        max_size=40,
    ),
    st.integers(2, 9),
    st.booleans(),
)
def test_every_message_lands_in_one_cell_in_order(
    turns: list[tuple[Role, bool, int, str]], limit: int, embedded: bool
) -> None:
    moment = MAY_8
    talk = []
    for role, calls, wait, text in turns:
        moment += wait * MINUTE
        talk.append(message(text, role, role, moment, CALL if calls and role == "assistant" else None))
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(len(talk), 8)).astype(np.float32) if embedded else None
    limits = BoundarySection(hard_msg_limit=limit, min_messages=2, hard_token_limit=64)
    cells = find_cells(talk, limits, vectors)
    assert [m for c in cells for m in c] == talk
    assert all(c and len(c) <= limit for c in cells)

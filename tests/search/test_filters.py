"""The filter language, sentence by sentence."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everlore.clock import EARLIEST_MS, LATEST_MS, Clock
from everlore.errors import InvalidInput
from everlore.search.filters import MAX_DEPTH, MAX_IN_VALUES, MAX_PREDICATES, MAX_VALUES, compile_filter, session_of
from everlore.types import AllOf, AnyOf, Predicate

CLOCK = Clock("UTC")


def refused(node: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        compile_filter(node, CLOCK)
    return str(caught.value)


@pytest.mark.parametrize(
    "node", [None, {}, {"AND": None}, {"OR": None}, {"AND": []}, {"OR": []}, {"AND": None, "OR": []}]
)
def test_nothing_asked_is_no_filter(node: Any) -> None:
    assert compile_filter(node, CLOCK) is None


def test_the_contract_s_example_mixes_predicates_and_combinators() -> None:
    node = {"session_id": "demo-001", "OR": [{"sender_id": "alice"}, {"sender_id": "bob"}]}
    assert compile_filter(node, CLOCK) == AllOf(
        (
            Predicate("session_id", "eq", "demo-001"),
            AnyOf((AllOf((Predicate("sender_id", "eq", "alice"),)), AllOf((Predicate("sender_id", "eq", "bob"),)))),
        )
    )


def test_operators_of_one_map_are_joined() -> None:
    node = {"timestamp": {"gte": 1748390400000, "lt": 1748400000000}}
    assert compile_filter(node, CLOCK) == AllOf(
        (Predicate("timestamp", "gte", 1748390400000), Predicate("timestamp", "lt", 1748400000000))
    )


@pytest.mark.parametrize("field", ["session_id", "parent_type", "parent_id", "sender_id"])
def test_in_takes_a_list_of_strings(field: str) -> None:
    assert compile_filter({field: {"in": ["a", "b"]}}, CLOCK) == AllOf((Predicate(field, "in", ("a", "b")),))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [[], "a", None, [1], ["a", None], {"a": 1}, [True]])
def test_in_refuses_anything_else(value: Any) -> None:
    assert "session_id" in refused({"session_id": {"in": value}})


@pytest.mark.parametrize("field", ["owner_id", "owner_type", "app_id", "project_id"])
def test_reserved_names_belong_at_the_top(field: str) -> None:
    message = refused({"AND": [{field: "x"}]})
    assert field in message
    assert "top of the request" in message


@pytest.mark.parametrize("field", ["id", "user_id", "And", "and", "", "sender_ids", "timestamp "])
def test_unknown_fields_are_named(field: str) -> None:
    assert f"'{field}'" in refused({field: "x"})


@pytest.mark.parametrize("op", ["gt", "gte", "lt", "lte"])
@pytest.mark.parametrize("field", ["session_id", "parent_type", "parent_id", "sender_id"])
def test_order_applies_to_time_only(field: str, op: str) -> None:
    message = refused({field: {op: "x"}})
    assert f"'{op}'" in message
    assert f"'{field}'" in message


def test_ne_does_not_apply_to_senders() -> None:
    assert "'ne'" in refused({"sender_id": {"ne": "alice"}})


def test_in_does_not_apply_to_time() -> None:
    assert "'in'" in refused({"timestamp": {"in": [1748390400000]}})


@pytest.mark.parametrize("op", ["like", "EQ", "$eq", "AND"])
def test_unknown_operators_are_named(op: str) -> None:
    assert f"'{op}'" in refused({"session_id": {op: "x"}})


def test_an_empty_operator_map_is_an_error() -> None:
    assert "session_id" in refused({"session_id": {}})


@pytest.mark.parametrize("value", [None, 1, 1.5, True, ["a"]])
def test_string_fields_take_strings(value: Any) -> None:
    assert "session_id" in refused({"session_id": value})
    assert "sender_id" in refused({"sender_id": {"eq": value}})


@pytest.mark.parametrize(
    "value", [None, True, False, 1.5, ["2026-01-01"], "soon", "", "1748390400000", 10**30, -(10**30)]
)
def test_times_are_integers_or_iso_text(value: Any) -> None:
    assert "timestamp" in refused({"timestamp": {"gte": value}})
    assert "timestamp" in refused({"timestamp": value})


def test_seconds_and_milliseconds_and_iso_mean_the_same_instant() -> None:
    moments = [1748390400, 1748390400000, "2025-05-28T00:00:00Z", "2025-05-28T02:00:00+02:00", "2025-05-28"]
    assert len({compile_filter({"timestamp": {"eq": m}}, CLOCK) for m in moments}) == 1


def test_naive_time_is_in_the_display_zone() -> None:
    there = compile_filter({"timestamp": "2026-05-28T11:30:00"}, Clock("Asia/Shanghai"))
    assert there == compile_filter({"timestamp": "2026-05-28T03:30:00Z"}, CLOCK)


@pytest.mark.parametrize("node", [[], "x", 1, True])
def test_a_node_is_an_object(node: Any) -> None:
    assert "filters" in refused(node)
    assert "AND.0" in refused({"AND": [node]})


@pytest.mark.parametrize("value", [{}, {"session_id": "x"}, "x", 0, False])
def test_combinators_are_arrays(value: Any) -> None:
    assert "OR" in refused({"OR": value})


def nested(depth: int) -> Any:
    node: Any = {"session_id": "x"}
    for _ in range(depth - 1):
        node = {"AND": [node]}
    return node


def test_depth_is_bounded() -> None:
    assert compile_filter(nested(MAX_DEPTH), CLOCK) is not None
    assert str(MAX_DEPTH) in refused(nested(MAX_DEPTH + 1))
    assert str(MAX_DEPTH) in refused(nested(10_000))


def test_number_of_predicates_is_bounded() -> None:
    assert compile_filter({"OR": [{"sender_id": "a"}] * MAX_PREDICATES}, CLOCK) is not None
    assert str(MAX_PREDICATES) in refused({"OR": [{"sender_id": "a"}] * (MAX_PREDICATES + 1)})


def test_number_of_values_is_bounded() -> None:
    assert compile_filter({"sender_id": {"in": ["a"] * MAX_IN_VALUES}}, CLOCK) is not None
    assert str(MAX_IN_VALUES) in refused({"sender_id": {"in": ["a"] * (MAX_IN_VALUES + 1)}})
    full: dict[str, Any] = {"sender_id": {"in": ["a"] * MAX_IN_VALUES}}
    assert str(MAX_VALUES) in refused({"OR": [full] * (MAX_VALUES // MAX_IN_VALUES) + [{"sender_id": "a"}]})


def test_an_empty_child_holds_always() -> None:
    assert compile_filter({"OR": [{}, {"sender_id": "a"}]}, CLOCK) == AllOf(
        (AnyOf((AllOf(), AllOf((Predicate("sender_id", "eq", "a"),)))),)
    )


@pytest.mark.parametrize(
    ("node", "session"),
    [
        ({"session_id": "s"}, "s"),
        ({"session_id": "s", "sender_id": "a"}, "s"),
        ({"session_id": {"eq": "s"}}, None),
        ({"session_id": {"in": ["s"]}}, None),
        ({"AND": [{"session_id": "s"}]}, None),
        ({"OR": [{"session_id": "s"}]}, None),
        ({}, None),
        (None, None),
    ],
)
def test_only_a_plain_session_at_the_top_names_a_buffer(node: Any, session: str | None) -> None:
    assert session_of(node) == session


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["AND", "OR", "session_id", "timestamp", "sender_id", "eq", "in", "gt", "app_id"])
            | st.text(),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_any_json_compiles_or_is_refused(node: Any) -> None:
    with contextlib.suppress(InvalidInput):
        assert compile_filter(node, CLOCK) is None or isinstance(node, dict)


@given(st.integers(EARLIEST_MS, LATEST_MS))
@example(1_091_881_348_455)  # as seconds, a float has not this one
@example(2_163_000_000_009)
def test_a_time_as_it_is_shown_is_the_time_that_was_told(moment: int) -> None:
    assert compile_filter({"timestamp": CLOCK.show(moment)}, CLOCK) == AllOf((Predicate("timestamp", "eq", moment),))

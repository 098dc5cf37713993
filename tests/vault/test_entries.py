"""Fields and sections of one entry."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.types import LogEntry
from everlore.vault.entries import (
    blank_line,
    merge_entry,
    normal_text,
    read_entry,
    read_value,
    render_entry,
    write_value,
)

values = st.one_of(
    st.text(max_size=30),
    st.text('[]," \\\n\r\tx\u2028', max_size=12),
    st.lists(st.one_of(st.text(max_size=8), st.text('[]," \\\nx', max_size=5)), max_size=4).map(tuple),
)


@settings(max_examples=100, deadline=None)
@given(values)
def test_field_values_round_trip_on_one_line(value: str | tuple[str, ...]) -> None:
    written = write_value(value)
    assert "\n" not in written
    assert "\r" not in written
    assert read_value(written) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain, text", "plain, text"),
        ("[a, b]", ("a", "b")),
        ("[]", ()),
        ('["a, b", c]', ("a, b", "c")),
        ("[ a ,, b, ]", ("a", "b")),
        ('["a" and b, c]', ('"a" and b', "c")),
        ('["open, c]', ('"open', "c")),
        ('"quoted"', "quoted"),
        ('"a" and "b"', '"a" and "b"'),
        ("[link](http://x)", "[link](http://x)"),
        ("", ""),
    ],
)
def test_field_values_that_people_type(text: str, value: str | tuple[str, ...]) -> None:
    assert read_value(f"  {text} ") == value


def test_an_entry_needs_a_heading() -> None:
    assert read_entry("ep_1", "**a**: b\n") is None
    assert read_entry("ep_1", "## mine\r\n**a**: [b, c]\r\n\r\n### Content\r\n\\## x\r\n") == LogEntry(
        "ep_1", {"a": ("b", "c")}, {"Content": "## x"}
    )


def test_merging_touches_the_lines_that_differ() -> None:
    inner = "## ep_1 of mine\n\n**a**:  1\n**b**: 2\n\n### Content\nold\n\n### Mine\nstays\n"
    new = merge_entry(inner, LogEntry("ep_1", {"a": "1", "b": "3", "c": "4"}, {"Content": "new"}), (), "\n")
    assert new == inner.replace("**b**: 2\n", "**b**: 3\n**c**: 4\n").replace("old", "new")
    assert "Mine" not in merge_entry(inner, LogEntry("ep_1", {}, {}), ("Mine",), "\n")


def test_texts_are_kept_apart_by_one_blank_line() -> None:
    assert [blank_line(text, "\n") for text in ("a", "a\n", "a\n\n", "a\n\r\n")] == ["\n\n", "\n", "", ""]
    assert normal_text(" a\r\nb\rc\ud800 ") == "a\nb\nc\ufffd"
    assert render_entry(LogEntry("ep_1", {}, {})) == "<!-- entry:ep_1 -->\n## ep_1\n<!-- /entry:ep_1 -->\n"

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Damaged
from everlore.types import Json, MemoryFile
from everlore.vault.entries import normal_text
from everlore.vault.markdown import parse_sheet, render_sheet

TRICKY = [
    "no",
    "2026-11-15",
    "12:30",
    "1_000",
    "0x1f",
    "08",
    "1e3",
    "null",
    "~",
    "- a",
    "a: b",
    "#x",
    "---",
    "\n\n x ",
    "=",
]

texts = st.one_of(
    st.text(max_size=20), st.sampled_from(TRICKY), st.text("a \n:#-'\"\\|\u2028\x85\ufeff\t", max_size=10)
)
json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
fronts = st.dictionaries(st.one_of(st.sampled_from(["id", "name", "items"]), texts), json, max_size=4)


@settings(max_examples=100, deadline=None)
@given(fronts, st.text(max_size=60), st.booleans())
def test_sheets_round_trip(front: dict[str, Json], body: str, windows: bool) -> None:
    text = render_sheet(MemoryFile(front, body))
    if windows:
        text = text.replace("\n", "\r\n")
    assert parse_sheet(text) == MemoryFile(front, normal_text(body))


@settings(max_examples=100, deadline=None)
@given(fronts, fronts, st.text(max_size=40), st.text(max_size=40), st.booleans())
def test_rewriting_keeps_what_it_does_not_know(
    old: dict[str, Json], new: dict[str, Json], body: str, new_body: str, windows: bool
) -> None:
    original = render_sheet(MemoryFile(old, body))
    if windows:
        original = "\ufeff" + original.replace("\n", "\r\n")
    text = render_sheet(MemoryFile(new, new_body), original)
    assert parse_sheet(text) == MemoryFile({**old, **new}, normal_text(new_body))
    assert render_sheet(MemoryFile(new, new_body), text) == text


def test_a_persons_keys_comments_and_layout_stay() -> None:
    original = (
        "---\n# about me\nid: profile_alice\ncolour:   blue   # my favourite\n"
        "items:\n- name: a\n  value: 1\n\naliases: [al, ally]\n---\nHello\n\n\n"
    )
    sheet = MemoryFile({"id": "profile_alice", "items": [{"name": "b", "value": 2}], "added": 1}, "Hello")
    assert render_sheet(sheet, original) == (
        "---\n# about me\nid: profile_alice\ncolour:   blue   # my favourite\n"
        "items:\n- name: b\n  value: 2\n\naliases: [al, ally]\nadded: 1\n---\nHello\n\n\n"
    )


def test_text_typed_by_hand_stays_text() -> None:
    front = parse_sheet("---\nid: 2026-11-15\nname: no\nwhen: 12:30:45\nn: 1_000\ni: 12\nf: 0.5\nt: true\n---\n").front
    assert front == {
        "id": "2026-11-15", "name": "no", "when": "12:30:45", "n": "1_000", "i": 12, "f": 0.5, "t": True,
    }  # fmt: skip


def test_a_sheet_without_front_matter_is_all_body() -> None:
    assert parse_sheet("# Skill\n\ntext\n") == MemoryFile({}, "# Skill\n\ntext")
    text = render_sheet(MemoryFile({"id": "x"}, "# Skill\n\ntext"), "# Skill\n\ntext\n")
    assert text == "---\nid: x\n---\n\n# Skill\n\ntext\n"


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("a: [1", "line 3: .*not valid YAML"),
        ("just text", "name: value"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("1: x", "must be text"),
        ("a: !!set {x}", "type set"),
        ("a: !!binary aGk=", "type bytes"),
        ("a: !!python/object:os.system x", "YAML"),
        ("a: " + "[" * 40_000, "nested deeper"),
        ("- " * 40_000, "nested deeper"),
        ("a: " + "9" * 5000, "cannot be read"),
        ("a: " + "x" * 2_000_000, "longer than"),
        ("a: \x07", "cannot be read"),
    ],
)
def test_absurd_front_matter_is_reported_and_costs_little(front: str, reason: str) -> None:
    started = time.process_time()
    with pytest.raises(Damaged, match=reason):
        parse_sheet(f"---\n{front}\n---\nbody\n")
    with pytest.raises(Damaged):
        render_sheet(MemoryFile({"id": "x"}, "new"), f"---\n{front}\n---\nbody\n")
    assert time.process_time() - started < 1


def test_unclosed_front_matter_is_reported() -> None:
    with pytest.raises(Damaged, match="line 1: the front matter is not closed"):
        parse_sheet("---\nid: x\n\nbody\n")

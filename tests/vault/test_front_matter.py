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


PROFILE = """---
# about me
id: profile_alice  # ours
explicit_info:
# what I do
- category: habit   # mine
  description: "Cooks"
  # only at home
  evidence: e1

# where I am
- category: home
  description: Lives in Berlin # since 2019
  evidence: |
    # no comment
  mood: good
# the rest
implicit_traits: []  # none yet
# the end
---
Hello
"""
COOKS, LIVES = parse_sheet(PROFILE).front["explicit_info"]


def rewritten(original: str = PROFILE, **front: Json) -> str:
    text = render_sheet(MemoryFile(front, parse_sheet(original).body), original)
    assert {key: parse_sheet(text).front[key] for key in front} == front
    return text


def test_an_item_that_is_added_changes_no_line() -> None:
    text = rewritten(explicit_info=[COOKS, LIVES, {"category": "pet", "description": "Has a cat"}])
    assert text == PROFILE.replace("  mood: good\n", "  mood: good\n- category: pet\n  description: Has a cat\n")


def test_an_item_that_changes_keeps_its_comments_and_the_lines_of_its_other_keys() -> None:
    moved = LIVES | {"description": "Lives in Rome", "evidence": "e2", "about": "home"}
    text = rewritten(explicit_info=[COOKS | {"evidence": "e3"}, moved])
    expected = PROFILE.replace("evidence: e1", "evidence: e3").replace("Lives in Berlin", "Lives in Rome")
    expected = expected.replace("evidence: |\n    # no comment\n", "evidence: e2\n")
    assert text == expected.replace("  mood: good\n", "  mood: good\n  about: home\n")


def test_an_item_that_goes_takes_along_what_stands_in_it_and_leaves_what_stands_above_it() -> None:
    cooks, lives = PROFILE[PROFILE.index("- category: habit") :].split("\n# where I am\n")
    lives = lives.partition("# the rest")[0]
    assert rewritten(explicit_info=[LIVES]) == PROFILE.replace(cooks, "")
    assert rewritten(explicit_info=[COOKS]) == PROFILE.replace(lives, "")
    none = PROFILE.replace(cooks, "").replace(lives, "").replace("explicit_info:", "explicit_info: []")
    assert rewritten(explicit_info=[]) == none


def test_items_in_another_order_keep_what_stands_above_them() -> None:
    text = rewritten(explicit_info=[LIVES, COOKS])
    assert text.index("# where I am\n- category: home") < text.index("- category: habit   # mine\n") < len(text)
    assert sorted(text) == sorted(PROFILE)


def test_a_value_of_one_line_keeps_the_comment_beside_it() -> None:
    text = rewritten(id="other", implicit_traits=[{"trait": "kind"}])
    assert "id: other  # ours\n" in text
    assert "implicit_traits:  # none yet\n- trait: kind\n# the end\n" in text
    assert "id: |-  # ours\n  two\n  lines\n" in rewritten(id="two\nlines")


@pytest.mark.parametrize(
    "front",
    [
        "{a: [b, # one\n  c], d: 1} # two",
        "a: [b, # one\n  c]\nd: 1 # two",
        "a: # one\n # two\n  - b\n  - c\nd: 1",
        "a: # one\r- b\r- c\rd: 1 # two",
        "? a # one\n: - b\n  - c\nd: 1 # two",
        "a: # one\n- - b\n- - c\n# two\nd: 1",
        "a: | # one\n  text\nd: # two\n  1",
        "a: !!str\n  # one\n  b\nd: '1' # two",
        "a:\n# one\n-\n- b\n-\n  k: 1\n# two\n",
        "  a: # one\n  - b\n  - c: 1\n  # two\n",
        'a:\n- "b\n- # no comment"\n# one\n- c\n# two',
    ],
)
@pytest.mark.parametrize("value", ["x", ["c"], ["b", "x"], [], {"k": ["v"]}, "two\nlines"])
def test_no_comment_is_lost_in_whatever_form(front: str, value: Json) -> None:
    text = rewritten(f"---\n{front}\n---\nHello\n", a=value)
    assert (text.count("# one"), text.count("# two")) == (1, 1)


texts = st.sampled_from(["x", "y # z", "#", "- a", "two\nlines", "", " ", 1, True, None])
items = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), texts, min_size=1), max_size=4)


@settings(max_examples=200, deadline=None)
@given(items, items, st.permutations(range(4)), st.integers(0, 4), st.booleans())
def test_comments_above_items_stay_whatever_becomes_of_the_items(
    old: list[Json], new: list[Json], order: list[int], kept: int, windows: bool
) -> None:
    lines = render_sheet(MemoryFile({"first": 1, "items": old, "last": [1]}, "Hello")).split("\n")
    commented = [f"# {at}!\n{line}" if line.startswith(("- ", "last:")) else line for at, line in enumerate(lines)]
    original = "\n".join(commented).replace("\n", "\r\n" if windows else "\n")
    text = rewritten(original, items=[*(old[at] for at in order[:kept] if at < len(old)), *new])
    assert text.count("!") == original.count("!")
    assert text.count("\r") == (text.count("\n") if windows else 0)

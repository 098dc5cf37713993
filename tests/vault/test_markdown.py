from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Damaged, InvalidInput, NotFound
from everlore.kinds.registry import kind
from everlore.types import LogEntry, Owner, Scope
from everlore.vault.entries import normal_text, render_entry
from everlore.vault.markdown import (
    _known,
    _scan,
    append_entries,
    last_number,
    log_front,
    parse_log,
    remove_entry,
    replace_entry,
)

ALICE = Owner(Scope(), "user", "alice")
FRONT = log_front(kind("episode"), ALICE, "2026-11-15", "2026-11-15T10:00:00Z")
HOSTILE = [
    "## heading",
    "### Content",
    "###",
    "# one",
    "#### four",
    "<!-- entry:ep_20261115_00000001 -->",
    "<!-- /entry:ep_20261115_00000001 -->",
    "<!--/entry:ep_20261115_00000001-->",
    "---",
    "--- ",
    "...",
    "**session_id**: other",
    "\\",
    "\\\\## two",
    "\\### three",
    "\\<!-- entry:x -->",
    "\\---",
    "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",
    "\ufeff",
    "```",
    "",
    "  ### indented",
    "text  ",
]


def entry(number: int, **sections: str) -> LogEntry:
    return LogEntry(
        id=f"ep_20261115_{number:08d}",
        fields={"session_id": "s1", "sender_ids": ("alice", "bob")},
        sections=sections or {"Subject": f"Subject {number}", "Content": f"Text {number}"},
    )


def log(*entries: LogEntry) -> str:
    return append_entries("", entries or (entry(1), entry(2), entry(3)), FRONT)


hostile_text = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8)), max_size=6).map("\n".join),
    st.lists(st.sampled_from(HOSTILE), max_size=6).map("\r\n".join),
)
values = st.one_of(
    st.text(max_size=30),
    st.text('[]," \\\n\r\tx\u2028', max_size=12),
    st.lists(st.one_of(st.text(max_size=8), st.text('[]," \\\nx', max_size=5)), max_size=4).map(tuple),
)
entries = st.builds(
    LogEntry,
    id=st.integers(1, 99).map(lambda n: f"ep_20261115_{n:08d}"),
    fields=st.dictionaries(st.sampled_from(["owner_id", "session_id", "about", "turn"]), values),
    sections=st.dictionaries(st.sampled_from(["Subject", "Summary", "Content"]), hostile_text),
)


def normal(item: LogEntry) -> LogEntry:
    return replace(item, sections={name: normal_text(text) for name, text in item.sections.items()})


@settings(max_examples=300, deadline=None)
@given(
    hostile_text, st.lists(st.integers(1, 9), max_size=5, unique=True), hostile_text, st.sampled_from(["\n", "\r\n"])
)
def test_the_markers_of_a_log_tell_what_a_look_at_every_entry_tells(
    before: str, numbers: list[int], behind: str, newline: str
) -> None:
    for text in (before, "", render_entry(entry(1))):
        with suppress(Damaged):  # the text has such an entry
            text = append_entries(text, [entry(number) for number in numbers], FRONT)
        for whole in (text, f"{text}\n{behind}"):
            assert _known(whole.replace("\n", newline)) == _scan(whole.replace("\n", newline)).known


@settings(max_examples=100, deadline=None)
@given(st.lists(entries, max_size=4, unique_by=lambda item: item.id), st.booleans())
def test_entries_round_trip_whatever_they_contain(items: list[LogEntry], windows: bool) -> None:
    text = append_entries("", items, FRONT)
    if windows:
        text = "\ufeff" + text.replace("\n", "\r\n")
    found = parse_log(text, "x.md")
    assert found.problems == ()
    assert found.entries == tuple(normal(item) for item in items)
    assert found.front["entry_count"] == len(items)
    assert found.last_number == max([0, *(int(item.id[-8:]) for item in items)])


@settings(max_examples=100, deadline=None)
@given(entries, entries, hostile_text, st.booleans())
def test_replacing_touches_only_its_entry(old: LogEntry, new: LogEntry, remark: str, windows: bool) -> None:
    remark = normal_text(remark).replace("<!--", "").replace("#", "").replace("---", "")
    first, last = entry(500), entry(600)
    old, new = replace(old, id="ep_20261115_00000550"), replace(new, id="ep_20261115_00000550")
    text = f"{log(first)}\n{remark}\n\n{render_entry(old)}\nnote by hand\n\n{render_entry(last)}"
    if windows:
        text = text.replace("\n", "\r\n")
    changed = replace_entry(text, new)
    before, _, rest = text.partition("<!-- entry:ep_20261115_00000550 -->")
    after = rest.partition("<!-- /entry:ep_20261115_00000550 -->")[2]
    assert changed.startswith(before)
    assert changed.endswith(after)
    found = parse_log(changed, "x.md")
    assert found.problems == ()
    merged = normal(LogEntry(new.id, {**old.fields, **new.fields}, {**old.sections, **new.sections}))
    assert found.entries == (first, merged, last)
    assert replace_entry(changed, new) == changed


@settings(max_examples=100, deadline=None)
@given(entries, st.booleans(), st.sampled_from(["", "\n", "\nremark", "\nremark\n\n\n"]))
def test_removing_undoes_appending(item: LogEntry, windows: bool, tail: str) -> None:
    text = log(entry(500), entry(600)) + tail
    if windows:
        text = text.replace("\n", "\r\n")
    removed = remove_entry(append_entries(text, [item], {}), item.id)
    assert removed.rstrip() == text.rstrip()
    assert parse_log(removed, "x.md").last_number == 600


def test_the_text_of_a_log() -> None:
    fields: dict[str, str | tuple[str, ...]] = {"owner_id": "alice", "sender_ids": ("alice", "b, c")}
    item = LogEntry("ep_20261115_00000007", fields, {"Subject": "A walk", "Content": "One\n\n## Two\n---"})
    assert append_entries("", [item], FRONT) == (
        "---\n"
        "id: episode_log_alice_2026-11-15\n"
        "type: episode_daily\n"
        "file_type: episode_daily\n"
        "schema_version: 1\n"
        "user_id: alice\n"
        "track: user\n"
        "date: '2026-11-15'\n"
        "entry_count: 1\n"
        "last_appended_at: '2026-11-15T10:00:00Z'\n"
        "last_number: 7\n"
        "---\n"
        "\n"
        "<!-- entry:ep_20261115_00000007 -->\n"
        "## ep_20261115_00000007\n"
        "\n"
        "**owner_id**: alice\n"
        '**sender_ids**: [alice, "b, c"]\n'
        "\n"
        "### Subject\n"
        "A walk\n"
        "\n"
        "### Content\n"
        "One\n"
        "\n"
        "\\## Two\n"
        "\\---\n"
        "<!-- /entry:ep_20261115_00000007 -->\n"
    )


def test_appending_keeps_everything_a_person_wrote() -> None:
    text = log(entry(1)).replace("track: user\n", "track: user  # mine\n# a remark\ntags: [a, b]\n") + "\nMy note"
    longer = append_entries(text, [entry(2)], {**FRONT, "last_appended_at": "2026-11-15T11:00:00Z"})
    expected = text.replace("entry_count: 1", "entry_count: 2").replace("last_number: 1", "last_number: 2")
    expected = expected.replace("T10:00:00Z", "T11:00:00Z")
    assert longer == f"{expected}\n\n{render_entry(entry(2))}"


def test_a_deleted_number_is_not_given_again() -> None:
    text = remove_entry(log(), "ep_20261115_00000003")
    assert last_number(text) == 3
    assert parse_log(text, "x").front["entry_count"] == 2
    empty = remove_entry(remove_entry(text, "ep_20261115_00000001"), "ep_20261115_00000002")
    assert parse_log(empty, "x").entries == ()
    assert last_number(empty) == 3
    assert last_number(append_entries(empty, [entry(4)], FRONT)) == 4


def test_numbers_of_broken_and_upstream_files_count() -> None:
    assert last_number(None) == 0
    assert last_number("---\nentry_count: 9\n---\n") == 9
    assert last_number("<!-- entry:ep_20261115_00000012 -->\nno end") == 12
    assert last_number("---\nlast_number: 99999999999\n---\n") == 0
    assert last_number("---\n: [\n---\n\n" + render_entry(entry(5))) == 5


def test_an_id_is_not_appended_twice() -> None:
    with pytest.raises(Damaged, match="next free number is 4"):
        append_entries(log(), [entry(2)], FRONT)


def test_broken_entries_become_problems_and_the_good_ones_stay() -> None:
    text = log()
    lines = text.split("\n")
    at = lines.index("<!-- /entry:ep_20261115_00000002 -->")
    found = parse_log("\n".join(lines[:at] + lines[at + 1 :]), "p.md")
    assert [item.id[-1] for item in found.entries] == ["1", "3"]
    (problem,) = found.problems
    assert (problem.path, problem.line) == ("p.md", lines.index("<!-- entry:ep_20261115_00000002 -->") + 1)
    assert "ep_20261115_00000002 has no closing marker" in problem.reason


@pytest.mark.parametrize(
    ("old", "new", "reason", "kept", "at"),
    [
        ("## ep_20261115_00000002\n", "", "no heading", "13", "<!-- entry:ep_20261115_00000002"),
        (
            "/entry:ep_20261115_00000002",
            "/entry:x",
            "closed by the marker of x",
            "13",
            "<!-- entry:ep_20261115_00000002",
        ),
        ("entry:ep_20261115_00000002", "entry:ep_20261115_00000001", "twice", "13", "<!-- entry:ep_20261115_00000001"),
        ("<!-- entry:ep_20261115_00000002 -->\n##", "##x", "never opened", "13", "<!-- /entry:ep_20261115_00000002"),
        ("<!-- /entry:ep_20261115_00000003 -->\n", "", "no closing", "12", "<!-- entry:ep_20261115_00000003"),
        ("track: user\n", "track: [user\n", "not valid YAML", "123", "date:"),
        ("track: user\n", "track: &a [user]\nx: *a\n", "aliases", "123", ""),
        ("last_number: 3\n---\n", "last_number: 3\n", "not closed", "123", ""),
    ],
)
def test_each_kind_of_damage(old: str, new: str, reason: str, kept: str, at: str) -> None:
    assert old in log()
    text = log().replace(old, new)
    found = parse_log(text, "p.md")
    assert [item.id[-1] for item in found.entries] == list(kept)
    assert [reason in problem.reason for problem in found.problems] == [True]
    assert found.problems[0].line == (text[: text.rindex(at)].count("\n") + 1 if at else 1)


def test_people_may_edit_the_heading_and_add_text() -> None:
    text = log(entry(1)).replace("## ep_20261115_00000001", "## The day we met\n\nA remark\n") + "\nMore by hand\n"
    found = parse_log(text, "p.md")
    assert found.problems == ()
    assert found.entries == (entry(1),)
    changed = replace_entry(text, entry(1, Subject="New", Content="Text 1"))
    assert changed == text.replace("Subject 1", "New")


def test_entries_typed_by_hand_without_markers_are_read() -> None:
    typed = "## ep_20261115_00000004\n**session_id**: s9\n\n### Content\nBy hand\n\n## Other\nnot an entry\n"
    text = log(entry(1)) + "\n" + typed + "\n" + render_entry(entry(5))
    found = parse_log(text, "p.md")
    assert found.problems == ()
    assert found.entries == (
        entry(1),
        LogEntry("ep_20261115_00000004", {"session_id": "s9"}, {"Content": "By hand"}),
        entry(5),
    )
    new = LogEntry("ep_20261115_00000004", {"session_id": "s9"}, {"Content": "# One\nmore"})
    changed = replace_entry(text, new)
    assert parse_log(changed, "p.md").entries == (entry(1), new, entry(5))
    assert "## Other\nnot an entry\n" in changed
    assert parse_log(remove_entry(text, new.id), "p.md").entries == (entry(1), entry(5))


def test_an_entry_that_lost_its_opening_marker_is_read() -> None:
    text = log().replace("<!-- entry:ep_20261115_00000002 -->\n", "")
    found = parse_log(text, "p.md")
    assert found.problems == ()
    assert found.entries == (entry(1), entry(2), entry(3))
    assert parse_log(replace_entry(text, entry(2, Content="x")), "p.md").problems == ()


def test_extra_fields_and_sections_stay_until_dropped() -> None:
    text = log(LogEntry("af_1", {"a": "1", "mine": "x", "old": "y"}, {"Fact": "F", "Mine": "keep"}))
    new = LogEntry("af_1", {"a": "2", "b": "3"}, {"Fact": "G"})
    kept = parse_log(replace_entry(text, new), "p").entries[0]
    assert kept == LogEntry("af_1", {"a": "2", "mine": "x", "old": "y", "b": "3"}, {"Fact": "G", "Mine": "keep"})
    dropped = parse_log(replace_entry(text, new, drop={"old", "Mine"}), "p").entries[0]
    assert dropped == LogEntry("af_1", {"a": "2", "mine": "x", "b": "3"}, {"Fact": "G"})


def test_a_repeated_section_is_read_as_one() -> None:
    text = log(entry(1)).replace("Text 1\n", "Text 1\n\n### Content\nmore\n")
    assert parse_log(text, "p").entries[0].sections["Content"] == "Text 1\n\nmore"
    changed = parse_log(replace_entry(text, entry(1, Content="only")), "p").entries[0]
    assert changed.sections["Content"] == "only"


def test_damaged_front_matter_is_left_alone() -> None:
    text = log(entry(1)).replace("track: user", "track: [user")
    longer = append_entries(text, [entry(2)], FRONT)
    assert longer == f"{text}\n{render_entry(entry(2))}"
    assert last_number(longer) == 2


def test_front_matter_that_lines_cannot_edit_is_written_anew() -> None:
    text = log(entry(1)).replace("entry_count: 1\n", '"entry_count": 1\nmine: {a: 1}\n')
    found = parse_log(append_entries(text, [entry(2)], FRONT), "p")
    assert found.problems == ()
    assert (found.front["entry_count"], found.front["mine"]) == (2, {"a": 1})


def test_a_log_without_front_matter_is_read_and_gets_one() -> None:
    text = render_entry(entry(1))
    assert parse_log("\ufeff" + text, "p").entries == (entry(1),)
    assert parse_log(text, "p").problems == ()
    longer = append_entries(text, [entry(2)], FRONT)
    assert longer.startswith("---\nid: episode_log_alice_2026-11-15\n")
    assert longer.endswith(f"---\n\n{text}\n{render_entry(entry(2))}")


def test_missing_entries_are_named() -> None:
    with pytest.raises(NotFound, match="ep_20261115_00000009"):
        remove_entry(log(), "ep_20261115_00000009")
    with pytest.raises(Damaged, match=r"line \d+: entry ep_20261115_00000003 has no closing marker"):
        replace_entry(log().replace("<!-- /entry:ep_20261115_00000003 -->", ""), entry(3))


@pytest.mark.parametrize(
    "item",
    [
        LogEntry("a b", {}, {}),
        LogEntry("a-->", {}, {}),
        LogEntry("", {}, {}),
        LogEntry("a", {"x*": "1"}, {}),
        LogEntry("a", {"x\n": "1"}, {}),
        LogEntry("a", {}, {"": "x"}),
        LogEntry("a", {}, {"A\nB": "x"}),
    ],
)
def test_names_that_would_break_the_file_are_refused(item: LogEntry) -> None:
    with pytest.raises(InvalidInput):
        render_entry(item)


def test_half_characters_are_replaced() -> None:
    text = append_entries("", [entry(1, Content="a\ud800b")], {**FRONT, "user_id": "x\udfff"})
    assert parse_log(text, "p").entries[0].sections["Content"] == "a\ufffdb"
    assert text.encode("utf-8")


def test_a_large_log_is_parsed_in_linear_time() -> None:
    def prepare(size: int) -> Callable[[], object]:
        content = "word " * 60 + "\n\n## x\n" + "more " * 100
        text = log(*(entry(n, Subject="S", Content=content) for n in range(1, size + 1)))
        assert len(parse_log(text, "p").entries) == size
        return partial(parse_log, text, "p")

    assert_linear(prepare, 200)


@pytest.mark.parametrize(
    ("start", "again"),
    [
        ("", "<!-- entry:a -->\n"),
        ("", "## ep_20261115_00000001\n"),
        ("<!-- entry:", " "),
        ("---\n", "\n"),
        ("---\n", "<!-- "),
    ],
)
def test_hostile_logs_cost_no_more_than_their_length(start: str, again: str) -> None:
    assert_linear(lambda size: partial(parse_log, start + again * (size // len(again)), "p"), 25_000)

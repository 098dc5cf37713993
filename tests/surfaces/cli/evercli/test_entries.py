"""Our entry in a file of any format, and our block in instructions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from everlore.surfaces.cli.evercli import entries
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.transcripts.notes import BEGIN

WHERE = Path("config")


STEPS = ("mcp_servers", "everme-memory")


ENTRY = {"command": "/opt/e v/everlore", "args": ["mcp", "--toolset", "everme"], "env": {"A": "b: #c", "D": '"'}}


ODD_TOML = (
    "# a note\n",
    "\n",
    "  \n",
    'a = """\n[mcp_servers.everme-memory]\n# text "" \\"\n"""\n',
    "b = '''\n[x] '' = 1\n'''  # tail\n",
    'c = [\n  1, # "one\n  [2],\n]\n',
    "mcp_servers = {}  # none\n",
    'mcp_servers = { o = { command = "x" } }\n',
    'mcp_servers.dotted.command = "]"\n',
    "[ mcp_servers ]  # all of them\n",
    '["mcp_servers"."#[o]"]\ncommand = "y" # mine\n',
    '# my other server, keep this comment\n[mcp_servers.other]\ncommand = "x"\n',
    "[[list]]\nz = 1\n",
    "[tail]\nz = {a = [1, 2], b = '#'}\n",
)


ODD_YAML = (
    "# a note\n",
    "\n",
    "a: {b: [1, 2]} # mine\n",
    "text: |\n  mcp_servers:\n    everme-memory: 1\n",
    "mcp_servers:   # my servers\n",
    "mcp_servers:\n",
    "mcp_servers: {} # none yet\n",
    "mcp_servers: {o: {command: x}, p: {}}  # two\n",
    "mcp_servers: {  # two\n  o: {command: x},\n  p: {}\n  }\n",
    "mcp_servers:\n    # the time\n    time: {command: uvx}  # mine\n    # the end of them\n",
    'mcp_servers:\n  "o":\n    command: x\n\n',
    "tail: 1\n",
)


@pytest.mark.parametrize(("form", "lines"), [("toml", ODD_TOML), ("yaml", ODD_YAML)])
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_taking_it_out_gives_back_the_same_bytes(form: str, lines: tuple[str, ...], data: st.DataObject) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(lines), max_size=6)))
    text = text.replace("\n", "\r\n") if data.draw(st.booleans()) else text
    text = text.rstrip("\r\n") if data.draw(st.booleans()) else text
    try:
        entries.load(text, form, WHERE)
        after = entries.put(text, form, WHERE, STEPS, {"command": "older"})
    except Failure:
        assume(False)
    other = entries.put(after, form, WHERE, STEPS, ENTRY)
    assert entries.cut(after, form, WHERE, STEPS) == text
    assert entries.cut(other, form, WHERE, STEPS) == text, "an entry that was brought up to date as well"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("toml", "[broken"),
        ("toml", "mcp_servers = 3\n"),
        ("yaml", "a: [1\n"),
        ("yaml", "- a\n- b\n"),
        ("yaml", "a: 1\n---\nb: 2\n"),
        ("yaml", "mcp_servers: text\n"),
        ("json", "{"),
        ("json", "[]"),
        ("json", '{"mcp_servers": [1]}'),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(form: str, text: str) -> None:
    with pytest.raises(Failure) as refused:
        entries.put(text, form, WHERE, STEPS, ENTRY)
    assert refused.value.kind == "io"
    assert "left as it is" in refused.value.message


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r")), st.text("ab\n #", min_size=1))
@settings(max_examples=15, deadline=None)
def test_the_block_of_instructions_comes_and_goes(text: str, body: str) -> None:
    after = entries.put_block(text, body)
    assert after.startswith(text)
    assert entries.put_block(after, body) == after
    assert entries.put_block(after, "other").count(BEGIN) == 1
    assert entries.cut_block(after) == text


def test_a_begin_mark_without_an_end_takes_nothing_along() -> None:
    text = f"# Mine\n{BEGIN}\nmy own words\n"
    after = entries.put_block(text, "ours")
    assert entries.put_block(after, "newer").startswith(text)
    assert entries.cut_block(after) == text

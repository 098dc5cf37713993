"""Our entry in TOML and YAML files, and our block in instructions: what is not ours stays as it was."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from everlore.surfaces.cli.evercli import entries
from everlore.surfaces.cli.evercli.failure import Failure

WHERE = Path("config")
STEPS = ("mcp_servers", "everme-memory")
ENTRY = {"command": "/opt/e v/everlore", "args": ["mcp", "--toolset", "everme"], "env": {"A": "b: #c", "D": '"'}}
NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True).filter(
    lambda name: name not in ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none")
)
LEAVES = (
    st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(codec="ascii", categories=["L", "N", "P"]))
)
TABLES = st.dictionaries(NAMES, LEAVES | st.lists(st.integers(), max_size=3), max_size=3)
CONFIGS = st.dictionaries(NAMES, LEAVES | TABLES, max_size=4)


def with_servers(config: dict[str, Any], servers: dict[str, Any] | None) -> dict[str, Any]:
    return config if servers is None else {**config, "mcp_servers": servers}


@given(CONFIGS, st.none() | st.dictionaries(NAMES, TABLES, min_size=1, max_size=2), st.booleans())
@settings(max_examples=15, deadline=None)
def test_toml_keeps_every_other_line(config: dict[str, Any], servers: dict[str, Any] | None, crlf: bool) -> None:
    text = "# mine\n" + tomlkit.dumps(with_servers(config, servers)) + "# the end\n"
    text = text.replace("\n", "\r\n") if crlf else text
    after = entries.put(text, "toml", WHERE, STEPS, ENTRY)
    assert tomllib.loads(after)["mcp_servers"]["everme-memory"] == ENTRY
    assert entries.put(after, "toml", WHERE, STEPS, ENTRY) == after
    lines = iter(after.splitlines())
    assert all(any(line == other for other in lines) for line in text.splitlines()), "a line is gone or has moved"
    assert ("\r\n" in after) == crlf
    assert entries.cut(after, "toml", WHERE, STEPS) == text


@given(CONFIGS, st.none() | st.dictionaries(NAMES, TABLES, max_size=2), st.booleans())
@settings(max_examples=15, deadline=None)
def test_yaml_keeps_every_other_line(config: dict[str, Any], servers: dict[str, Any] | None, crlf: bool) -> None:
    text = "# mine\n" + (yaml.safe_dump(with_servers(config, servers), sort_keys=False) if config or servers else "")
    text = text.replace("\n", "\r\n") if crlf else text
    after = entries.put(text, "yaml", WHERE, STEPS, ENTRY)
    assert yaml.safe_load(after) == with_servers(config, {**(servers or {}), "everme-memory": ENTRY})
    assert entries.put(after, "yaml", WHERE, STEPS, ENTRY) == after
    if servers:
        lines = iter(after.splitlines())
        assert all(any(line == other for other in lines) for line in text.splitlines()), "a line is gone or has moved"
    assert entries.cut(after, "yaml", WHERE, STEPS) == text


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


@pytest.mark.parametrize("tail", ["\n# only a comment", '\n# keep this comment\n[mcp_servers.other]\ncommand = "x"\n'])
def test_what_was_written_below_our_table_stays(tail: str) -> None:
    ours = entries.put('model = "x"\n', "toml", WHERE, STEPS, {"command": "older"})
    newer = entries.put(ours + tail, "toml", WHERE, STEPS, ENTRY)
    assert newer.endswith(tail)
    assert entries.cut(newer, "toml", WHERE, STEPS) == f'model = "x"\n{tail}'


@pytest.mark.parametrize("word", ["null", "~"])
def test_a_comment_beside_an_empty_section_of_yaml_stays(word: str) -> None:
    after = entries.put(f"mcp_servers: {word} # none\nz: 1\n", "yaml", WHERE, STEPS, ENTRY)
    assert entries.cut(after, "yaml", WHERE, STEPS) == "mcp_servers: {} # none\nz: 1\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "x" } }\n',
        'mcp_servers.a.command = "x"\n',
        '[mcp_servers.a]\ncommand="x"\n[other]\nz=1\n[mcp_servers.b]\ncommand="y"\n',
        "[mcp_servers]\n",
        '[mcp_servers.everme-memory]\ncommand="old"\n[mcp_servers.everme-memory.env]\nQ="1"\n[z]\na=1\n',
        'a = """\n[mcp_servers.everme-memory]\n"""\n',
        "mcp_servers = {}  # none\n[[list]]\nz = 1\n[tail]\n[[list]]\nz = 2\n",
    ],
)
def test_toml_in_every_way_of_writing_tables(text: str) -> None:
    before = tomllib.loads(text)
    after = entries.put(text, "toml", WHERE, STEPS, ENTRY)
    servers = {**before.get("mcp_servers", {}), "everme-memory": ENTRY}
    assert tomllib.loads(after) == {**before, "mcp_servers": servers}
    if "everme-memory" not in before.get("mcp_servers", {}):
        assert entries.cut(after, "toml", WHERE, STEPS) == text
    del servers["everme-memory"]
    gone = tomllib.loads(entries.cut(after, "toml", WHERE, STEPS))
    assert {"mcp_servers": {}, **gone} == {**before, "mcp_servers": servers}


def test_yaml_with_comments() -> None:
    before = "# hermes\nmcp_servers:\n  # the time\n  time: {command: uvx}  # mine\n# tail\nother: 1\n"
    after = entries.put(before, "yaml", WHERE, STEPS, {"command": "x"})
    assert after == before.replace("  time:", "  everme-memory:\n    command: x\n  time:")
    assert entries.cut(after, "yaml", WHERE, STEPS) == before


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
    assert entries.put_block(after, "other").count(entries.BEGIN) == 1
    assert entries.cut_block(after) == text


def test_a_begin_mark_without_an_end_takes_nothing_along() -> None:
    text = f"# Mine\n{entries.BEGIN}\nmy own words\n"
    after = entries.put_block(text, "ours")
    assert entries.put_block(after, "newer").startswith(text)
    assert entries.cut_block(after) == text

"""Our table in TOML files: what is not ours stays as it was."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.surfaces.cli.evercli import entries

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


@pytest.mark.parametrize("tail", ["\n# only a comment", '\n# keep this comment\n[mcp_servers.other]\ncommand = "x"\n'])
def test_what_was_written_below_our_table_stays(tail: str) -> None:
    ours = entries.put('model = "x"\n', "toml", WHERE, STEPS, {"command": "older"})
    newer = entries.put(ours + tail, "toml", WHERE, STEPS, ENTRY)
    assert newer.endswith(tail)
    assert entries.cut(newer, "toml", WHERE, STEPS) == f'model = "x"\n{tail}'


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

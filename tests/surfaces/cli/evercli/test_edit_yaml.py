"""Our entry in YAML files: what is not ours stays as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
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


@pytest.mark.parametrize("word", ["null", "~"])
def test_a_comment_beside_an_empty_section_of_yaml_stays(word: str) -> None:
    after = entries.put(f"mcp_servers: {word} # none\nz: 1\n", "yaml", WHERE, STEPS, ENTRY)
    assert entries.cut(after, "yaml", WHERE, STEPS) == "mcp_servers: {} # none\nz: 1\n"


def test_yaml_with_comments() -> None:
    before = "# hermes\nmcp_servers:\n  # the time\n  time: {command: uvx}  # mine\n# tail\nother: 1\n"
    after = entries.put(before, "yaml", WHERE, STEPS, {"command": "x"})
    assert after == before.replace("  time:", "  everme-memory:\n    command: x\n  time:")
    assert entries.cut(after, "yaml", WHERE, STEPS) == before

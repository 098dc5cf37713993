"""What the owner of an installation wrote: its config file and the variables EVEROS_*, as raw values by section.

`config` gives them types. Nothing but the standard library is imported here: a process that must answer at once asks
for the two or three it needs without them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from everlore.errors import Misconfigured

DEFAULT_ROOT = "~/.everos"

Written = dict[str, Any]
"""By section, or by name where a setting is in none: {"api": {"port": "1"}, "log_level": "info"}."""


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    named = environ.get("EVEROS_CONFIG_FILE")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise Misconfigured(f"EVEROS_CONFIG_FILE names {path}, which is not a file")
        return path
    return Path(environ.get("EVEROS_MEMORY__ROOT") or DEFAULT_ROOT).expanduser() / "config.toml"


def from_file(path: Path) -> Written:
    """What the config file says. Some editors begin it with a byte order mark, which is no TOML."""
    if not path.is_file():
        return {}
    import tomllib  # half the time that a start without a file takes

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise Misconfigured(f"{path} cannot be read: {error}") from None


def from_variables(environ: Mapping[str, str] = os.environ) -> Iterator[tuple[str, Written]]:
    """Each variable with what it says: EVEROS_API__PORT=1 says {"api": {"port": "1"}}, and so does a section in JSON,
    EVEROS_API={"port": 1}, which comes first because the other is more exact."""
    for variable, value in sorted(environ.items(), key=lambda item: item[0].lower()):
        prefix, _, lower = variable.lower().partition("_")
        name, nested, key = lower.partition("__")
        if prefix != "everos" or name == "config_file":
            continue
        said: Any = {key: value} if nested else value
        if not nested and value.lstrip().startswith("{"):
            try:
                said = json.loads(value)
            except ValueError:
                raise Misconfigured(f"setting {variable}: this is not valid JSON") from None
        yield variable, {name: said}


def merged(weaker: Written, stronger: Mapping[str, Any]) -> Written:
    settings = dict(weaker)
    for name, value in stronger.items():
        both = settings.get(name)
        settings[name] = {**both, **value} if isinstance(both, dict) and isinstance(value, dict) else value
    return settings


def settings(environ: Mapping[str, str] = os.environ) -> Written:
    """All of it, the environment before the file."""
    written = from_file(config_file(environ))
    for _, said in from_variables(environ):
        written = merged(written, said)
    return written

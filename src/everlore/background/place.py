"""Where a vault's server is registered. Settings that would change its answers are part of the name, so that nobody is
served from another store, or by another model, than their own environment says."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from everlore.written import DEFAULT_ROOT, Written, settings

SYSTEM = ".everlore"
STORE_VARIABLES = ("DATABASE_URL", "DB_MAX_POOL_SIZE", "DB_IDLE_TIMEOUT", "DB_QUERY_TIMEOUT")
"""Of other contracts, read where ours say nothing."""
POSTGRES = re.compile(r"postgres(ql)?(\+\w+)?://")
"""DATABASE_URL is a name that other programs use for other databases too."""
OF_ITS_CLIENT = ("mcp", "background", "log_level", "log_format")
"""What each client says with its requests, or what decides nothing about answers;"""
OF_ITS_START = {"api": ("host", "port", "insecure"), "memory": ("root",)}
"""and, by section, what only says where the server is."""


class Place(NamedTuple):
    root: Path
    name: str
    """`server` where nothing was set, `server-` and a digest of it elsewhere."""
    may_start: bool
    """Whether a server may be started for it."""

    def file(self, ending: str) -> Path:
        return self.root / SYSTEM / f"{self.name}.{ending}"


class Server(NamedTuple):
    """As it registered itself."""

    pid: int
    version: str
    vault: str
    socket: str
    url: str
    token: str
    started: str
    background: bool


def registered(place: Place) -> Server | None:
    """What the file says. That there is one does not mean that the server still runs."""
    try:
        told = json.loads(place.file("json").read_bytes())
        server = Server(**{name: told[name] for name in Server._fields})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # else the vault was moved, which its server is about to notice
    return server if server.vault == os.path.realpath(place.root) else None


def place_of(environ: Mapping[str, str] = os.environ, further: Iterable[str] = ()) -> Place:
    """Of the server that serves who has this environment. `further`: variables that matter besides.

    Raises `Misconfigured` where the settings cannot be read at all.
    """
    written = settings(environ)
    memory, background = (_section(written, name) for name in ("memory", "background"))
    root = Path(memory.get("root") or DEFAULT_ROOT).expanduser().absolute()
    variables = {name: environ[name] for name in (*STORE_VARIABLES, *further) if environ.get(name)}
    if not POSTGRES.match(variables.get("DATABASE_URL", "")):
        variables.pop("DATABASE_URL", None)
    matters = {**_decisive(written), **variables}
    may_start = str(background.get("start", True)).strip().lower() not in ("false", "f", "0", "no", "n", "off")
    return Place(root, f"server-{_digest(matters)}" if matters else "server", may_start)


def _digest(matters: Written) -> str:
    import hashlib  # most have set nothing, and hooks wait for every import

    return hashlib.sha256(json.dumps(matters, sort_keys=True, default=str).encode()).hexdigest()[:8]


def _section(written: Written, name: str) -> Written:
    section = written.get(name)
    return section if isinstance(section, dict) else {}


def _decisive(written: Written) -> Written:
    decisive: Written = {}
    for name, said in written.items():
        if name in OF_ITS_CLIENT:
            continue
        if isinstance(said, dict):
            said = {key: value for key, value in said.items() if key not in OF_ITS_START.get(name, ())}
        if said:
            decisive[name] = said
    return decisive

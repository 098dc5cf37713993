"""Who "I" am on this machine: the user that surfaces mean when they are told none, and what that person is called, so
that memories read "Anna lives in Graz" and not "User".

Nothing but the standard library is imported: programs ask here that must be quick, and have no settings loaded.
"""

from __future__ import annotations

import getpass
import os
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from everlore.project import settings_in
from everlore.types import speaker_name

ME = "default"
NOBODY = "User"
"""Where nothing tells a name."""
_ROLES = (
    "root admin administrator user default guest nobody system daemon service ubuntu debian fedora ec2-user vagrant"
    " docker app node runner vscode codespace gitpod jovyan coder dev developer test tester everlore"
)
"""Accounts that are no people."""


def user_id(env: Mapping[str, str]) -> str:
    """`mcp.user` of the settings, for who has no settings loaded."""
    root = Path(env.get("EVEROS_MEMORY__ROOT") or "~/.everos").expanduser()
    file = Path(env["EVEROS_CONFIG_FILE"]).expanduser() if env.get("EVEROS_CONFIG_FILE") else root / "config.toml"
    try:
        written = tomllib.loads(file.read_text(encoding="utf-8-sig")).get("mcp", {})
    except (OSError, ValueError):  # there is none; or it is broken, as who uses the vault will say
        written = {}
    named = {name.lower(): value for name, value in env.items()}.get("everos_mcp__user")
    return str(named or (written.get("user") if isinstance(written, dict) else "") or ME)


@cache
def display_name() -> str:
    """From git's `user.name`, else from the account of the operating system, else "User"."""
    return next((name for ask in (_of_git, _full_name, _account) if _is_name(name := ask())), NOBODY)


def _of_git() -> str:
    """As git itself reads it for this user: the later file wins."""
    env, home = os.environ, Path(os.environ.get("HOME") or Path.home())
    files = [Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config", home / ".gitconfig"]
    if env.get("GIT_CONFIG_GLOBAL"):
        files = [Path(env["GIT_CONFIG_GLOBAL"])]
    said = [value for file in files for key, value in settings_in(file) if key == ("user", "", "name")]
    return said[-1] if said else ""


def _full_name() -> str:
    if sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0]
    except KeyError:  # a container without an entry for its user
        return ""


def _account() -> str:
    try:
        return speaker_name(getpass.getuser())
    except (OSError, KeyError, ImportError):
        return ""


def _is_name(text: str) -> bool:
    name = text.strip().lower()
    return (
        bool(name)
        and name.isprintable()
        and len(name) <= 80
        and name not in _ROLES.split()
        and any(map(str.isalpha, name))
    )

"""Where evercli keeps things. Nothing but the standard library is imported: hooks look here first."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path


class Folders:
    """`account` says who is logged in, without secrets."""

    def __init__(self, config: Path, data: Path) -> None:
        self.config, self.data = config, data
        self.config_file = config / "config.yaml"
        self.account = config / "account.json"
        self.credentials = data / "credentials.json"
        self.device_session = data / "device-session.json"
        self.log = data / "evercli.log"
        self.ledger = data / "imports.db"
        self.programs = data / "bin"


def home_folder(env: Mapping[str, str]) -> Path:
    named = env.get("USERPROFILE") if sys.platform == "win32" else env.get("HOME")
    return Path(named) if named else Path.home()


def find_folders(env: Mapping[str, str], home: Path) -> Folders:
    if sys.platform == "win32":
        config = Path(env.get("APPDATA") or home / "AppData" / "Roaming")
        data = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        config = data = home / "Library" / "Application Support"
    else:
        config, data = home / ".config", home / ".local" / "share"
    named = _named(env, "XDG_CONFIG_HOME", config), _named(env, "XDG_DATA_HOME", data)
    return Folders(*(folder / "evercli" for folder in named))


def _named(env: Mapping[str, str], name: str, default: Path) -> Path:
    value = env.get(name, "")
    return Path(value) if Path(value).is_absolute() else default  # the XDG rules: a relative path is ignored

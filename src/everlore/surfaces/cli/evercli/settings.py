"""Where evercli keeps things and which server it talks to.

The address, first found wins: EVERCLI_API_BASE_URL, `api_base_url` in config.yaml, EVERME_API_BASE (what the plugins
read), the server of the last login, http://127.0.0.1:8000.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from everlore.surfaces.cli.evercli.arguments import TIMEOUT_SECONDS, duration
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument, unusable
from everlore.surfaces.cli.evercli.files import read_bytes, read_json
from everlore.surfaces.cli.evercli.folders import Folders, find_folders, home_folder
from everlore.types import Json

DEFAULT_BASE: Final = "http://127.0.0.1:8000"
PREFIX: Final = "/api/v1"
API_KEY: Final = re.compile(r"emk_[0-9a-f]{32}")


@dataclass(frozen=True)
class Login:
    """What a login left on this machine, or the key in EVERCLI_API_KEY, which is `stored` nowhere."""

    base: str
    api_key: str
    agent_id: str
    agent_token: str
    account: Mapping[str, Json]
    stored: bool = True


@dataclass(frozen=True)
class Settings:
    base: str
    base_from: str
    timeout: float
    home: Path
    folders: Folders
    config_file: Path
    given_key: str = ""
    """EVERCLI_API_KEY: a login for this one command, which counts before the stored one."""

    def login(self) -> Login | None:
        """The login at the server in use. One at another server does not count: its key must never be sent here."""
        stored = read_json(self.folders.credentials)
        is_here = stored is not None and stored.get("apiBaseUrl") == self.base
        if self.given_key and not (stored and is_here and stored.get("apiKey") == self.given_key):
            key = checked_key(self.given_key, "EVERCLI_API_KEY")
            return Login(self.base, key, "", "", {"apiKeyPrefix": key[:8]}, stored=False)
        if stored is None or not is_here or not stored.get("apiKey"):
            return None
        return Login(
            self.base,
            str(stored["apiKey"]),
            str(stored.get("agentId") or ""),
            str(stored.get("agentToken") or ""),
            read_json(self.folders.account) or {},
        )

    def login_elsewhere(self) -> str:
        """The server of a login that is not of the server in use."""
        stored = read_json(self.folders.credentials) or {}
        base = str(stored.get("apiBaseUrl") or "")
        return base if base != self.base else ""


def load(env: Mapping[str, str], config: str, timeout: float | None) -> Settings:
    home = home_folder(env)
    folders = find_folders(env, home)
    config_file = Path(config).expanduser() if config else folders.config_file
    written = _read_config(config_file, must_exist=bool(config))
    base, source = _base(env, written, folders, config_file)
    return Settings(
        base=base,
        base_from=source,
        timeout=timeout or _timeout(written, config_file),
        home=home,
        folders=folders,
        config_file=config_file,
        given_key=env.get("EVERCLI_API_KEY", ""),
    )


def checked_key(key: str, source: str) -> str:
    if not API_KEY.fullmatch(key):
        hint = "A key is emk_ and 32 hexadecimal digits; `everlore keys create` makes one"
        raise bad_argument(f"{source} is not an account key", hint, flag="api-key")
    return key


def _read_config(path: Path, *, must_exist: bool) -> dict[str, Json]:
    raw = read_bytes(path)
    if raw is None:
        if must_exist:
            raise unusable(path, f"there is no config file {path}", "Name a file that exists, or leave --config out")
        return {}
    import yaml

    try:
        value = yaml.safe_load(raw.decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise unusable(path, f"{path} is not valid YAML: {reason}") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise unusable(path, f"{path} must be a mapping", "Write lines such as: api_base_url: http://127.0.0.1:8000")
    return value


def _base(env: Mapping[str, str], written: Mapping[str, Json], folders: Folders, config_file: Path) -> tuple[str, str]:
    for value, source in (
        (env.get("EVERCLI_API_BASE_URL"), "EVERCLI_API_BASE_URL"),
        (written.get("api_base_url"), str(config_file)),
        (env.get("EVERME_API_BASE"), "EVERME_API_BASE"),
        ((read_json(folders.account) or {}).get("apiBaseUrl"), "login"),
    ):
        if value:
            return normal_base(str(value), source), source
    return DEFAULT_BASE, "default"


def normal_base(text: str, source: str) -> str:
    found = re.fullmatch(r"(https?)://([^/?#@\s]+)(/[^?#\s]*)?", text.strip(), re.IGNORECASE)
    wrong = ""
    try:
        if not found:
            shown = re.sub(r"//.*@", "//***@", text)  # it may hold a password
            wrong = f"{source} is not an http(s) address: {shown!r}"
        elif urlsplit(text.strip()).port == 0:
            wrong = f"{source} has the port 0"
    except ValueError:  # its message quotes the port, which may be part of a password
        wrong = f"{source} has a port or an IPv6 address that is none"
    if wrong or not found:
        hint = "Give an address such as http://127.0.0.1:8000"
        raise Failure("invalid_args", wrong, hint, detail={"setting": source})
    path = (found[3] or "").rstrip("/").removesuffix(PREFIX).rstrip("/")
    return f"{found[1].lower()}://{found[2].lower()}{path}"


def _timeout(written: Mapping[str, Json], config_file: Path) -> float:
    value = written.get("timeout")
    if value is None:
        return TIMEOUT_SECONDS
    seconds = duration(str(value))
    if seconds is None:
        hint = "Write seconds or a duration: timeout: 30s"
        raise Failure("invalid_args", f"invalid timeout in {config_file}", hint, detail={"setting": "timeout"})
    return seconds


def is_loopback(base: str) -> bool:
    name = base.partition("://")[2].partition("/")[0].rpartition("@")[2]
    return name.startswith(("127.", "localhost", "[::1]"))

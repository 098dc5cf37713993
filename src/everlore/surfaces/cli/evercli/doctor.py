"""`evercli doctor`: look at everything that can be wrong, and say of each what to do. What hosts start is mended.

The exit code is that of the worst finding. Warnings do not fail.
"""

from __future__ import annotations

import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

from everlore import __version__
from everlore.me import user_id
from everlore.surfaces.cli.evercli.auth import is_own_agent, server_of
from everlore.surfaces.cli.evercli.client import Reply, exchange, gateway, memory_api
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.failure import EXIT_CODES, Failure
from everlore.surfaces.cli.evercli.files import BACKUP, read_bytes
from everlore.surfaces.cli.evercli.hosts import HOSTS, is_detected, place_of
from everlore.surfaces.cli.evercli.launching import write_launchers
from everlore.surfaces.cli.evercli.output import Result
from everlore.surfaces.cli.evercli.plugin import entry_login, entry_of, is_ours, mend
from everlore.surfaces.cli.evercli.settings import Login, is_loopback
from everlore.transcripts.text import json_object
from everlore.types import Json

CLOCK_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Finding:
    name: str
    level: str
    message: str
    hint: str = ""
    kind: str = ""
    """The error's type; of errors only."""

    def shown(self) -> dict[str, Json]:
        told = {"message": self.message, "hint": self.hint, "hintCmd": self.command}
        detail: dict[str, Json] = {"type": self.kind} if self.kind else {}
        return {"name": self.name, "ok": self.level == "ok", "severity": self.level, **told, **detail, "detail": detail}

    @property
    def command(self) -> str:
        """Of the hint, what can be run as it stands."""
        found = re.search(r"`([^`]+)`|(?:Run|it|to): ((?:evercli|everlore|chmod|mv) .+)", self.hint)
        return (found[1] or found[2]) if found else ""


def examine(call: Call) -> Result:
    login: Login | Failure | None
    try:
        login = call.settings.login()
    except Failure as failure:
        login = failure
    ours = Finding("evercli", "ok", f"version {__version__}, config {call.settings.config_file}")
    findings = [ours, *_server(call, login), *_files(call), *_plugins(call, login), *_hooks(call)]
    errors = [finding for finding in findings if finding.level == "error"]
    data: dict[str, Json] = {
        "checks": [finding.shown() for finding in findings],
        "summary": {level: sum(finding.level == level for finding in findings) for level in ("ok", "warning", "error")},
    }
    data["summary"] |= {"criticalFailed": data["summary"]["error"], "warningFailed": data["summary"]["warning"]}
    text = "\n".join(_line(finding) for finding in findings)
    if not errors:
        return Result(data, text, {"count": len(findings)})
    worst = max(errors, key=lambda finding: EXIT_CODES[finding.kind])
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    raise Failure(worst.kind, worst.message + more, worst.hint, detail=data, report=text)


def _line(finding: Finding) -> str:
    hint = f"\n         {finding.hint}" if finding.hint else ""
    return f"{finding.level:>7}  {finding.name}: {finding.message}{hint}"


def _failed(name: str, failure: Failure) -> Finding:
    return Finding(name, "error", failure.message, failure.hint, failure.kind)


def _server(call: Call, login: Login | Failure | None) -> Iterator[Finding]:
    server = server_of(call)
    if isinstance(login, Failure):
        yield _failed("login", login)
    try:
        reply = exchange(server, "GET", "/health")
    except Failure as failure:
        if login is None and call.settings.base_from == "default":  # nobody said that there is one
            yield Finding("server", "ok", "that of the vault on this machine, which starts when it is needed")
        else:
            yield _failed("server", failure)
        return
    health = json_object(reply.body) or {}
    if reply.status not in (200, 503) or "status" not in health:
        hint = "Check the address: EVERCLI_API_BASE_URL, or api_base_url in config.yaml"
        yield Finding("server", "error", f"{server.base} is not an Everlore server", hint, "upstream")
        return
    where = f"{server.base} (address from {call.settings.base_from})"
    yield Finding("server", "ok", f"{where} answers")
    yield _server_version(str(health.get("version") or ""))
    if health.get("status") != "ok":
        problems = "; ".join(map(str, health.get("problems") or [])) or "it says it is not well"
        yield Finding("server health", "warning", problems, "Run `everlore doctor` where the server runs")
    yield from _clock(reply)
    if not isinstance(login, Failure):
        yield _login(call, login)
    if login and server.base.startswith("http://") and not is_loopback(server.base):
        hint = "Put TLS in front of the server, and use https"
        yield Finding("transport", "warning", "the token travels unencrypted to another machine", hint)


def _server_version(theirs: str) -> Finding:
    if theirs == __version__:
        return Finding("server version", "ok", f"{theirs}, as evercli")
    hint = "Install the same version on both sides"
    return Finding("server version", "warning", f"the server is {theirs or 'unknown'}, evercli {__version__}", hint)


def _clock(reply: Reply) -> Iterator[Finding]:
    try:
        skew = abs(parsedate_to_datetime(reply.headers["date"]).timestamp() - time.time())
    except (KeyError, ValueError):
        return
    if skew <= CLOCK_SECONDS:
        yield Finding("clock", "ok", "agrees with the server's")
        return
    hint = "Set the clocks; memories carry the time at which they were made"
    yield Finding("clock", "warning", f"differs from the server's by {skew:.0f} s", hint)


def _login(call: Call, login: Login | None) -> Finding:
    try:
        if login is not None:
            who = gateway(server_of(call), "/auth/login", {"apiKey": login.api_key}).result
            if login.agent_token:
                gateway(server_of(call, login.agent_token), "/mem/list", {"pageSize": 1})
            return Finding("login", "ok", f"valid, as {who.get('name')} ({who.get('accountId')})")
        body = {"user_id": user_id(call.env), "memory_type": "episode", "page_size": 1}
        memory_api(server_of(call), "get", body)
    except Failure as failure:
        return _failed("login", failure)
    elsewhere = call.settings.login_elsewhere()
    known = f"; there is a login for {elsewhere}" if elsewhere else ""
    return Finding("login", "ok", f"not logged in, and this server needs no login{known}")


def _files(call: Call) -> Iterator[Finding]:
    folders = call.settings.folders
    private = [folders.credentials, folders.device_session, folders.account, folders.ledger]
    private += [path.with_name(path.name + BACKUP) for path in private[:3]]
    found = [path for path in private if path.exists()]
    open_to_others = [path for path in found if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077]
    for path in open_to_others:
        yield Finding("files", "error", f"other users can read {path}", f"Run: chmod 600 {path}", "io")
    if not open_to_others:
        yield Finding("files", "ok", f"{len(found)} private files looked at, in {folders.config} and {folders.data}")


def _plugins(call: Call, login: Login | Failure | None) -> Iterator[Finding]:
    connected = 0
    moved = call.settings.folders.programs.exists() and write_launchers(call.settings.folders.programs)
    for host in HOSTS.values():
        place = place_of(host, call.env)
        name = f"plugin {host.name}"
        try:
            entry = entry_of(host, place)
        except Failure as failure:
            yield _failed(name, failure)
            continue
        if entry is None:
            if is_detected(host, place, call.env):
                hint = f"To connect it: evercli plugin install {host.name}"
                yield Finding(name, "ok", "detected, not connected", hint)
            continue
        connected += 1
        yield _connected(call, login if isinstance(login, Login) else None, host.name, entry, moved=moved)
    if not connected:
        yield Finding("plugins", "ok", "no host is connected", "`evercli plugin install all` connects those found")


def _connected(call: Call, login: Login | None, host: str, entry: Json, *, moved: bool) -> Finding:
    name = f"plugin {host}"
    command = entry.get("command") if isinstance(entry, dict) else None
    program = str(command[0] if isinstance(command, list) and command else command or "")
    again = f"Run: evercli plugin install {host}{'' if is_ours(entry) else ' --force'}"
    mended = "mended, as Everlore has moved; " if moved else ""
    if not shutil.which(program, path=call.env.get("PATH")):
        if not is_ours(entry):
            return Finding(name, "error", f"its command is gone: {program}", again, "not_found")
        mend(call, HOSTS[host], entry)
        mended = f"mended, its command was gone ({program}); "
    env = entry_login(entry)
    base = env.get("EVERME_API_BASE", "")
    if base and base != call.settings.base:
        return Finding(name, "warning", f"connected to {base}, not to {call.settings.base}", again)
    token = env.get("EVERME_AGENT_TOKEN", "")
    if not token:
        return Finding(name, "ok", f"{mended}connected to the vault on this machine")
    try:
        server = server_of(call, token)
        gateway(server, "/mem/list", {"pageSize": 1})
    except Failure as failure:
        if failure.kind == "network":  # said once, above
            return Finding(name, "ok", f"{mended}connected, agent {env.get('EVERME_AGENT_ID')}")
        return Finding(name, "error", f"its token does not work: {failure.message}", again, failure.kind)
    agent = env.get("EVERME_AGENT_ID", "")
    if login and not _is_own(call, login, agent, token):
        return Finding(name, "warning", f"connected as agent {agent}, which is not of this login's account", again)
    return Finding(name, "ok", f"{mended}connected, agent {agent}, token {token[:8]}")


def _is_own(call: Call, login: Login, agent: str, token: str) -> bool:
    try:
        return is_own_agent(call, login, agent, token)
    except Failure:  # a key that may not look at agents: nothing is known against this one
        return True


def _hooks(call: Call) -> Iterator[Finding]:
    path = call.settings.folders.log
    lines = (read_bytes(path) or b"").decode("utf-8", "replace").splitlines()
    if lines:
        yield Finding("hooks", "warning", f"the last trouble of a hook: {lines[-1]}", f"All of it: {path}")

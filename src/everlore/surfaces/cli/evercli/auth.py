"""`evercli auth`: a key, or a code that a person approves on the server's page.

After either, this machine is registered as an agent and keeps that agent's token for reading and writing memories.
The key and the token are in credentials.json, which only its owner can read; account.json holds no secret.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from everlore import __version__
from everlore.surfaces.cli.evercli.client import LOGIN_HINT, Server, gateway
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.files import read_json, remove_file, write_private_json
from everlore.surfaces.cli.evercli.output import Result, note
from everlore.surfaces.cli.evercli.settings import Login, Settings, checked_key
from everlore.types import Json

PLATFORM: Final = "evercli"
NEW_CODE_HINT: Final = "Run `evercli auth login` again for a new code"


def server_of(call: Call, token: str = "") -> Server:
    return Server(call.settings.base, call.settings.timeout, token, call.debug)


def required_login(settings: Settings) -> Login:
    login = settings.login()
    if login is None:
        elsewhere = settings.login_elsewhere()
        why = f"Not logged in at {settings.base} (the login is for {elsewhere})" if elsewhere else "Not logged in"
        raise Failure("not_logged_in", why, LOGIN_HINT, detail={"server": settings.base})
    return login


def login(call: Call) -> Result:
    given = call.given
    wanted = {"api-key": given.api_key is not None, "device-code": given.device_code, "no-wait": given.no_wait}
    ways = [flag for flag, is_wanted in wanted.items() if is_wanted]
    if len(ways) > 1:
        raise bad_argument(f"--{ways[0]} and --{ways[1]} exclude each other", "Give one of them", flag=ways[1])
    if given.device_code:
        return _resume(call, given.device_code)
    if given.no_wait:
        return _start_only(call)
    key = _given_key(call)
    return _store(call, key) if key else _wait_for_approval(call)


def _given_key(call: Call) -> str:
    if call.given.api_key is None:
        return checked_key(call.settings.given_key, "EVERCLI_API_KEY") if call.settings.given_key else ""
    if call.given.api_key == "-":
        return checked_key(sys.stdin.readline().strip(), "the key on stdin")
    return checked_key(call.given.api_key.strip(), "--api-key")


def _store(call: Call, key: str, granted: Mapping[str, Json] | None = None) -> Result:
    """Check the key with the server, register this machine, and keep both."""
    settings = call.settings
    answer = gateway(server_of(call), "/auth/login", {"apiKey": key})
    who = answer.result
    agent = {name: str((granted or {}).get(name) or "") for name in ("agentId", "agentToken")}
    if not agent["agentToken"]:
        agent = _own_agent(call, key)
    account = _account(settings.base, who, agent)
    write_private_json(settings.folders.credentials, {"apiBaseUrl": settings.base, "apiKey": key, **agent})
    write_private_json(settings.folders.account, account)
    remove_file(settings.folders.device_session)
    data: dict[str, Json] = {"status": "approved", **account, "isNewKey": bool((granted or {}).get("isNewKey"))}
    return Result(data, f"Logged in as {who.get('name')} at {settings.base}", {"requestId": answer.request_id})


def _account(base: str, who: Mapping[str, Json], agent: Mapping[str, str]) -> dict[str, Json]:
    kept = ("accountId", "email", "name", "apiKeyPrefix", "scopes", "userId", "expiresAt")
    return {
        "apiBaseUrl": base,
        **{name: who.get(name) for name in kept},
        "agentId": agent["agentId"],
        "tokenPrefix": agent["agentToken"][:8],
        "refreshedAt": _iso(time.time()),
    }


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _own_agent(call: Call, key: str) -> dict[str, str]:
    try:
        return register(server_of(call, key), call.env, PLATFORM, "EverCli")
    except Failure as failure:
        if failure.kind != "permission":  # a key that may not register agents still reads and writes memories
            raise
        note("warning: this key may not register agents; memories are reached with the key itself")
        return {"agentId": "", "agentToken": ""}


def register(server: Server, env: Mapping[str, str], platform: str, name: str) -> dict[str, str]:
    """A new token for this machine's agent of a platform. The one it had before ends."""
    answer = gateway(server, "/agents", {"name": name, **_machine(env, platform)}).result
    return {"agentId": str(answer["agentId"]), "agentToken": str(answer["agentToken"])}


def _machine(env: Mapping[str, str], platform: str) -> dict[str, Json]:
    return {"platform": platform, "machineFingerprint": fingerprint(env, platform), "clientVersion": __version__}


def has_agent(call: Call, login: Login, agent: str, token: str) -> bool:
    """Whether this is an agent of the login's account and its token is good."""
    return is_own_agent(call, login, agent, token) and token_works(call, token)


def is_own_agent(call: Call, login: Login, agent: str, token: str) -> bool:
    known = gateway(server_of(call, login.api_key), "/agents/list", {}).result.get("items") or []
    return any(
        one["id"] == agent and one["connectionStatus"] == "connected" and token.startswith(one["tokenPrefix"])
        for one in known
    )


def token_works(call: Call, token: str) -> bool:
    try:
        gateway(server_of(call, token), "/mem/list", {"pageSize": 1})
    except Failure as failure:
        if failure.kind != "auth":
            raise
        return False
    return True


def fingerprint(env: Mapping[str, str], platform: str) -> str:
    """Tells this user's installations apart without saying anything about the machine."""
    import hashlib

    user = env.get("USER") or env.get("USERNAME") or ""
    return hashlib.sha256(f"{_machine_id()}\0{user}\0{platform}".encode()).hexdigest()


def _machine_id() -> str:
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError:
            continue
    import uuid

    return f"{uuid.getnode():012x}"


def _start(call: Call) -> Mapping[str, Json]:
    body = {"clientName": "EverCli", **_machine(call.env, PLATFORM)}
    started: Mapping[str, Json] = gateway(server_of(call), "/auth/device", body).result
    return started


def _start_only(call: Call) -> Result:
    started = _start(call)
    expires = int(started.get("expiresIn") or 0)
    code = {name: started.get(name) for name in ("deviceCode", "userCode", "verificationUrl", "interval")}
    session = {"apiBaseUrl": call.settings.base, **code, "expiresAt": _iso(time.time() + expires)}
    write_private_json(call.settings.folders.device_session, session)
    resume = f"evercli auth login --device-code {code['deviceCode']}"
    data = {"status": "pending", **code, "expiresInSec": expires, "resumeCommand": resume}
    return Result(data, f"Open {code['verificationUrl']}\nCode: {code['userCode']}\nThen run: {resume}")


def _resume(call: Call, code: str) -> Result:
    """One look: a caller that does not want to wait asks again."""
    session = read_json(call.settings.folders.device_session) or {}
    if session.get("deviceCode") == code and session.get("apiBaseUrl") != call.settings.base:
        call = replace(call, settings=replace(call.settings, base=str(session["apiBaseUrl"])))
    granted = _poll(call, code)
    if granted is None:
        resume = f"evercli auth login --device-code {code}"
        data = {"status": "pending", "deviceCode": code, "resumeCommand": resume}
        return Result(data, f"Not approved yet. Ask again with: {resume}")
    return _store(call, str(granted["apiKey"]), granted)


def _wait_for_approval(call: Call) -> Result:
    started = _start(call)
    expires, pause = int(started.get("expiresIn") or 900), float(started.get("interval") or 5)
    note(
        f"Open {started['verificationUrl']}",
        f"Code: {started['userCode']} (good for {max(1, expires // 60)} minutes)",
        "Waiting for approval; Ctrl-C stops.",
    )
    deadline = time.monotonic() + expires
    while time.monotonic() < deadline:
        time.sleep(pause)
        try:
            granted = _poll(call, str(started["deviceCode"]))
        except Failure as failure:
            if failure.kind != "rate_limit":
                raise
            pause += 1  # asked to slow down
            continue
        if granted is not None:
            return _store(call, str(granted["apiKey"]), granted)
    raise Failure("cancelled", "nobody approved the code in time", NEW_CODE_HINT)


def _poll(call: Call, code: str) -> Mapping[str, Json] | None:
    answer = gateway(server_of(call), "/auth/token", {"deviceCode": code, "grantType": "device_code"})
    granted: Mapping[str, Json] = answer.result
    if granted.get("status") not in ("pending", "approved"):
        remove_file(call.settings.folders.device_session)
        raise Failure("auth", "the code has expired", NEW_CODE_HINT, request_id=answer.request_id)
    return granted if granted["status"] == "approved" else None


def logout(call: Call) -> Result:
    """Local only: the key and other machines' logins stay good. `everlore keys revoke` ends a key."""
    folders = call.settings.folders
    cleared = [remove_file(path) for path in (folders.credentials, folders.account, folders.device_session)]
    said = "Logged out: the login on this machine is gone" if any(cleared) else "There was no login on this machine"
    return Result({"cleared": any(cleared)}, said)


def status(call: Call) -> Result:
    """What this machine remembers; the server is not asked."""
    login = required_login(call.settings)
    account = {**login.account, "loggedIn": True, "apiBaseUrl": login.base}
    who = f" as {account['name']}" if account.get("name") else ""
    return Result(account, f"Logged in{who} at {login.base}" + ("" if login.stored else " by EVERCLI_API_KEY"))


def me(call: Call) -> Result:
    login = required_login(call.settings)
    answer = gateway(server_of(call), "/auth/login", {"apiKey": login.api_key})
    agent = {"agentId": login.agent_id, "agentToken": login.agent_token}
    account = _account(login.base, answer.result, agent)
    try:
        agents = gateway(server_of(call, login.api_key), "/agents/list", {}).result
        account["agentCount"] = len(agents.get("items") or [])
    except Failure as failure:
        if failure.kind != "permission":
            raise
    if login.stored:
        write_private_json(call.settings.folders.account, account)
    return Result(
        account, f"{account['name']} ({account['accountId']}) at {login.base}", {"requestId": answer.request_id}
    )

"""`evercli plugin`: connect hosts to memory, and take the connection out again.

Everything is worked out in memory first: a host that is missing, a file that does not parse or an entry that is not
ours stops the command before the server is asked for a token and before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from everlore.me import user_id
from everlore.surfaces.cli.evercli import edits, entries
from everlore.surfaces.cli.evercli.auth import fingerprint, has_agent, register, required_login, server_of
from everlore.surfaces.cli.evercli.beside import Ours, changes_beside
from everlore.surfaces.cli.evercli.client import gateway, memory_api
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.edits import Change, Edit
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.files import backup_of
from everlore.surfaces.cli.evercli.hosts import ENTRY, HOSTS, Host, Place, is_detected, place_of
from everlore.surfaces.cli.evercli.launching import launcher, write_launchers
from everlore.surfaces.cli.evercli.output import Result, note
from everlore.surfaces.cli.evercli.settings import Login, is_loopback
from everlore.types import Json

TOOLSET: Final = ["mcp", "--toolset", "everme"]
OUR_ENV: Final = ("EVERME_API_BASE", "EVERME_AGENT_ID", "EVERME_AGENT_TOKEN", "EVEROS_MEMORY__ROOT")


def listing(call: Call) -> Result:
    platforms = [_state(host, call.env) for host in HOSTS.values()]
    lines = [
        f"{'connected' if one['hasEverMeEntry'] else 'detected' if one['installed'] else '-':<10}"
        f"{one['platform']:<16}{one['configPath']}" + (f"  ({one['problem']})" if one["problem"] else "")
        for one in platforms
    ]
    return Result({"platforms": platforms}, "\n".join(lines), {"count": len(platforms)})


def _state(host: Host, env: Mapping[str, str]) -> dict[str, Json]:
    place = place_of(host, env)
    entry, problem = None, ""
    try:
        entry = entry_of(host, place)
    except Failure as failure:
        problem = failure.message
    login = entry_login(entry)
    return {
        "platform": host.name,
        "name": host.title,
        "displayName": host.title,
        "installed": is_detected(host, place, env),
        "configPath": str(place.config),
        "configExists": place.config.exists(),
        "hasEverMeEntry": entry is not None,
        "agentId": login.get("EVERME_AGENT_ID", ""),
        "tokenPrefix": login.get("EVERME_AGENT_TOKEN", "")[:8],
        "problem": problem,
        "registeredAgent": {"id": login["EVERME_AGENT_ID"], "tokenPrefix": login.get("EVERME_AGENT_TOKEN", "")[:8]}
        if login.get("EVERME_AGENT_ID")
        else None,
        "detectError": {"type": "io", "message": problem} if problem else None,
    }


def entry_of(host: Host, place: Place) -> Json:
    """Our entry in a host's file, None when there is none."""
    return entries.get(entries.load(edits.text_of(place.config), host.format, place.config), _steps(host))


def entry_login(entry: Json) -> dict[str, str]:
    """The environment of an entry, under whichever name its host has for it."""
    env = (entry.get("env") or entry.get("environment")) if isinstance(entry, dict) else None
    return {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}


def install(call: Call) -> Result:
    login = call.settings.login()
    if login is None:
        _check_that_none_is_needed(call)

    def connect(host: Host) -> dict[str, Json]:
        place = place_of(host, call.env)
        if not call.given.force and not is_detected(host, place, call.env):
            raise Failure(
                "plugin_not_detected",
                f"{host.title} was not found on this machine",
                "Install it first, or use --force to write its configuration all the same",
                detail={"platform": host.name, "looked": [str(sign) for sign in place.signs]},
            )
        old = entry_of(host, place)
        if old is not None and not call.given.force and not is_ours(old):
            raise Failure(
                "conflict",
                f"{place.config} has an entry {ENTRY!r} that evercli did not write",
                "Rename it, or replace it with --force",
                detail={"platform": host.name, "path": str(place.config)},
            )
        _plan(call, host, place, {}, old)  # everything parses, before a token is asked for
        env = _entry_env(call, host, login, entry_login(old))
        planned = _plan(call, host, place, env, old)
        _apply(call, planned)
        return {
            **_report(call, host, place, planned),
            "backupPath": next((one["backup"] for one in edits.told(planned, show_diff=False) if one["backup"]), ""),
            "wroteNewEntry": old is None,
            "agentId": env.get("EVERME_AGENT_ID", ""),
            "sourceId": fingerprint(call.env, host.name)[:32],
            "tokenPrefix": env.get("EVERME_AGENT_TOKEN", "")[:8],
            "warnings": [],
            "nextSteps": [] if all(edit.action == "unchanged" for edit in planned) else _steps_left(host),
        }

    return _each(call, "installed", connect)


def _check_that_none_is_needed(call: Call) -> None:
    """Without a login hosts use the vault on this machine, which is another store than that of a server that was named
    and wants one."""
    if not is_loopback(call.settings.base):
        required_login(call.settings)
    if call.settings.base_from == "default" or call.given.dry_run:
        return
    try:
        memory_api(server_of(call), "get", {"user_id": user_id(call.env), "memory_type": "episode", "page_size": 1})
    except Failure as failure:
        if failure.kind == "not_logged_in":
            required_login(call.settings)


def uninstall(call: Call) -> Result:
    def disconnect(host: Host) -> dict[str, Json]:
        place = place_of(host, call.env)
        old = entry_of(host, place)
        changes = list(changes_beside(host, place, None))
        if old is None or is_ours(old):
            changes.insert(0, Change(place.config, "entry", lambda text: _without_entry(host, place.config, text)))
        else:
            note(f"warning: {place.config} has an entry {ENTRY!r} that evercli did not write; it was left as it is")
            old = None
        planned = edits.plan(changes)
        _apply(call, planned)
        _end_token(call, entry_login(old))
        return _report(call, host, place, planned)

    return _each(call, "uninstalled", disconnect)


def _without_entry(host: Host, path: Path, text: str) -> str:
    """Without our entry, and without the section around it where that is empty then and only we had a use for it."""
    steps = _steps(host)
    new = entries.cut(text, host.format, path, steps)
    while new != text and host.format == "json" and (steps := steps[:-1]):  # the others see to it themselves
        is_empty = entries.get(entries.load(new, host.format, path), steps) == {}
        if not is_empty or _stood_before_us(host, path, steps):
            break
        new = entries.cut(new, host.format, path, steps)
    return new


def _stood_before_us(host: Host, path: Path, steps: tuple[str, ...]) -> bool:
    """Whether the file that we last replaced, if there was one, has this section."""
    try:
        before = entries.load(edits.text_of(backup_of(path)), host.format, path)
    except Failure:
        return True
    return entries.get(before, steps) is not None


def _end_token(call: Call, env: Mapping[str, str]) -> None:
    """The token of an entry that is gone still stands in the backup: end it where we may."""
    login = call.settings.login()
    agent, base = env.get("EVERME_AGENT_ID", ""), env.get("EVERME_API_BASE", "")
    if call.given.dry_run or not env.get("EVERME_AGENT_TOKEN"):
        return
    why = "there is no login at that server"
    if login is not None and base == login.base:
        try:
            gateway(server_of(call, login.api_key), "/agents/revoke", {"agentId": agent})
        except Failure as failure:
            why = "it belongs to another account" if failure.kind == "not_found" else failure.message
        else:
            return
    note(
        f"warning: the token of agent {agent} was not ended at {base}: {why}.",
        "To end it, log in there as its account, then install this host and uninstall it again.",
    )


def _each(call: Call, done: str, act: Callable[[Host], dict[str, Json]]) -> Result:
    """Every host that was named; one that fails does not keep the others back."""
    hosts = _named(call)
    finished: list[dict[str, Json]] = []
    failures: list[tuple[Host, Failure]] = []
    for host in hosts:
        try:
            finished.append(act(host))
        except Failure as failure:
            failures.append((host, failure))
    data: dict[str, Json] = {done: finished, "dryRun": call.given.dry_run, "skipped": [], "failed": []}
    if not failures:
        return Result(data, "\n".join(_line(one) for one in finished), {"count": len(finished)})
    failed = [
        {"platform": host.name, "error": {"type": one.kind, "code": one.code, "message": one.message, "hint": one.hint}}
        for host, one in failures
    ]
    first = failures[0][1]
    if len(hosts) == 1:
        raise first.with_detail(platform=hosts[0].name)
    raise Failure(
        first.kind,
        f"{len(failures)} of {len(hosts)} hosts failed: {first.message}",
        first.hint,
        code=first.code,
        detail={**data, "failed": failed},
        request_id=first.request_id,
        report="\n".join(
            [*(_line(one) for one in finished), *(f"{host.name}: {one.message}" for host, one in failures)]
        ),
    )


def _named(call: Call) -> list[Host]:
    names = list(dict.fromkeys(name.strip() for name in call.given.platform))
    for name in names:
        if name not in HOSTS and name != "all":
            hint = f"Use one of: {', '.join(HOSTS)}, all"
            raise bad_argument(f"unknown platform {name!r}", hint, argument="platform", platform=name)
    found = HOSTS.values() if "all" in names else ()
    chosen = {host.name: host for host in found if is_detected(host, place_of(host, call.env), call.env)}
    chosen |= {name: HOSTS[name] for name in names if name != "all"}
    if not chosen:
        hint = "`evercli plugin list` shows where evercli looks"
        raise Failure("plugin_not_detected", "no host was found on this machine", hint)
    return list(chosen.values())


def _steps(host: Host) -> tuple[str, ...]:
    return (*host.section, ENTRY)


def is_ours(entry: Json) -> bool:
    """An entry that evercli wrote, here or in its first form."""
    parts = [entry.get(name) for name in ("command", "args")] if isinstance(entry, dict) else []
    line = " ".join(str(word) for part in parts for word in (part if isinstance(part, list) else [part]))
    return "--toolset everme" in line or "@everme/memory-mcp" in line


def _entry_env(call: Call, host: Host, login: Login | None, old: Mapping[str, str]) -> dict[str, str]:
    """What the host's memory process is told. A token of this account that works stays: asking for one ends the old."""
    if login is None:
        root = call.env.get("EVEROS_MEMORY__ROOT", "")
        return {"EVEROS_MEMORY__ROOT": str(Path(root).expanduser().absolute())} if root else {}
    known = old.get("EVERME_AGENT_ID", ""), old.get("EVERME_AGENT_TOKEN", "")
    is_known = old.get("EVERME_API_BASE") == login.base and all(known)
    if is_known and not call.given.force and (call.given.dry_run or has_agent(call, login, *known)):
        agent = {"agentId": known[0], "agentToken": known[1]}
    elif call.given.dry_run:
        agent = {"agentId": "(made on install)", "agentToken": "(made on install)"}
    else:
        agent = register(server_of(call, login.api_key), call.env, host.name, host.title)
        if is_known and agent["agentId"] != known[0]:
            _end_token(call, old)
    return {
        "EVERME_API_BASE": login.base,
        "EVERME_AGENT_ID": agent["agentId"],
        "EVERME_AGENT_TOKEN": agent["agentToken"],
    }


def _plan(call: Call, host: Host, place: Place, env: dict[str, str], old: Json) -> list[Edit]:
    programs = call.settings.folders.programs
    command, *args = launcher(programs, "everlore")
    entry = _with_additions(host.shape(command, [*args, *TOOLSET], env), old)
    vault = env.get("EVEROS_MEMORY__ROOT", "")
    options = ["--vault", vault] if vault else []
    if getattr(call.given, "curate", False) and host.reviewer:
        options += ["--curate", host.reviewer]
    put = Change(place.config, "entry", lambda t: entries.put(t, host.format, place.config, _steps(host), entry))
    ours = Ours(command, launcher(programs, "evercli"), options)
    return edits.plan([put, *changes_beside(host, place, ours)])


def mend(call: Call, host: Host, entry: Json) -> None:
    """Write an entry of ours, and what stands beside it, as they would be written now. Its login stays."""
    place = place_of(host, call.env)
    env = {name: value for name, value in entry_login(entry).items() if name in OUR_ENV}
    write_launchers(call.settings.folders.programs)
    edits.apply(_plan(call, host, place, env, entry))


def _apply(call: Call, planned: list[Edit]) -> None:
    if not call.given.dry_run:
        write_launchers(call.settings.folders.programs)
        edits.apply(planned)


def _report(call: Call, host: Host, place: Place, planned: list[Edit]) -> dict[str, Json]:
    changes = edits.told(planned, show_diff=call.given.dry_run)
    return {"platform": host.name, "configPath": str(place.config), "changes": changes}


def _steps_left(host: Host) -> list[str]:
    return [f"Restart {host.title}: it loads memory when it starts", *host.steps]


def _with_additions(entry: dict[str, Json], old: Json) -> dict[str, Json]:
    """Our entry with what its owner added to it: a time-out, or variables of their own."""
    if not is_ours(old):
        return entry
    for name in ("env", "environment"):
        env = old[name] if isinstance(old.get(name), dict) else {}
        added = {key: value for key, value in env.items() if key not in OUR_ENV}
        if added:
            entry = {**entry, name: {**added, **entry.get(name, {})}}
    kept = {key: value for key, value in old.items() if key in entry or key not in ("env", "environment")}
    return {**kept, **entry}


def _line(one: Mapping[str, Json]) -> str:
    shown = [f"{one['platform']}:"]
    for change in one["changes"]:
        shown.append(f"  {change['action']:<10}{change['path']} ({change['what']})")
        if change.get("diff"):
            shown += [f"    {line}" for line in str(change["diff"]).splitlines()]
    return "\n".join([*shown, *(f"  {step}" for step in one.get("nextSteps") or [])])

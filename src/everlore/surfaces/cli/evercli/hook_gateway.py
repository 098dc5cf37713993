"""Hooks where another server than the vault's own is meant: one with accounts, or one that was named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from everlore.surfaces.cli.evercli import hook
from everlore.surfaces.cli.evercli.client import Server, gateway, memory_api
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.memory import LONGEST_QUERY, target_of
from everlore.surfaces.cli.evercli.output import Result
from everlore.surfaces.cli.evercli.sending import open_ledger, send
from everlore.surfaces.cli.evercli.settings import is_loopback
from everlore.surfaces.contracts.everme import markdown
from everlore.surfaces.contracts.quoting import line
from everlore.transcripts.reading import heard
from everlore.types import Json

RECALLED: Final = 5


def answer(call: Call) -> Result:
    given = call.given
    asked = hook.Asked(given.event, given.host, given.vault or "", given.curate or "")
    seconds = call.line.timeout or hook.GIVE_UP_SECONDS
    settings = replace(call.settings, timeout=seconds)
    call = replace(call, settings=settings)

    def work(said: hook.Said) -> str:
        logged_in = settings.login() is not None
        try:
            if settings.base_from != "default" or logged_in:
                return _asked(call, asked, said, logged_in=logged_in)
        except Failure as failure:
            # no server runs here, and none was logged in to: the vault itself is at hand
            if failure.kind != "network" or logged_in or not is_loopback(settings.base):
                raise
        return hook.local(asked, call.env, said)

    shown = hook.in_time(asked, call.env, work, seconds)
    return Result({"answer": shown}, shown, raw=True)


def _asked(call: Call, asked: hook.Asked, said: hook.Said, *, logged_in: bool) -> str:
    server, user, target = target_of(call)
    if asked.event in ("session-start", "prompt"):
        query = " ".join(hook.first(said, hook.PROMPT).split())[:LONGEST_QUERY] if asked.event == "prompt" else ""
        if asked.event == "prompt" and not query:
            return ""
        if logged_in:
            return str(gateway(server, "/mem/context", {"query": query} if query else {}).result.get("context") or "")
        return _searched(server, user, query)
    with open_ledger(call.settings.folders.ledger, target) as ledger:
        for talk in heard(hook.heard(asked, said)):
            send(replace(server, patience=0), user, ledger, talk)
    return ""


def _searched(server: Server, user: str, query: str) -> str:
    """By the memory API, which needs no account on this machine, and any server of it has."""
    if query:
        found = memory_api(server, "search", {"user_id": user, "query": query}).result["episodes"][:RECALLED]
        return markdown.context(None, {"items": [_with_passages(one) for one in found]})
    page = {"user_id": user, "page_size": RECALLED}
    profiles = memory_api(server, "get", {**page, "memory_type": "profile"}).result["profiles"]
    known = profiles[0]["profile_data"] if profiles else None
    last = memory_api(server, "get", {**page, "memory_type": "episode"}).result["episodes"]
    return markdown.context(known, {}, [line(one["summary"], origin=(one["timestamp"][:10],)) for one in last])


def _with_passages(episode: Mapping[str, Json]) -> Mapping[str, Json]:
    said = [{"text": episode["summary"], "time": episode["timestamp"]}]
    return {"passages": episode.get("passages") or said}

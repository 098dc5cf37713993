"""`evercli memory`: what a person does with memories.

Logged in, the gateway's routes are used, and the memories are the account's. Without a login the memory API is used,
as any program on this machine may use it, and the memories are those of the vault's own user.
"""

from __future__ import annotations

import re
import sys
import time
import uuid
from collections.abc import Mapping
from typing import Final

from everlore.surfaces.cli.evercli.auth import server_of
from everlore.surfaces.cli.evercli.client import Answer, Server, gateway, memory_api
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.output import Result, note
from everlore.surfaces.cli.evercli.text import pieces, shorten
from everlore.types import Json

LOCAL_USER: Final = "default"
"""Whose memories an unnamed user's are, on every surface."""
LONGEST_QUERY: Final = 1024
LONGEST_CONTENT: Final = 8000
SHOWN: Final = 400
_FIELDS: Final = "id user_id session_id timestamp sender_ids subject summary episode score atomic_facts"
EPISODE_FIELDS: Final = tuple(_FIELDS.split())


def access(call: Call) -> tuple[Server, str]:
    """The server, and the user to name to its memory API; no user when the gateway's routes are to be used."""
    login = call.settings.login()
    named = str(getattr(call.given, "user", None) or "")
    if login is None:
        return server_of(call), named or LOCAL_USER
    return server_of(call, login.agent_token or login.api_key), named


def name_shown(user: str) -> str:
    """How the speaker is called in what is remembered."""
    return "User" if user == LOCAL_USER else user


def add(call: Call) -> Result:
    text = _stdin(call) if call.given.text in ([], ["-"]) else " ".join(call.given.text).strip()
    if not text:
        raise bad_argument("there is nothing to remember", "Give a text, or pipe one in", argument="text")
    server, user = access(call)
    session = f"evercli-{uuid.uuid4().hex[:16]}"
    now = int(time.time() * 1000)
    messages: list[dict[str, Json]] = [
        {"role": "user", "timestamp": now + number, "content": piece}
        for number, piece in enumerate(pieces(text, LONGEST_CONTENT))
    ]
    if not user:
        answer = gateway(server, "/mem/personal", {"conversationId": session, "messages": messages, "flush": True})
    else:
        mine = [{**message, "sender_id": user, "sender_name": name_shown(user)} for message in messages]
        memory_api(server, "add", {"session_id": session, "messages": mine})
        answer = memory_api(server, "flush", {"session_id": session})
    status = str(answer.result.get("status"))
    data = {"saved": True, "status": status, "messageCount": len(messages), "sessionId": session}
    return Result(data, "Remembered.", {"count": 1, "requestId": answer.request_id})


def _stdin(call: Call) -> str:
    if sys.stdin is None or (sys.stdin.isatty() and call.line.no_prompt):
        return ""
    try:
        return sys.stdin.buffer.read().decode("utf-8").strip()
    except UnicodeDecodeError:
        raise bad_argument("the text on stdin is not UTF-8", "Convert it to UTF-8 first", argument="text") from None


def search(call: Call) -> Result:
    query = " ".join(call.given.query).strip()
    if not query:
        raise bad_argument("the query is empty", "Say what to look for", argument="query")
    if len(query) > LONGEST_QUERY:
        hint = f"Use at most {LONGEST_QUERY} characters"
        raise bad_argument(f"the query is too long ({len(query)} characters)", hint, argument="query")
    server, user = access(call)
    count = call.given.top_k
    if not user:
        answer = gateway(server, "/mem/search", {"query": query, "topK": count})
        items = _gateway_items(answer.result)[:count]
    else:
        body = {"user_id": user, "query": query, "top_k": count, "include_profile": False}
        answer = memory_api(server, "search", body)
        items = [_api_episode(episode) for episode in answer.result.get("episodes") or []]
    text = "\n".join(_shown(item) for item in items) or "Nothing found."
    return Result({"query": query, "items": items}, text, {"count": len(items), "requestId": answer.request_id})


def _gateway_items(found: Mapping[str, Json]) -> list[dict[str, Json]]:
    """One ranked list of what the gateway groups by kind."""
    items = [dict(item) for item in found.get("items") or []]
    items += [{**item, "type": "profile"} for item in found.get("profiles") or []]
    agents = found.get("agentMemory") or {}
    items += [{**item, "type": "agent_case"} for item in agents.get("cases") or []]
    items += [{**item, "type": "agent_skill"} for item in agents.get("skills") or []]
    items.sort(key=lambda item: -float(item.get("score") or 0))
    waiting = found.get("rawMessages") or []
    return items + [{**item, "type": "raw_message"} for item in waiting]


def _api_episode(episode: Mapping[str, Json]) -> dict[str, Json]:
    """An episode of the memory API under the gateway's names, so that callers see one shape."""
    return {"type": "episodic_memory"} | {
        re.sub("_(.)", lambda found: found[1].upper(), name): episode[name]
        for name in EPISODE_FIELDS
        if name in episode
    }


def get(call: Call) -> Result:
    server, user = access(call)
    if call.given.id:
        return _get_one(server, call.given.id, user)
    page, size = call.given.page, call.given.page_size
    if not user:
        kind = "profile" if call.given.type == "profile" else "episodic_memory"
        answer = gateway(server, "/mem/list", {"memoryType": kind, "page": page, "pageSize": size})
        items = [{"type": entry.get("type"), **entry["item"]} for entry in answer.result.get("items") or []]
        total = int(answer.result.get("totalCount") or 0)
    else:
        answer = _api_page(server, user, call.given.type, page, size)
        items = _api_items(answer)
        total = int(answer.result.get("total_count") or 0)
    text = "\n".join(_shown(item) for item in items) or "No memories."
    data = {"items": items, "page": page, "pageSize": size, "totalCount": total}
    return Result(data, text, {"count": len(items), "requestId": answer.request_id})


def _api_page(server: Server, user: str, kind: str, page: int, size: int, **more: Json) -> Answer:
    body = {"user_id": user, "memory_type": kind, "page": page, "page_size": size, **more}
    return memory_api(server, "get", body)


def _api_items(answer: Answer) -> list[dict[str, Json]]:
    profiles = [
        {"type": "profile", "id": one["id"], "userId": one["user_id"], "profileData": one["profile_data"]}
        for one in answer.result.get("profiles") or []
    ]
    return profiles + [_api_episode(one) for one in answer.result.get("episodes") or []]


def _get_one(server: Server, wanted: str, user: str) -> Result:
    if not user:
        answer = gateway(server, "/mem/get", {"id": wanted})
        item = {"type": answer.result.get("type"), **(answer.result.get("item") or {})}
        return Result(item, _whole(item), {"count": 1, "requestId": answer.request_id})
    if wanted == f"profile_{user}":
        pages = [_api_items(_api_page(server, user, "profile", 1, 1))]
    else:
        pages = _day_pages(server, user, wanted)
    for items in pages:
        for item in items:
            if item["id"] == wanted:
                return Result(item, _whole(item), {"count": 1})
    hint = "`evercli memory get` lists memories with their ids"
    raise Failure("not_found", f"no memory {wanted!r}", hint, detail={"id": wanted})


def _day_pages(server: Server, user: str, wanted: str) -> list[list[dict[str, Json]]]:
    """The episodes of the day that an id names; the memory API has no route for one memory."""
    day = wanted.removeprefix(f"{user}_ep_")[:8]
    if not day.isdigit() or len(day) != 8:
        return []
    start = f"{day[:4]}-{day[4:6]}-{day[6:]}T00:00:00+00:00"
    end = f"{day[:4]}-{day[4:6]}-{day[6:]}T23:59:59.999+00:00"
    that_day = {"filters": {"timestamp": {"gte": start, "lte": end}}}
    found: list[list[dict[str, Json]]] = []
    while items := _api_items(_api_page(server, user, "episode", len(found) + 1, 100, **that_day)):
        found.append(items)
    return found


def forget(call: Call) -> Result:
    server, user = access(call)
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and not call.line.no_prompt:
        note(f"Delete {', '.join(call.given.id)} for good? [y/N]")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Failure("cancelled", "nothing was deleted", "Answer y, or use --no-prompt")
    gone: dict[str, Json] = {}
    last = ""
    for wanted in call.given.id:
        try:
            if not user:
                answer = gateway(server, "/mem/forget", {"id": wanted})
            else:
                answer = memory_api(server, "delete", {"user_id": user, "id": wanted})
        except Failure as failure:
            raise failure.with_detail(id=wanted, forgotten=gone) from None
        gone[wanted] = int(answer.result.get("deleted") or 0)
        last = answer.request_id
    total = sum(gone.values())
    data = {"forgotten": gone, "deleted": total}
    return Result(data, f"Forgotten: {total} (facts included).", {"count": total, "requestId": last})


def _shown(item: Mapping[str, Json]) -> str:
    when = str(item.get("timestamp") or "")[:16].replace("T", " ")
    score = f"{float(item['score']):.2f}  " if item.get("score") is not None else ""
    return f"{score}{when}  {shorten(_gist(item), SHOWN)}\n      {item.get('id', '')}"


def _gist(item: Mapping[str, Json]) -> str:
    data = item.get("profileData") or {}
    for value in (
        item.get("summary"),
        item.get("content"),
        item.get("taskIntent"),
        item.get("description"),
        data.get("embed_text"),
        data.get("summary"),
        item.get("subject"),
    ):
        if value:
            return " ".join(str(value).split())
    parts = item.get("contentItems") or []
    return " ".join(str(part.get("text") or "") for part in parts)


def _whole(item: Mapping[str, Json]) -> str:
    import yaml

    text: str = yaml.safe_dump(dict(item), sort_keys=False, allow_unicode=True, width=100)
    return text

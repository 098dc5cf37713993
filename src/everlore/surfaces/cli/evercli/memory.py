"""`evercli memory`: what a person does with memories, through the server's memory API.

Logged in, the memories are the account's. Without a login, as any program on this machine may ask, they are those of
the vault's own user.
"""

from __future__ import annotations

import re
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Final

from everlore.background.client import ensure
from everlore.background.place import place_of
from everlore.me import user_id
from everlore.surfaces.cli.evercli.auth import server_of
from everlore.surfaces.cli.evercli.client import Answer, Server, gateway, memory_api
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.edit_text import shorten
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.output import Result, note
from everlore.transcripts.text import pieces
from everlore.types import Json

LONGEST_QUERY: Final = 1024
LONGEST_CONTENT: Final = 8000
SHOWN: Final = 400
_FIELDS: Final = "id user_id session_id timestamp sender_ids subject summary episode score passages atomic_facts"
EPISODE_FIELDS: Final = tuple(_FIELDS.split())


def target_of(call: Call) -> tuple[Server, str, str]:
    """The server, whose memories are meant, and a name for both, under which the ledger keeps what was sent there."""
    login = call.settings.login()
    named = getattr(call.given, "user", None)
    if login is None:
        user = str(named or user_id(call.env))
        return _own_server(call), user, f"{call.settings.base}|{user}"
    account = login.account
    if not account.get("accountId"):  # a key from the environment does not say whose it is
        account = gateway(server_of(call), "/auth/login", {"apiKey": login.api_key}).result
    user = str(named or account.get("userId") or user_id(call.env))
    target = f"{login.base}|{account.get('accountId')}|{user}"
    return server_of(call, login.agent_token or login.api_key), user, target


def _own_server(call: Call) -> Server:
    """The vault's own, which is started where none runs and has any port, unless another one is configured."""
    if call.settings.base_from == "default" and (own := ensure(place_of(call.env), call.env)):
        return Server(own.url, call.settings.timeout, own.token, call.debug)
    return server_of(call)


def add(call: Call) -> Result:
    text = _stdin(call) if call.given.text in ([], ["-"]) else " ".join(call.given.text).strip()
    if not text:
        raise bad_argument("there is nothing to remember", "Give a text, or pipe one in", argument="text")
    server, user, _ = target_of(call)
    session = f"evercli-{uuid.uuid4().hex[:16]}"
    now = int(time.time() * 1000)
    speaker = {"role": "user", "sender_id": user}
    messages: list[dict[str, Json]] = [
        {**speaker, "timestamp": now + number, "content": piece}
        for number, piece in enumerate(pieces(text, LONGEST_CONTENT))
    ]
    memory_api(server, "add", {"session_id": session, "messages": messages})
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
    server, user, _ = target_of(call)
    body = {"user_id": user, "query": query, "top_k": call.given.top_k, "include_profile": False}
    answer = memory_api(server, "search", body)
    items = _items(answer)
    text = "\n".join(_shown(item) for item in items) or "Nothing found."
    return Result({"query": query, "items": items}, text, {"count": len(items), "requestId": answer.request_id})


def _items(answer: Answer) -> list[dict[str, Json]]:
    profiles = [
        {"type": "profile", "id": one["id"], "userId": one["user_id"], "profileData": one["profile_data"]}
        for one in answer.result.get("profiles") or []
    ]
    return profiles + [_episode(one) for one in answer.result.get("episodes") or []]


def _episode(episode: Mapping[str, Json]) -> dict[str, Json]:
    """Under the names that the gateway has for them."""
    return {"type": "episodic_memory"} | {
        re.sub("_(.)", lambda found: found[1].upper(), name): episode[name]
        for name in EPISODE_FIELDS
        if name in episode
    }


def get(call: Call) -> Result:
    server, user, _ = target_of(call)
    if call.given.id:
        return _get_one(server, call.given.id, user)
    page, size = call.given.page, call.given.page_size
    answer = _page(server, user, call.given.type, page, size)
    items = _items(answer)
    text = "\n".join(_shown(item) for item in items) or "No memories."
    total = int(answer.result.get("total_count") or 0)
    data = {"items": items, "page": page, "pageSize": size, "totalCount": total}
    return Result(data, text, {"count": len(items), "requestId": answer.request_id})


def _page(server: Server, user: str, kind: str, page: int, size: int, **more: Json) -> Answer:
    body = {"user_id": user, "memory_type": kind, "page": page, "page_size": size, **more}
    return memory_api(server, "get", body)


def _get_one(server: Server, wanted: str, user: str) -> Result:
    if wanted == f"profile_{user}":
        found = iter(_items(_page(server, user, "profile", 1, 1)))
    else:
        found = _of_its_day(server, user, wanted)
    item = next((item for item in found if item["id"] == wanted), None)
    if item is None:
        hint = "`evercli memory get` lists memories with their ids"
        raise Failure("not_found", f"no memory {wanted!r}", hint, detail={"id": wanted})
    import yaml

    text: str = yaml.safe_dump(item, sort_keys=False, allow_unicode=True, width=100)
    return Result(item, text, {"count": 1})


def _of_its_day(server: Server, user: str, wanted: str) -> Iterator[dict[str, Json]]:
    """The episodes of the day that an id names; the memory API has no route for one memory."""
    found = re.match(r"(\d{4})(\d\d)(\d\d)", wanted.removeprefix(f"{user}_ep_"))
    if not found:
        return
    day = "-".join(found.groups())
    that_day = {"timestamp": {"gte": f"{day}T00:00:00+00:00", "lte": f"{day}T23:59:59.999+00:00"}}
    page = 1
    while items := _items(_page(server, user, "episode", page, 100, filters=that_day)):
        yield from items
        page += 1


def forget(call: Call) -> Result:
    server, user, _ = target_of(call)
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and not call.line.no_prompt:
        note(f"Delete {', '.join(call.given.id)} for good? [y/N]")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Failure("cancelled", "nothing was deleted", "Answer y, or use --no-prompt")
    gone: dict[str, Json] = {}
    last = ""
    for wanted in call.given.id:
        try:
            answer = memory_api(server, "delete", {"user_id": user, "id": wanted})
        except Failure as failure:
            raise failure.with_detail(id=wanted, forgotten=gone) from None
        gone[wanted] = int(answer.result.get("deleted") or 0)
        last = answer.request_id
    total = sum(gone.values())
    data = {"forgotten": gone, "deleted": total}
    return Result(data, f"Forgotten: {total} (facts included).", {"count": total, "requestId": last})


def _shown(item: Mapping[str, Json]) -> str:
    score = f"{float(item['score']):.2f}  " if item.get("score") is not None else ""
    when = str(item.get("timestamp") or "")[:16].replace("T", " ")
    said = [shorten(sentence(one), SHOWN) for one in item.get("passages") or []]
    return score + "\n      ".join([*(said or [f"{when}  {shorten(_gist(item), SHOWN)}"]), str(item.get("id", ""))])


def sentence(passage: Mapping[str, Json]) -> str:
    """What matched: `2026-03-01 User: I live in Rome. (ended 2026-05-02: User moved to Lisbon.)`"""
    ended = f" (ended {str(passage['valid_until'])[:10]}" if passage.get("valid_until") else ""
    ended += f": {passage['ended_by']}" if ended and passage.get("ended_by") else ""
    speaker = f" {passage['speaker']}" if passage.get("speaker") else ""
    text = f"{str(passage['time'])[:10]}{speaker}: {passage['text']}{ended}{')' if ended else ''}"
    return " ".join(text.split())


def _gist(item: Mapping[str, Json]) -> str:
    data = item.get("profileData") or {}
    values = (item.get("summary"), data.get("embed_text"), data.get("summary"), item.get("subject"))
    return " ".join(str(next(filter(None, values), "")).split())

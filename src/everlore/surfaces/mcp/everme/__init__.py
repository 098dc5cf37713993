"""The everme toolset: four tools and two resources over one person's memory.

On this vault, or on a gateway's when EVERME_API_BASE is set; both give the same shapes, so what a tool answers is made
in one place. Searches and contexts are markdown, savings are JSON text, errors begin with `error: `.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from everlore import __version__
from everlore.config import load as load_settings
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.memory import NewMessage
from everlore.surfaces.everme import markdown, reading, remote, saving, words
from everlore.surfaces.everme.limits import CONTEXT_TOKENS, QUERY_MOST, wanted
from everlore.surfaces.everme.saving import USER_NAME, Person
from everlore.surfaces.mcp.everme.messages import session, statements, turns
from everlore.surfaces.mcp.toolset import CALLER, Caller, Content, Resource, Text, Tool, Toolset
from everlore.types import Json, Scope

PROFILE = "mem://profile"
SEARCH = "mem://search?q={query}&topK={topK}"
AGENT = "default"
"""The agent of a vault that nobody has registered."""

Call = Callable[[Engine, str, Mapping[str, Json]], dict[str, Json]]
"""One of the gateway's memory routes, by its last word, on this vault or on a gateway."""
Work = Callable[[Call, Engine, Mapping[str, Json]], str]


def toolset() -> Toolset:
    """Raises `Misconfigured` when the gateway's variables are not complete."""
    gateway = remote.configured()
    call = _local if gateway is None else _remote(gateway)
    search = partial(_search, load_settings().mcp.top_k)

    def reader(engine: Engine, uri: str) -> Content:
        return Content(_read(call, search, engine, uri), "text/markdown")

    return Toolset(
        name="everme",
        server_name=words.SERVER_NAME,
        server_version=__version__,
        instructions=words.INSTRUCTIONS,
        error_prefix="error: ",
        needs_vault=gateway is None,
        tools=(
            Tool("mem_search", words.SEARCH, words.SEARCH_INPUT, _tool(call, search), read_only=True),
            Tool("mem_context", words.CONTEXT, words.CONTEXT_INPUT, _tool(call, _context), read_only=True),
            Tool("mem_save_turn", words.SAVE_TURN, words.SAVE_TURN_INPUT, _tool(call, _save_turn)),
            Tool("mem_save_fact", words.SAVE_FACT, words.SAVE_FACT_INPUT, _tool(call, _save_fact)),
        ),
        resources=(
            Resource(PROFILE, "EverMe user profile", "The user's profile and what happened last.", "text/markdown"),
            Resource(SEARCH, "EverMe semantic search", words.SEARCH, "text/markdown", template=True),
        ),
        read=reader,
    )


def _tool(call: Call, work: Work) -> Callable[[Engine, Mapping[str, Json]], Text]:
    return lambda engine, arguments: Text(work(call, engine, arguments))


def _search(most: int, call: Call, engine: Engine, arguments: Mapping[str, Json]) -> str:
    query = _query(arguments.get("query"))
    found = call(engine, "search", {"query": query, "topK": wanted(arguments.get("topK"), most)})
    return markdown.search_results(query, found)


def _context(call: Call, engine: Engine, arguments: Mapping[str, Json]) -> str:
    return _known(call(engine, "context", {"query": _query(arguments.get("query"))}))


def _save_turn(call: Call, engine: Engine, arguments: Mapping[str, Json]) -> str:
    saved = call(engine, "agent-memory", _saving(arguments, turns(arguments, _now())))
    return _answer(saved, ("status", "messageCount", "flushed"))


def _save_fact(call: Call, engine: Engine, arguments: Mapping[str, Json]) -> str:
    saved = call(engine, "personal", _saving(arguments, statements(arguments, _now())))
    return _answer(saved, ("status", "messageCount", "flushed", "extracted"))


def _saving(arguments: Mapping[str, Json], messages: list[dict[str, Json]]) -> dict[str, Json]:
    flush = arguments.get("flush") is not False
    return {"conversationId": session(arguments), "messages": messages, "flush": flush}


def _answer(saved: Mapping[str, Json], names: tuple[str, ...]) -> str:
    return json.dumps({"saved": True, **{name: saved.get(name) for name in names}}, ensure_ascii=False, indent=2)


def _known(context: Mapping[str, Json]) -> str:
    """A gateway of another make gives the profile alone."""
    text = context.get("context") or markdown.context(context.get("profile"), {}, CONTEXT_TOKENS)
    return str(text) or markdown.NOTHING_KNOWN


def _read(call: Call, search: Work, engine: Engine, uri: str) -> str:
    try:
        parts = urlsplit(uri)
        query = parse_qs(parts.query, keep_blank_values=True)
    except ValueError:
        raise InvalidInput(
            "the resource's address cannot be read; there are mem://profile and mem://search?q="
        ) from None
    place = (parts.netloc or parts.path.strip("/")).lower()
    if parts.scheme != "mem" or parts.path.strip("/") not in ("", place) or place not in ("profile", "search"):
        raise NotFound(f"there is no resource {uri[:200]!r}; there are mem://profile and mem://search?q=")
    if place == "profile":
        return _known(call(engine, "context", {}))
    named = query["q"] if "q" in query else query.get("query", [""])
    top_k = query.get("topK") or query.get("top_k") or [""]
    if not named[0].strip():
        raise InvalidInput("mem://search needs a query: mem://search?q=climbing")
    return search(call, engine, {"query": named[0], "topK": top_k[0]})


def _query(given: Json) -> str:
    query = str(given or "").strip()
    if not query:
        raise InvalidInput("query must not be empty")
    return query[:QUERY_MOST]


def _now() -> int:
    return time.time_ns() // 1_000_000


def _remote(gateway: remote.Gateway) -> Call:
    client = remote.opened(gateway)
    return lambda _, route, body: remote.post(client, f"/mem/{route}", body)


def _local(engine: Engine, route: str, body: Mapping[str, Json]) -> dict[str, Json]:
    person = _person(engine)
    match route:
        case "search":
            return reading.search(engine, person, body["query"], body["topK"])
        case "context":
            return reading.context(engine, person, str(body.get("query") or ""), CONTEXT_TOKENS)
        case _:
            save = saving.save_fact if route == "personal" else saving.save_turn
            messages = [_message(person, message) for message in body["messages"]]
            saved = save(engine, person, body["conversationId"], messages, flushing=body["flush"])
            return {
                "status": saved.status,
                "messageCount": saved.count,
                "flushed": saved.flushed,
                "extracted": saved.extracted,
            }


def _person(engine: Engine) -> Person:
    """Over HTTP the engine is that of the token's account, and the agent is the token's."""
    caller: Caller | None = CALLER.get(None)
    who = caller.principal if caller else None
    mcp = engine.settings.mcp
    return Person(Scope(mcp.app, mcp.project), mcp.user, (who.agent_id if who else "") or AGENT)


def _message(person: Person, message: Mapping[str, Any]) -> NewMessage:
    by_user = message["role"] == "user"
    calls = [
        {"id": call["id"], "type": call["type"], "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in message.get("toolCalls", ())
    ]
    return NewMessage(
        sender_id=person.user if by_user else person.agent,
        sender_name=USER_NAME if by_user else None,
        role=message["role"],
        timestamp=message["timestamp"],
        content=message.get("content", ""),
        tool_calls=calls or None,
        tool_call_id=message.get("toolCallId"),
    )

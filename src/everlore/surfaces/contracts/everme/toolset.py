"""The everme toolset: four tools and two resources over one person's memory.

On this vault, or on a gateway's when EVERME_API_BASE is set; both give the same shapes, so what a tool answers is made
in one place. Searches and contexts are markdown, savings are JSON text, errors begin with `error: `.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from urllib.parse import parse_qs, urlsplit

from everlore.config import load as load_settings
from everlore.errors import InvalidInput, NotFound
from everlore.project import project_of
from everlore.surfaces.contracts.everme import IDENTITY, gateway, markdown, reading, remote
from everlore.surfaces.contracts.everme.markdown import CONTEXT_TOKENS
from everlore.surfaces.contracts.everme.messages import QUERY_MOST, session, statements, turns, wanted
from everlore.surfaces.contracts.everme.reading import Person
from everlore.surfaces.contracts.toolset import Caller, Content, Resource, Text, Toolset, tool
from everlore.types import Json

MARKDOWN = "text/markdown"
HOOK = "hook"
"""What a host's hook calls itself: it asks at every prompt, and wants nothing where nothing fits."""
AGENT = "default"
"""The agent of a vault that nobody has registered."""
CALLED = {"description": "Tools that an assistant message called."}

Query = Annotated[str, {"description": "A few keywords, or the user's message."}]
SessionKey = Annotated[str | None, {"description": "The conversation; the same for all its turns. [default: default]"}]


class ToolCall(TypedDict):
    id: str
    name: str
    arguments: NotRequired[
        Annotated[str | dict[str, Json], {"description": "The arguments as JSON text or an object."}]
    ]


class Said(TypedDict):
    role: Literal["user", "assistant"]
    content: NotRequired[Annotated[Any, "Text, or a list of content items."]]
    text: NotRequired[Annotated[str, {"description": "Older name of content."}]]
    timestamp: NotRequired[Annotated[int, {"description": "Unix milliseconds. [default: now]"}]]


class Turn(TypedDict):
    role: Literal["user", "assistant", "tool"]
    content: NotRequired[Annotated[Any, "Text, or a list of content items."]]
    text: NotRequired[Annotated[str, {"description": "Older name of content."}]]
    timestamp: NotRequired[Annotated[int, {"description": "Unix milliseconds. [default: now]"}]]
    toolCalls: NotRequired[Annotated[list[ToolCall], CALLED]]
    toolCallId: NotRequired[Annotated[str, {"description": "Of a tool message."}]]


@tool(reads=True)
def mem_search(
    ask: Caller,
    query: Query,
    topK: Annotated[int | str | None, "Most results of each sort, up to 50. [default: 5, or as configured]"] = None,
) -> Text:
    """Search memory and get the best matches as markdown: episodes, profile, skills, past cases, recent messages.
    Call it when the user refers to something earlier. Keep the query short: a few keywords name a topic best."""
    return Text(_search(ask, query, topK))


@tool(reads=True)
def mem_context(ask: Caller, query: Query) -> Text:
    """Get what is known of the user, and what of the past has to do with the query, as one markdown block.
    Call it once at the start of a session with the user's first message."""
    return Text(_known(ask, _told(query), fittingOnly=ask.client_name == HOOK))


@tool()
def mem_save_turn(
    ask: Caller,
    messages: list[Turn] | None = None,
    role: Annotated[Literal["user", "assistant", "tool"] | None, {"description": "Of a single message."}] = None,
    text: Annotated[str | None, {"description": "Of a single message."}] = None,
    content: Annotated[Any, "The same as text."] = None,
    timestamp: Annotated[int | None, {"description": "Of a single message; Unix milliseconds. [default: now]"}] = None,
    toolCallId: Annotated[str | None, {"description": "Of a single tool message."}] = None,
    toolCalls: Annotated[list[ToolCall] | None, CALLED] = None,
    sessionKey: SessionKey = None,
    flush: Annotated[
        bool, {"default": True, "description": "false: the messages wait, and memories are made of them later."}
    ] = True,
) -> Text:
    """Save turns of a conversation, so that later sessions can reuse how a task was solved. Pass messages (preferred;
    with the assistant's toolCalls and the tool's answers), or role and text for a single one. With flush (the
    default) memories are made at once; without it the messages wait and are found as recent messages."""
    words = text if content is None else content
    single = {"content": words, "timestamp": timestamp, "toolCallId": toolCallId, "toolCalls": toolCalls}
    return _saved(ask, "agent-memory", sessionKey, turns(messages, role, single, _now()), flush)


@tool()
def mem_save_fact(
    ask: Caller,
    fact: Annotated[str | None, {"description": "One statement, in the user's own words."}] = None,
    messages: list[Said] | None = None,
    sessionKey: SessionKey = None,
    flush: Annotated[
        bool, {"default": True, "description": "false: it is kept, but not put into the profile yet."}
    ] = True,
) -> Text:
    """Save something lasting that the user said of themselves (a preference, habit, trait or decision) to their
    profile. Pass fact, messages with the roles user and assistant only, or both. For how a task was solved use
    mem_save_turn. `extracted: true` in the answer confirms that it is in the profile."""
    return _saved(ask, "personal", sessionKey, statements(messages, fact, _now()), flush)


def _saved(ask: Caller, route: str, key: str | None, messages: list[dict[str, Json]], flush: bool) -> Text:
    saved = _call(ask, route, {"conversationId": session(key), "messages": messages, "flush": flush})
    return Text(json.dumps({"saved": True, **saved}, ensure_ascii=False, indent=2))


def _now() -> int:
    return time.time_ns() // 1_000_000


def _search(ask: Caller, query: str, top_k: object) -> str:
    query = _told(query)
    usual = load_settings().mcp.top_k if remote.gateway() else ask.engine.settings.mcp.top_k
    return markdown.search_results(query, _call(ask, "search", {"query": query, "topK": wanted(top_k, usual)}))


def _known(ask: Caller, query: str, **how: bool) -> str:
    """A gateway of another make gives the profile alone."""
    known = _call(ask, "context", {"query": query, **how} if query else {})
    text = str(known.get("context", markdown.context(known.get("profile"), {})))
    return text or (markdown.NOTHING_FITS if query else markdown.NOTHING_KNOWN)


def _read(ask: Caller, uri: str) -> Content:
    there_are = "there are mem://profile and mem://search?q="
    try:
        parts = urlsplit(uri)
        query = parse_qs(parts.query, keep_blank_values=True)
    except ValueError:
        raise InvalidInput(f"the resource's address cannot be read; {there_are}") from None
    place = (parts.netloc or parts.path.strip("/")).lower()
    if parts.scheme != "mem" or parts.path.strip("/") not in ("", place) or place not in ("profile", "search"):
        raise NotFound(f"there is no resource {uri[:200]!r}; {there_are}")
    if place == "profile":
        return Content(_known(ask, ""), MARKDOWN)
    named = query["q"] if "q" in query else query.get("query", [""])
    top_k = query.get("topK") or query.get("top_k") or [""]
    if not named[0].strip():
        raise InvalidInput("mem://search needs a query: mem://search?q=climbing")
    return Content(_search(ask, named[0], top_k[0]), MARKDOWN)


def _told(query: str) -> str:
    if not query.strip():
        raise InvalidInput("query must not be empty")
    return query.strip()[:QUERY_MOST]


def _call(ask: Caller, route: str, body: Mapping[str, Json]) -> dict[str, Json]:
    """One of the gateway's memory routes, by its last word, on a gateway or on this vault."""
    if (client := remote.gateway()) is not None:
        return remote.post(client, f"/mem/{route}", body)
    # over HTTP the engine is that of the token's account, and the agent is the token's
    user, agent = ask.user, (ask.principal.agent_id if ask.principal else "") or AGENT
    project = project_of(ask.folder) if ask.folder else None
    person = Person(user.scope, user.id, agent, project.id if project else None)
    match route:
        case "search":
            return reading.search(ask.engine, person, body["query"], body["topK"])
        case "context":
            query, only = str(body.get("query") or ""), bool(body.get("fittingOnly"))
            return reading.context(ask.engine, person, query, CONTEXT_TOKENS, fitting_only=only)
        case _:
            asked = gateway.SaveBody.model_validate(body)
            return gateway.save(ask.engine, person, asked, stating=route == "personal")


def toolset() -> Toolset:
    """Raises `Misconfigured` when the gateway's variables are not complete."""
    search = "mem://search?q={query}&topK={topK}"
    return Toolset(
        name="everme",
        identity=IDENTITY,
        error_prefix="error: ",
        needs_vault=remote.gateway() is None,
        tools=(mem_search, mem_context, mem_save_turn, mem_save_fact),
        resources=(
            Resource("mem://profile", "EverMe user profile", "The user's profile and what happened last.", MARKDOWN),
            Resource(search, "EverMe semantic search", mem_search.description, MARKDOWN, template=True),
        ),
        read=_read,
    )

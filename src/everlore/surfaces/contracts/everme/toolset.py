"""The everme toolset: four tools and two resources over one person's memory.

On this vault, or on a gateway's when EVERME_API_BASE is set; both take and give the same shapes, so what a model passes
is made into them, and what it is answered out of them, in one place. Searches and contexts are markdown, savings are
JSON text, errors begin with `error: `.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from urllib.parse import parse_qs, urlsplit

from everlore.clock import guessed_ms
from everlore.config import load as load_settings
from everlore.errors import InvalidInput, NotFound
from everlore.project import project_of
from everlore.surfaces.contracts.everme import IDENTITY, gateway, markdown, reading, remote
from everlore.surfaces.contracts.everme.gateway import CONTENT_MOST, QUERY_MOST, wanted
from everlore.surfaces.contracts.everme.markdown import CONTEXT_TOKENS
from everlore.surfaces.contracts.everme.reading import Person
from everlore.surfaces.contracts.toolset import Caller, Content, Resource, Text, Toolset, tool
from everlore.types import Json

MARKDOWN = "text/markdown"
HOOK = "hook"
"""What a host's hook calls itself: it asks at every prompt, and wants nothing where nothing fits."""
AGENT = "default"
"""The agent of a vault that nobody has registered."""
SESSION_MOST = 128
MESSAGES_MOST = 500
HEAD_SHARE = 0.7
"""Of a text that is too long the beginning and the end are kept: results and reasons stand at the end."""
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
    parts: Json = {name: part for name, part in single.items() if part is not None}
    if not messages and not parts:
        raise InvalidInput("mem_save_turn requires a non-empty `messages` array, or `role` and `text`")
    return _saved(ask, "agent-memory", sessionKey, messages or [{"role": role or "user"} | parts], flush)


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
    if any(message.get("toolCalls") or message.get("toolCallId") for message in messages or ()):
        raise InvalidInput("mem_save_fact accepts no tool calls; for turns with tools use mem_save_turn")
    stated = [{"role": "user", "content": fact}] if fact and fact.strip() else []
    if not messages and not stated:
        raise InvalidInput("mem_save_fact requires either `fact` or a non-empty `messages` array")
    return _saved(ask, "personal", sessionKey, [*(messages or ()), *stated], flush)


def _saved(ask: Caller, route: str, key: str | None, given: Sequence[Mapping[str, Json]], flush: bool) -> Text:
    session = (key or "").strip() or "default"
    if len(session) > SESSION_MOST:
        raise InvalidInput(f"sessionKey must have at most {SESSION_MOST} characters")
    messages = converted(given, time.time_ns() // 1_000_000)
    if route == "personal" and not any(message["role"] == "user" for message in messages):
        raise InvalidInput("mem_save_fact needs something that the user said")
    saved = _call(ask, route, {"conversationId": session, "messages": messages, "flush": flush})
    return Text(json.dumps({"saved": True, **saved}, ensure_ascii=False, indent=2))


def trim(text: str, most: int = CONTENT_MOST) -> str:
    """At most so many characters: 70 % from the beginning, 30 % from the end, and between them how many are missing."""
    if len(text) <= most:
        return text
    room = most - len(_missing(len(text)))
    if room < 1:
        return text[:most]
    head = int(room * HEAD_SHARE)
    return text[:head] + _missing(len(text) - room) + text[len(text) - room + head :]


def _missing(count: int) -> str:
    return f"\n[... {count} characters left out ...]\n"


def converted(given: Sequence[Mapping[str, Json]], now: int) -> list[dict[str, Json]]:
    """The messages in the gateway's form: completed, within its limits, and without those that say nothing."""
    if len(given) > MESSAGES_MOST:
        raise InvalidInput(f"at most {MESSAGES_MOST} messages may be saved at once")
    converted = [message for at, one in enumerate(given) if (message := _message(f"messages[{at}]", one, now + at))]
    if not converted:
        raise InvalidInput("nothing to save: every message is empty")
    return converted


def _message(place: str, given: Mapping[str, Json], now: int) -> dict[str, Json] | None:
    """None for a message that says nothing."""
    role, moment = given.get("role") or "user", given.get("timestamp", now)
    if moment <= 0:
        raise InvalidInput(f"{place}.timestamp must be Unix milliseconds")
    message: dict[str, Json] = {"role": role, "timestamp": guessed_ms(moment)}
    content = _text(place, given["content"] if given.get("content") is not None else given.get("text"))
    if role == "tool":
        call = given.get("toolCallId") or given.get("tool_call_id")
        if not call:
            raise InvalidInput(f"{place}.toolCallId is required for role tool")
        return message | {"toolCallId": str(call), "content": content}
    said: dict[str, Json] = {"content": content} if content.strip() else {}
    if role == "assistant" and given.get("toolCalls"):
        said["toolCalls"] = [_called(call) for call in given["toolCalls"]]
    return message | said if said else None


def _text(place: str, content: Json) -> str:
    if content is None or isinstance(content, str):
        return trim(content or "")
    if not isinstance(content, list):
        raise InvalidInput(f"{place}.content must be text or a list of content items")
    parts = []
    for part in content:
        item = part if isinstance(part, Mapping) else {"type": type(part).__name__, "text": part}
        if not isinstance(item.get("text"), str):
            raise InvalidInput(f"{place}.content has an item without text ({item.get('type')}); describe it in words")
        parts.append(item["text"])
    return trim("\n".join(parts))


def _called(call: Mapping[str, Json]) -> dict[str, Json]:
    given = call.get("arguments", "{}")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return {"id": call["id"], "type": "function", "name": call["name"], "arguments": arguments}


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

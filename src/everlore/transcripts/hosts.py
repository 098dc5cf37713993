"""Reading what hosts keep of their conversations.

A line or a message that cannot be read is left out, never a reason to lose the rest: transcripts are written by
other programs, end in half a line when one was killed, and change their shape from version to version.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from everlore.transcripts.text import json_object
from everlore.transcripts.turns import Conversation, Turn, joined, moment, tidy
from everlore.types import Json

Object = Mapping[str, Json]


def claude_code(path: Path) -> Iterator[Conversation]:
    lines = list(json_lines(path.read_bytes()))
    folder = next((str(line["cwd"]) for line in lines if line.get("cwd")), "")
    yield Conversation("claude-code", path.stem, tidy(_claude_code_turns(lines)), folder)


def _claude_code_turns(lines: Iterable[Object]) -> Iterator[Turn]:
    last = 0
    for line in lines:
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        if line.get("isMeta") or line.get("isSidechain") or line.get("isCompactSummary"):
            continue
        last = moment(line.get("timestamp"), last)
        yield from _blocks(str(line["type"]), message.get("content"), last)


def _blocks(role: str, content: Json, at: int) -> Iterator[Turn]:
    """A message of Claude's kind: text, or blocks of text, tool calls and tool results."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts: list[str] = []
    calls: list[tuple[str, str, str]] = []
    for block in _objects(blocks):
        if block.get("type") == "text":
            texts.append(str(block.get("text") or ""))
        elif block.get("type") == "tool_use":
            calls.append((str(block.get("id") or ""), str(block.get("name") or "tool"), _written(block.get("input"))))
        elif block.get("type") == "tool_result":
            yield Turn("tool", at, joined(block.get("content")), answers=str(block.get("tool_use_id") or ""))
    text = "\n".join(texts)
    if text.strip() or calls:
        yield Turn(role, at, text, tuple(calls))


def codex(path: Path) -> Iterator[Conversation]:
    lines = list(json_lines(path.read_bytes()))
    found = next((line.get("payload") for line in lines if line.get("type") == "session_meta"), None)
    meta = found if isinstance(found, dict) else {}
    name = str(meta.get("id") or path.stem)
    yield Conversation("codex", name, tidy(_codex_turns(lines)), str(meta.get("cwd") or ""))


def _codex_turns(lines: Iterable[Object]) -> Iterator[Turn]:
    last = 0
    for line in lines:
        last = moment(line.get("timestamp"), last)
        item = line.get("payload") if line.get("type") == "response_item" else line
        if not isinstance(item, dict):
            continue
        call = str(item.get("call_id") or "")
        match item.get("type"):
            case "message":
                yield from said(item.get("role"), last, joined(item.get("content")))
            case "function_call" | "custom_tool_call":
                arguments = str(item.get("arguments") or item.get("input") or "")
                yield Turn("assistant", last, "", ((call, str(item.get("name") or "tool"), arguments),))
            case "function_call_output" | "custom_tool_call_output":
                output = item.get("output")
                shown = output.get("content") if isinstance(output, dict) else output
                yield Turn("tool", last, joined(shown), answers=call)


def gemini(path: Path) -> Iterator[Conversation]:
    """One JSON document or, from newer versions, a line for each message; the last state of a message counts."""
    raw = path.read_bytes()
    whole = json_object(raw)
    lines = list(json_lines(raw)) if whole is None or path.suffix == ".jsonl" else [whole]
    messages: dict[Json, Object] = {}
    name = ""
    for line in lines:
        name = name or str(line.get("sessionId") or "")
        changed = line["$set"] if isinstance(line.get("$set"), dict) else line
        for number, one in enumerate(_objects(changed.get("messages") or ([line] if "id" in line else []))):
            messages[one.get("id") or number] = one
    root = path.parent.parent / ".project_root"
    folder = root.read_text("utf-8", "replace").strip() if root.is_file() else ""
    yield Conversation("gemini", name or path.stem, tidy(_gemini_turns(messages.values())), folder)


def _gemini_turns(messages: Iterable[Object]) -> Iterator[Turn]:
    last = 0
    for one in messages:
        last = moment(one.get("timestamp"), last)
        if one.get("type") == "user":
            yield from said("user", last, joined(one.get("content")))
        elif one.get("type") == "gemini":
            called = list(_objects(one.get("toolCalls")))
            calls = tuple(
                (str(call.get("id") or ""), str(call.get("name") or "tool"), _written(call.get("args")))
                for call in called
            )
            if calls:
                yield Turn("assistant", last, "", calls)
            for call in called:
                yield Turn("tool", last, _written(call.get("result")), answers=str(call.get("id") or ""))
            yield from said("assistant", last, joined(one.get("content")))


def copilot(path: Path) -> Iterator[Conversation]:
    lines = list(json_lines(path.read_bytes()))
    begun = next((line.get("data") for line in lines if line.get("type") == "session.start"), None)
    start = begun if isinstance(begun, dict) else {}
    context = start.get("context") if isinstance(start.get("context"), dict) else {}
    name = str(start.get("sessionId") or path.parent.name)
    yield Conversation("copilot", name, tidy(_copilot_turns(lines)), str((context or {}).get("cwd") or ""))


def _copilot_turns(lines: Iterable[Object]) -> Iterator[Turn]:
    last = 0
    for line in lines:
        role = {"user.message": "user", "assistant.message": "assistant"}.get(str(line.get("type")))
        data = line.get("data")
        if role and isinstance(data, dict):
            last = moment(line.get("timestamp"), last)
            yield from said(role, last, joined(data.get("content")))


def opencode(path: Path) -> Iterator[Conversation]:
    """Its database. Another program writes it meanwhile, so it is only looked at."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            parts = database.execute(
                "SELECT m.session_id, m.data, p.data FROM part p JOIN message m ON m.id = p.message_id"
                " ORDER BY m.id, p.id"
            )
            sessions: dict[str, list[tuple[Object, Object]]] = {}
            for session, message, part in parts:
                found = json_object(message), json_object(part)
                if found[0] is not None and found[1] is not None:
                    sessions.setdefault(session, []).append((found[0], found[1]))
            known = database.execute("SELECT id, directory FROM session WHERE parent_id IS NULL ORDER BY id")
            for session, folder in known.fetchall():
                turns = tidy(turn for info, part in sessions.get(session, ()) for turn in opencode_turns(info, [part]))
                yield Conversation("opencode", session, turns, folder or "")
    except sqlite3.Error as error:
        raise OSError(None, f"not a database of OpenCode that can be read ({error})", str(path)) from None


def opencode_turns(message: Object, parts: Json) -> Iterator[Turn]:
    """As its database has them, and its plugins. What plugins added is marked as synthetic."""
    times = message.get("time")
    at = moment(times.get("created") if isinstance(times, dict) else None, 0)
    for part in _objects(parts):
        if part.get("type") == "text" and not part.get("synthetic"):
            yield from said(message.get("role"), at, str(part.get("text") or ""))
        elif part.get("type") == "tool":
            state = part["state"] if isinstance(part.get("state"), dict) else {}
            call = str(part.get("callID") or "")
            yield Turn("assistant", at, "", ((call, str(part.get("tool") or "tool"), _written(state.get("input"))),))
            yield Turn("tool", at, str(state.get("output") or ""), answers=call)


def said(role: Json, at: int, text: str) -> Iterator[Turn]:
    if role in ("user", "assistant") and text.strip():
        yield Turn(role, at, text)


def json_lines(raw: bytes) -> Iterator[Object]:
    yield from filter(None, map(json_object, raw.splitlines()))


def _objects(value: Json) -> Iterator[Object]:
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _written(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value or {}, ensure_ascii=False)

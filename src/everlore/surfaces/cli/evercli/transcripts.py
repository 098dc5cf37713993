"""Reading what hosts keep of their conversations. Every reader yields the same values; nothing is sent from here.

A line or a message that cannot be read is left out, never a reason to lose the rest: transcripts are written by
other programs, end in half a line when one was killed, and change their shape from version to version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from everlore.redact import mask_secrets
from everlore.surfaces.cli.evercli.text import json_object, pieces, trim
from everlore.types import Json

LONGEST_TEXT: Final = 8000
LONGEST_TOOL_TEXT: Final = 2000
_NOISE: Final = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_MACHINE: Final = (
    "<command-",
    "<local-command",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "# AGENTS.md instructions",
    "Caveat: The messages below",
)
"""What hosts put into the user's mouth."""


@dataclass(frozen=True)
class Turn:
    """One message. `calls` are tool calls as (id, name, arguments)."""

    role: str
    at: int
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    answers: str = ""
    """The id of the tool call that this is the result of."""


@dataclass(frozen=True)
class Conversation:
    platform: str
    id: str
    turns: tuple[Turn, ...]


def claude_code(path: Path) -> Iterator[Conversation]:
    yield Conversation("claude-code", path.stem, tuple(claude_code_turns(json_lines(path.read_bytes()))))


def claude_code_turns(lines: Iterator[Mapping[str, Json]]) -> Iterator[Turn]:
    last = 0
    for line in lines:
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        if line.get("isMeta") or line.get("isSidechain"):
            continue
        last = _time(line.get("timestamp"), last)
        yield from _blocks(str(line["type"]), message.get("content"), last)


def _blocks(role: str, content: Json, at: int) -> Iterator[Turn]:
    """A message of Claude's kind: text, or blocks of text, tool calls and tool results."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts: list[str] = []
    calls: list[tuple[str, str, str]] = []
    for block in blocks if isinstance(blocks, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text":
            texts.append(str(block.get("text") or ""))
        elif block.get("type") == "tool_use":
            arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
            calls.append((str(block.get("id") or ""), str(block.get("name") or "tool"), _short(arguments)))
        elif block.get("type") == "tool_result":
            yield Turn("tool", at, _short(_joined(block.get("content"))), answers=str(block.get("tool_use_id") or ""))
    text = _clean("\n".join(texts))
    if text or calls:
        yield Turn(role, at, text, tuple(calls))


def codex(path: Path) -> Iterator[Conversation]:
    lines = list(json_lines(path.read_bytes()))
    found = next((line.get("payload") for line in lines if line.get("type") == "session_meta"), None)
    name = str(found.get("id") or path.stem) if isinstance(found, dict) else path.stem
    yield Conversation("codex", name, tuple(_codex_turns(lines)))


def _codex_turns(lines: list[Mapping[str, Json]]) -> Iterator[Turn]:
    last = 0
    for line in lines:
        last = _time(line.get("timestamp"), last)
        item = line.get("payload") if line.get("type") == "response_item" else line
        if not isinstance(item, dict):
            continue
        call = str(item.get("call_id") or "")
        match item.get("type"):
            case "message":
                yield from _said(item.get("role"), last, _joined(item.get("content")))
            case "function_call" | "custom_tool_call":
                arguments = str(item.get("arguments") or item.get("input") or "")
                yield Turn("assistant", last, "", ((call, str(item.get("name") or "tool"), _short(arguments)),))
            case "function_call_output" | "custom_tool_call_output":
                output = item.get("output")
                shown = output.get("content") if isinstance(output, dict) else output
                yield Turn("tool", last, _short(_joined(shown)), answers=call)


def chatgpt(path: Path) -> Iterator[Conversation]:
    for talk in _exported(path):
        nodes = talk.get("mapping")
        if isinstance(nodes, dict):
            name = str(talk.get("conversation_id") or talk.get("id") or talk.get("create_time"))
            yield Conversation("chatgpt", name, tuple(_chatgpt_turns(talk, nodes)))


def _chatgpt_turns(talk: Mapping[str, Json], nodes: Mapping[str, Json]) -> Iterator[Turn]:
    """The branch that the person ended on, from its root."""
    branch: list[Mapping[str, Json]] = []
    at = talk.get("current_node")
    while isinstance(at, str) and isinstance(nodes.get(at), dict) and len(branch) <= len(nodes):
        branch.append(nodes[at])
        at = nodes[at].get("parent")
    last = _time(talk.get("create_time"), 0)
    for message in (node.get("message") for node in reversed(branch)):
        if isinstance(message, dict):
            content = message.get("content") or {}
            last = _time(message.get("create_time"), last)
            said = _joined(content.get("parts") if isinstance(content, dict) else content)
            yield from _said((message.get("author") or {}).get("role"), last, said)


def claude_export(path: Path) -> Iterator[Conversation]:
    for talk in _exported(path):
        messages = talk.get("chat_messages")
        if isinstance(messages, list):
            yield Conversation("claude", str(talk.get("uuid")), tuple(_claude_turns(talk, messages)))


def _claude_turns(talk: Mapping[str, Json], messages: list[Json]) -> Iterator[Turn]:
    last = _time(talk.get("created_at"), 0)
    for message in messages:
        if isinstance(message, dict):
            last = _time(message.get("created_at"), last)
            said = _joined(message.get("content")) or str(message.get("text") or "")
            yield from _said("user" if message.get("sender") == "human" else "assistant", last, said)


def _said(role: Json, at: int, text: str) -> Iterator[Turn]:
    text = _clean(text)
    if role in ("user", "assistant") and text:
        yield Turn(role, at, text)


def markdown(path: Path) -> Iterator[Conversation]:
    """A note is what its owner said, at the time the file was last written."""
    try:
        text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise OSError(None, "not UTF-8 text", str(path)) from None
    if "\0" in text:
        raise OSError(None, "not text", str(path))
    at = int(path.stat().st_mtime * 1000)
    parts = pieces(mask_secrets(text), LONGEST_TEXT)
    yield Conversation(
        "markdown", str(path.resolve()), tuple(Turn("user", at + number, part) for number, part in enumerate(parts))
    )


READERS: Final[Mapping[str, tuple[Callable[[Path], Iterator[Conversation]], str]]] = {
    "claude-code": (claude_code, "*/*.jsonl"),
    "codex": (codex, "**/*.jsonl"),
    "chatgpt": (chatgpt, ""),
    "claude": (claude_export, ""),
    "markdown": (markdown, "**/*.md"),
}
"""What reads a platform's files, and which files of its folder those are; an export is read as one."""


def _exported(path: Path) -> Iterator[Mapping[str, Json]]:
    """The conversations of an export: a zip file, an unpacked folder, or the JSON file itself."""
    for raw in _export_files(path):
        try:
            value = json.loads(raw)
        except ValueError:
            continue
        yield from (talk for talk in value if isinstance(talk, dict)) if isinstance(value, list) else ()


def _export_files(path: Path) -> Iterator[bytes]:
    if path.is_dir():
        for file in sorted(path.glob("conversations*.json")):
            yield file.read_bytes()
    elif path.suffix == ".zip":
        import zipfile

        try:
            with zipfile.ZipFile(path) as archive:
                for name in sorted(archive.namelist()):
                    if re.fullmatch(r"conversations.*\.json", name.rsplit("/", 1)[-1]):
                        yield archive.read(name)
        except zipfile.BadZipFile:
            raise OSError(None, "not a zip file, or a damaged one", str(path)) from None
    else:
        yield path.read_bytes()


def json_lines(raw: bytes) -> Iterator[Mapping[str, Json]]:
    yield from filter(None, map(json_object, raw.splitlines()))


def _joined(content: Json) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return str(content.get("text") or "")
    parts = [_joined(part) for part in content] if isinstance(content, list) else []
    return "\n".join(part for part in parts if part)


def _clean(text: str) -> str:
    text = _NOISE.sub("", text).strip()
    return "" if text.startswith(_MACHINE) else trim(mask_secrets(text), LONGEST_TEXT)


def _short(text: str) -> str:
    return trim(mask_secrets(text.strip()), LONGEST_TOOL_TEXT)


def _time(value: Json, last: int) -> int:
    """Milliseconds; without a time of its own, a message follows the one before it."""
    if isinstance(value, int | float) and value > 0:
        return int(value if value >= 10**12 else value * 1000)
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return last + 1
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    return last + 1

"""The exports of ChatGPT and Claude: a zip file, an unpacked folder, or the JSON file itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from everlore.transcripts.hosts import said
from everlore.transcripts.turns import Conversation, Turn, joined, moment, tidy
from everlore.types import Json


def chatgpt(path: Path) -> Iterator[Conversation]:
    for talk in _exported(path):
        nodes = talk.get("mapping")
        if isinstance(nodes, dict):
            name = str(talk.get("conversation_id") or talk.get("id") or talk.get("create_time"))
            yield Conversation("chatgpt", name, tidy(_chatgpt_turns(talk, nodes)))


def _chatgpt_turns(talk: Mapping[str, Json], nodes: Mapping[str, Json]) -> Iterator[Turn]:
    """The branch that the person ended on, from its root."""
    branch: list[Mapping[str, Json]] = []
    at = talk.get("current_node")
    while isinstance(at, str) and isinstance(nodes.get(at), dict) and len(branch) <= len(nodes):
        branch.append(nodes[at])
        at = nodes[at].get("parent")
    last = moment(talk.get("create_time"), 0)
    for message in (node.get("message") for node in reversed(branch)):
        if isinstance(message, dict):
            content = message.get("content") or {}
            last = moment(message.get("create_time"), last)
            text = joined(content.get("parts") if isinstance(content, dict) else content)
            yield from said((message.get("author") or {}).get("role"), last, text)


def claude(path: Path) -> Iterator[Conversation]:
    for talk in _exported(path):
        messages = talk.get("chat_messages")
        if isinstance(messages, list):
            yield Conversation("claude", str(talk.get("uuid")), tidy(_claude_turns(talk, messages)))


def _claude_turns(talk: Mapping[str, Json], messages: list[Json]) -> Iterator[Turn]:
    last = moment(talk.get("created_at"), 0)
    for message in messages:
        if isinstance(message, dict):
            last = moment(message.get("created_at"), last)
            text = joined(message.get("content")) or str(message.get("text") or "")
            yield from said("user" if message.get("sender") == "human" else "assistant", last, text)


def _exported(path: Path) -> Iterator[Mapping[str, Json]]:
    for raw in _files(path):
        try:
            value = json.loads(raw)
        except ValueError:
            continue
        yield from (talk for talk in value if isinstance(talk, dict)) if isinstance(value, list) else ()


def _files(path: Path) -> Iterator[bytes]:
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

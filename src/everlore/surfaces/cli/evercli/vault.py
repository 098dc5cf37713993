"""Hooks without a server: the vault on this machine is asked through `everlore mcp`, as a host would ask it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Final

from everlore import __version__
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.plugin import TOOLSET, program
from everlore.surfaces.cli.evercli.sending import Ledger, batches, digests_of, message, session_of
from everlore.surfaces.cli.evercli.transcripts import Conversation
from everlore.types import Json

PROTOCOL: Final = "2025-06-18"


def call_tool(name: str, arguments: Mapping[str, Json], env: Mapping[str, str], seconds: float) -> str:
    """The text that a tool of the everme toolset answers."""
    hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "evercli", "version": __version__}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": dict(arguments)}},
    ]
    try:
        done = subprocess.run(
            [*program("everlore"), *TOOLSET],
            input="".join(json.dumps(line) + "\n" for line in lines).encode(),
            env=dict(env),
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise Failure("cancelled", f"the vault did not answer within {seconds:g} s") from None
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if answer.get("id") == 2 and isinstance(answer.get("result"), dict):
            result = answer["result"]
            text = "".join(str(part.get("text") or "") for part in result.get("content") or [])
            if result.get("isError"):
                raise Failure("upstream", text)
            return text
    raise Failure("internal", f"the vault gave no answer: {done.stderr.decode('utf-8', 'replace')[-300:]}")


def save(talk: Conversation, user: str, ledger: Ledger, env: Mapping[str, str], seconds: float) -> None:
    """What is not saved yet. The ledger is that of the local server: it serves the same vault when it runs."""
    session = session_of(talk.platform, talk.id)
    messages = [message(turn, user, talk.platform) for turn in talk.turns]
    digests = digests_of(messages)
    for batch in batches(messages, ledger.unsent(session, digests)):
        turns = [_turn(messages[number]) for number in batch]
        call_tool("mem_save_turn", {"messages": turns, "sessionKey": session, "flush": True}, env, seconds)
        ledger.note_sent(session, [digests[number] for number in batch])


def _turn(sent: Mapping[str, Json]) -> dict[str, Json]:
    """A message of the memory API under the toolset's names."""
    turn = {"role": sent["role"], "timestamp": sent["timestamp"], "content": sent["content"]}
    if sent.get("tool_calls"):
        turn["toolCalls"] = [{"id": call["id"], **call["function"]} for call in sent["tool_calls"]]
    if sent.get("tool_call_id"):
        turn["toolCallId"] = sent["tool_call_id"]
    return turn

"""What a hook was told, as conversations: from the host's transcript, or from what the event itself holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from everlore.transcripts import hosts
from everlore.transcripts.turns import Conversation, Turn, tidy
from everlore.types import Json

READERS: Final[Mapping[str, Callable[[Path], Iterator[Conversation]]]] = {
    "claude-code": hosts.claude_code,
    "codex": hosts.codex,
    "gemini": hosts.gemini,
    "copilot": hosts.copilot,
}


def heard(told: Mapping[str, Json]) -> Iterator[Conversation]:
    """`told` is what `evercli hook` makes of an event: host, session, folder, path of the transcript, prompt, answer,
    messages and the time. Raises `OSError` for a transcript that cannot be read."""
    host, session, at = str(told["host"]), str(told["session"]), int(told["at"])
    if told["messages"]:
        parts = [(one.get("info") or {}, one.get("parts")) for one in told["messages"] if isinstance(one, dict)]
        turns = tidy(turn for info, found in parts for turn in hosts.opencode_turns(info, found))
        yield Conversation(host, session, turns, str(told["folder"]))
    elif host in READERS:
        path = Path(str(told["path"])).expanduser()
        if not path.is_file():
            raise FileNotFoundError(2, "the host named no transcript", str(path))
        for talk in READERS[host](path):
            yield Conversation(talk.platform, talk.id, talk.turns, talk.folder or str(told["folder"]))
    elif told["event"] == "said":
        role = "user" if told["prompt"] else "assistant"
        yield Conversation(
            host, session, tidy([Turn(role, at, str(told["prompt"] or told["answer"]))]), str(told["folder"])
        )

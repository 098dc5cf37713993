"""`evercli hook`: what a host runs at the start of a session, at each prompt and at the end of each turn.

The host's own protocol is spoken: its JSON on stdin, its JSON on stdout. A hook never gets in the way: it has a moment,
and where there is no server, no memory or no sense in the input, it says nothing and succeeds; the reason is in
evercli.log. All work is done by the vault's server, which the first hook starts; next to nothing but the standard
library is imported for it. A gateway is asked by `hook_gateway`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from everlore.background.client import detached, ensure, request
from everlore.background.place import place_of
from everlore.redact import redact
from everlore.surfaces.cli.evercli.events import EVENTS, WORDS
from everlore.surfaces.cli.evercli.folders import find_folders, home_folder

GIVE_UP_SECONDS: Final = 1.3
"""The host waits for all of it, the start of Python included: what comes after 1.5 s is too late."""
OFF: Final = "EVERLORE_HOOKS"
"""Set to `off`, nothing happens: what memory itself has an agent do is not to be remembered."""
ELSEWHERE: Final = ("EVERCLI_", "EVERME_API_BASE")
"""Variables that ask for more than what is usual."""
LONGEST_LOG: Final = 256 * 1024
CURATED: Final = "20"
PROMPT: Final = ("prompt", "user_prompt")
ANSWER: Final = ("text", "response", "last_assistant_message")
SESSION: Final = ("session_id", "sessionId", "conversation_id", "trajectory_id")
FOLDER: Final = ("cwd", "workspace_roots")
TRANSCRIPT: Final = ("transcript_path", "transcriptPath")
"""Names that hosts have for the same."""

Said = Mapping[str, Any]
Env = Mapping[str, str]


class Asked(NamedTuple):
    event: str
    host: str = "claude-code"
    vault: str = ""
    curate: str = ""
    """The command that reviews what was learnt when the session ends, where the user agreed to it."""


def quick(argv: list[str], env: Env = os.environ) -> None:
    """The whole of `evercli hook` where the vault on this machine is meant, and its end; else it comes back."""
    words = iter(argv)
    event = next(words, "")
    given = dict(zip(words, words, strict=False))
    known = {"--host", "--vault", "--curate"}
    if len(argv) % 2 == 0 or event not in WORDS or not known.issuperset(given) or not is_local(env):
        return
    asked = Asked(event, **{name[2:]: value for name, value in given.items()})
    if asked.host in EVENTS:
        sys.stdout.write(redact(in_time(asked, env, lambda said: local(asked, env, said))))
        sys.stdout.flush()
        os._exit(0)  # who still waits for a server is not waited for


def is_local(env: Env) -> bool:
    """Nobody spoke of another server."""
    folders = find_folders(env, home_folder(env))
    named = (folders.config_file, folders.account, folders.credentials)
    return not any(name.startswith(ELSEWHERE) for name in env) and not any(path.exists() for path in named)


def in_time(asked: Asked, env: Env, work: Callable[[Said], str], seconds: float = GIVE_UP_SECONDS) -> str:
    """What the host is to read; nothing rather than late."""
    found: list[str] = []
    trouble: list[str] = ["it took too long"]

    def answer() -> None:
        try:
            said = _input()
            found.append(reply(asked, work(said)) if env.get(OFF) != "off" and _is_for_us(asked, said) else "")
        except Exception as error:
            trouble[:] = [f"{getattr(error, 'kind', type(error).__name__)}: {error}"]

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        log(find_folders(env, home_folder(env)).log, f"hook {asked.host} {asked.event}: {trouble[0]}")
    return found[0] if found else ""


def _input() -> Said:
    raw = sys.stdin.buffer.read() if sys.stdin is not None else b""
    value = json.loads(raw) if raw.strip() else {}
    return value if isinstance(value, dict) else {}


def _is_for_us(asked: Asked, said: Said) -> bool:
    """Cursor runs the hooks of Claude Code, too, beside its own."""
    return asked.host == "cursor" or "cursor_version" not in said


def reply(asked: Asked, context: str) -> str:
    """A context as the host takes it."""
    events = EVENTS[asked.host]
    if not context or not events.takes:
        return ""
    shown: dict[str, Any] = {events.takes: context}
    if events.takes == "hookSpecificOutput":
        name = next(name for name, word in events.of.items() if word == asked.event)
        shown = {events.takes: {"hookEventName": name, "additionalContext": context}}
    return json.dumps(shown, ensure_ascii=False)


def first(said: Said, names: tuple[str, ...]) -> str:
    inner = said.get("tool_info")
    for place in (said, inner if isinstance(inner, dict) else {}):
        for name in names:
            value = place.get(name)
            value = value[0] if isinstance(value, list) and value else value
            if isinstance(value, str) and value.strip():
                return value
    return ""


def local(asked: Asked, env: Env, said: Said) -> str:
    """By the server of the vault on this machine. The context to bring in."""
    env = {**env, "EVEROS_MEMORY__ROOT": asked.vault} if asked.vault else dict(env)
    settings = {name: value for name, value in env.items() if name.upper().startswith("EVEROS_MCP")}
    told = heard(asked, said)
    if asked.event in ("session-start", "prompt"):
        caller = {"version": "", "client": "hook", "bare": False, "folder": told["folder"], "settings": settings}
        message = question(asked, said)
        body = {"toolsets": ["everme"], "caller": caller, "message": message}
        return context_in(_ask(env, "/relay", body)) if message else ""
    _ask(env, "/hooks/save", {"settings": settings, "told": told})
    if asked.event == "session-end" and asked.curate:
        _curate(asked.curate, env)
    return ""


def heard(asked: Asked, said: Said) -> dict[str, Any]:
    """The same of every host."""
    return {
        "host": asked.host,
        "event": asked.event,
        "session": first(said, SESSION),
        "folder": first(said, FOLDER) or os.getcwd(),  # noqa: PTH109 - a text is wanted
        "path": first(said, TRANSCRIPT),
        "prompt": first(said, PROMPT),
        "answer": first(said, ANSWER),
        "messages": said.get("messages") or [],
        "at": time.time_ns() // 1_000_000,
    }


def question(asked: Asked, said: Said) -> dict[str, Any] | None:
    """What MCP is asked: what is known of the user, or what has to do with the prompt."""
    if asked.event == "session-start":
        return {"method": "resources/read", "params": {"uri": "mem://profile"}}
    prompt = " ".join(first(said, PROMPT).split())
    return (
        {"method": "tools/call", "params": {"name": "mem_context", "arguments": {"query": prompt}}} if prompt else None
    )


def context_in(answer: Mapping[str, Any]) -> str:
    """The text of MCP's answer. A remark that nothing is known is nothing."""
    result = answer.get("result") or {}
    parts = result.get("contents") or ([] if result.get("isError") else result.get("content") or [])
    text = "".join(str(part.get("text") or "") for part in parts)
    return "" if text.startswith("_(") else text


def _ask(env: Env, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    server = ensure(place_of(env), env)
    if server is None:
        raise ConnectionError("no server runs, and none can be started")
    raw = json.dumps(body).encode()
    with request(server, "POST", path, raw, headers={"Content-Type": "application/json"}) as found:
        lines = found.body.read().splitlines()
        if found.status != 200:
            raise ConnectionError(f"the server answered {found.status}")
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def _curate(command: str, env: Env) -> None:
    detached(
        [sys.executable, "-m", "everlore", "curate", "--with", command, "--limit", CURATED],
        {**env, OFF: "off"},
        Path.cwd(),
    )


def log(path: Path, text: str) -> None:
    """Append a line. The log is for its owner only, and starts anew when it has grown large."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > LONGEST_LOG:
            path.replace(path.with_name(path.name + ".1"))
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = redact(" ".join(f"{stamp} {text}".split())) + "\n"
        if not path.exists():
            path.touch(mode=0o600)
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(line)
    except OSError:
        return

"""Our hooks in Claude Code's settings.json: one group of our own for each event, beside the groups of others."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli import edit_json, entries
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.types import Json

HOOKS: Final = {"SessionStart": ("session-start", 30), "UserPromptSubmit": ("prompt", 10), "Stop": ("stop", 30)}
"""Claude Code's events, the word we are called with, and how many seconds it waits for us."""


def put(text: str, path: Path, program: list[str], vault: str) -> str:
    settings = entries.load(text, "json", path)
    for event, (word, seconds) in HOOKS.items():
        command = shlex.join([*program, "hook", word, *(["--vault", vault] if vault else [])])
        wanted = {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}
        groups = _groups(settings, event, path)
        ours = [number for number, group in enumerate(groups) if _is_ours(group)]
        text = _put(text, ("hooks", event, ours[0] if ours else edit_json.NEW), wanted, path)
    return text


def cut(text: str, path: Path) -> str:
    """What is not written as hooks are is not ours either."""
    hooks = entries.load(text, "json", path).get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        ours = [number for number, group in enumerate(groups) if _is_ours(group)] if isinstance(groups, list) else []
        for number in reversed(ours):
            text = edit_json.cut(text, ("hooks", event, number))
        if ours and len(ours) == len(groups):
            text = edit_json.cut(text, ("hooks", event))
    return text


def _groups(settings: dict[str, Json], event: str, path: Path) -> list[Json]:
    hooks = settings.get("hooks")
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    sound = hooks is None or isinstance(hooks, dict)
    if not sound or not (groups is None or isinstance(groups, list)) or not all(map(_is_group, groups or [])):
        raise _left(path, f"the hooks of {event} are not written as Claude Code writes them")
    return groups or []


def _is_group(group: Json) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and all(isinstance(hook, dict) for hook in hooks)


def _is_ours(group: Json) -> bool:
    commands = [str(hook.get("command")) for hook in group["hooks"]] if _is_group(group) else []
    words = {word for word, _ in HOOKS.values()}
    return bool(commands) and all(
        "evercli" in command and command.rsplit(" hook ", 1)[-1].split()[0:1] in [[word] for word in words]
        for command in commands
    )


def _put(text: str, steps: edit_json.Steps, value: Json, path: Path) -> str:
    try:
        return edit_json.put(text, steps, value)
    except edit_json.NotJson as error:
        raise _left(path, str(error)) from None


def _left(path: Path, reason: str) -> Failure:
    hint = "Correct the file, then run the command again"
    return Failure("io", f"{path}: {reason}; it was left as it is", hint, detail={"path": str(path)})

"""Our hooks in Claude Code's settings.json: one group of our own for each event, beside the groups of others."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli import edit_json, entries
from everlore.surfaces.cli.evercli.failure import unusable
from everlore.types import Json

HOOKS: Final = {"SessionStart": ("session-start", 30), "UserPromptSubmit": ("prompt", 10), "Stop": ("stop", 30)}
"""Claude Code's events, the word we are called with, and how many seconds it waits for us."""
_OURS: Final = re.compile(rf"evercli.* hook (?:{'|'.join(word for word, _ in HOOKS.values())})(?:\s|$)")


def put(text: str, path: Path, program: list[str], vault: str) -> str:
    settings = entries.load(text, "json", path)
    for event, (word, seconds) in HOOKS.items():
        command = shlex.join([*program, "hook", word, *(["--vault", vault] if vault else [])])
        wanted = {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}
        groups = _groups(settings, event, path)
        ours = [number for number, group in enumerate(groups) if _is_ours(group)]
        text = edit_json.put(text, ("hooks", event, ours[0] if ours else edit_json.NEW), wanted)
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
    groups = hooks.get(event) if isinstance(hooks, dict) else hooks  # null stands for none
    if groups is not None and not (isinstance(groups, list) and all(map(_is_group, groups))):
        raise unusable(path, f"{path}: the hooks of {event} are not as Claude Code writes them; it was left as it is")
    return groups or []


def _is_group(group: Json) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and all(isinstance(hook, dict) for hook in hooks)


def _is_ours(group: Json) -> bool:
    commands = [str(hook.get("command")) for hook in group["hooks"]] if _is_group(group) else []
    return bool(commands) and all(_OURS.search(command) for command in commands)

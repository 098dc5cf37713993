"""Our hooks in a host's own file, beside those of others: one of ours for each of its events."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli import edit_json, entries
from everlore.surfaces.cli.evercli.events import EVENTS, WORDS
from everlore.surfaces.cli.evercli.failure import unusable
from everlore.types import Json

_OURS: Final = re.compile(rf"evercli\S{{0,40}} hook (?:{'|'.join(WORDS)})(?:\s|$)")


def put(text: str, path: Path, host: str, program: list[str], options: list[str]) -> str:
    events = EVENTS[host]
    settings = entries.load(text, "json", path)
    if events.version and "version" not in settings:
        text = edit_json.put(text, ("version",), events.version)
    for event, word in events.of.items():
        named = [] if host == "claude-code" else ["--host", host]
        command = shlex.join([*program, "hook", word, *named, *options])
        wanted: dict[str, Json] = {"type": "command", **dict.fromkeys(events.commands, command)}
        if events.seconds:
            wanted[events.seconds] = WORDS[word] * events.unit
        known = _known(settings, event, path, grouped=events.grouped)
        ours = [number for number, one in enumerate(known) if _is_ours(one)]
        item = {"hooks": [wanted]} if events.grouped else wanted
        text = edit_json.put(text, ("hooks", event, ours[0] if ours else edit_json.NEW), item)
    return text


def cut(text: str, path: Path) -> str:
    """What is not written as hooks are is not ours either."""
    hooks = entries.load(text, "json", path).get("hooks")
    for event, known in hooks.items() if isinstance(hooks, dict) else ():
        ours = [number for number, one in enumerate(known) if _is_ours(one)] if isinstance(known, list) else []
        for number in reversed(ours):
            text = edit_json.cut(text, ("hooks", event, number))
        if ours and len(ours) == len(known):
            text = edit_json.cut(text, ("hooks", event))
    left = entries.load(text, "json", path)
    if hooks and left.get("hooks") == {}:
        text = edit_json.cut(text, ("hooks",))
        return "" if left == {"version": 1, "hooks": {}} else text
    return text


def _known(settings: dict[str, Json], event: str, path: Path, *, grouped: bool) -> list[Json]:
    hooks = settings.get("hooks")
    found = hooks.get(event) if isinstance(hooks, dict) else hooks  # null stands for none
    if found is not None and not (isinstance(found, list) and all(_is_one(one, grouped=grouped) for one in found)):
        raise unusable(path, f"{path}: the hooks of {event} are not as the host writes them; it was left as it is")
    return found or []


def _is_one(value: Json, *, grouped: bool) -> bool:
    hooks = value.get("hooks") if isinstance(value, dict) and grouped else [value]
    return isinstance(hooks, list) and all(isinstance(hook, dict) for hook in hooks)


def _is_ours(value: Json) -> bool:
    hooks = value.get("hooks", [value]) if isinstance(value, dict) else []
    one = isinstance(hooks, list) and hooks and all(isinstance(hook, dict) for hook in hooks)
    return bool(one) and all(any(_OURS.search(str(said)) for said in hook.values()) for hook in hooks)

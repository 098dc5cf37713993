"""`everlore curate`: drafts go to any command that reads a prompt and prints JSON, or to the configured endpoint."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from everlore import memory
from everlore.engine import Engine
from everlore.errors import EverloreError, Misconfigured, Unavailable
from everlore.extract.curation import INSTRUCTIONS, reply_schema
from everlore.memory.review import CHARACTERS_PER_TOKEN, Item
from everlore.models.chat import ChatModel, Meter
from everlore.surfaces.cli import output
from everlore.surfaces.cli.opening import opened
from everlore.surfaces.contracts.review.toolset import item_shown, outcome_shown
from everlore.types import Json, Owner, Scope

SHOWN = 300
"""Characters of what a command said that are told when it fails."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    name: str
    ask: Callable[[Item], tuple[Json, int]]
    """The reply, and about how many tokens it cost."""


def curate(
    with_: str | None, user: str | None, limit: int, seconds: int, *, dry_run: bool, undo: str | None, as_json: bool
) -> bool:
    """True when every draft that was asked about got a reply that could be used."""
    with opened() as engine:
        mcp = engine.settings.mcp
        owner = Owner(Scope(mcp.app, mcp.project), "user", user or mcp.user)
        if undo:
            _show(memory.undo_curation(engine, owner, undo), as_json=as_json)
            return True
        return _all(engine, owner, _reviewer(engine, with_, seconds), limit, seconds, dry_run, as_json)


def _all(
    engine: Engine, owner: Owner, reviewer: Reviewer, limit: int, seconds: int, dry_run: bool, as_json: bool
) -> bool:
    waiting = memory.waiting_for_review(engine, owner)
    wanted = min(limit, waiting) if limit else waiting
    failed, tokens = 0, 0
    lent: list[Item] = []
    try:
        with output.progress() as report:
            while len(lent) < wanted and (found := memory.review(engine, owner, seconds=seconds * 2 + wanted)):
                item = found[0]
                lent.append(item)
                try:
                    reply, cost = reviewer.ask(item)
                    outcome = memory.curate(engine, owner, item.id, item.lease, reply, reviewer.name, dry_run=dry_run)
                except EverloreError as error:
                    failed += 1
                    output.warn(f"{item.id}: {error}")
                else:
                    tokens += cost
                    _show(outcome, as_json=as_json)
                report(f"asked {reviewer.name}", len(lent), wanted)
    finally:
        memory.return_drafts(engine, owner, lent)
    left = memory.waiting_for_review(engine, owner)
    busy = f"; others are reviewing {wanted - len(lent)}" if len(lent) < wanted else ""
    output.note(
        f"{len(lent) - failed} reviewed, {failed} failed, about {tokens:,} tokens{busy}; {left} of {owner.id} wait"
    )
    return not failed


def _show(outcome: memory.CurationOutcome, *, as_json: bool) -> None:
    if as_json:
        output.show_json(outcome_shown(outcome))
        return
    output.show_line(f"{outcome.id} ({outcome.state})")
    for line in outcome.changes.splitlines():
        output.show_line(f"  {line}")
    for refusal in outcome.refused:
        output.show_line(f"  refused {refusal.where}: {refusal.reason}")


def _reviewer(engine: Engine, command: str | None, seconds: int) -> Reviewer:
    if command:
        words = shlex.split(command, posix=sys.platform != "win32")
        return Reviewer(words[0], lambda item: _by_command(words, item, seconds))
    model = engine.llm
    if model is None:
        raise Misconfigured(
            'no language model is configured: name a command, such as --with "claude -p", or set EVEROS_LLM__MODEL'
        )
    return Reviewer(model.model, lambda item: _by_endpoint(model, item, seconds))


def _by_endpoint(model: ChatModel, item: Item, seconds: int) -> tuple[Json, int]:
    meter = Meter(seconds)
    reply = memory.model_review(model, item, meter)
    return reply, meter.usage.prompt_tokens + meter.usage.completion_tokens


def _by_command(words: list[str], item: Item, seconds: int) -> tuple[Json, int]:
    prompt = f"{INSTRUCTIONS}\n\n{json.dumps({**item_shown(item), 'reply_schema': reply_schema()}, ensure_ascii=False)}"
    try:
        ran = subprocess.run(
            words, input=prompt, capture_output=True, text=True, encoding="utf-8", timeout=seconds, check=False
        )
    except FileNotFoundError:
        raise Misconfigured(f"there is no command {words[0]!r}; name one that reads a prompt and prints JSON") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{words[0]} did not answer within {seconds} seconds; --timeout gives it more") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"{words[0]} could not be run: {error}") from None
    if ran.returncode:
        said = (ran.stderr or ran.stdout).strip()[-SHOWN:]
        raise Unavailable(f"{words[0]} ended with exit code {ran.returncode}: {said}")
    return _object_in(ran.stdout), (len(prompt) + len(ran.stdout)) // CHARACTERS_PER_TOKEN


def _object_in(text: str) -> Json:
    """The last JSON object in what a program printed: before it there may be talk, around it a fence."""
    decoder = json.JSONDecoder()
    found: Json = None
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
            at = text.find("{", end)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
    if not isinstance(found, dict):
        raise Unavailable("the command printed no JSON object")
    # programs that wrap their answer, as `claude -p --output-format json`, have it as a text
    inner = found.get("result")
    return _object_in(inner) if isinstance(inner, str) and "{" in inner and "facts" not in found else found

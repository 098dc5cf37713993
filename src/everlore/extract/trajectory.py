"""An agent's run as a list of steps: what was said, which tools were called with what, and how each call ended.

Pure reading of messages. Nothing here fails on odd input: tool calls without a name, arguments that are no
JSON, results without a call and calls without a result all become steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from everlore.types import Json, Message

ARGUMENTS = 200
"""Characters of a call's arguments that are kept."""
ARGUMENT = 60
OUTPUT = 300
"""Characters of a call's result that are kept."""

LINE = 2_000
"""Characters of a line of output that are looked at."""
WORDS = 100_000
"""Characters of a turn that are looked at."""

Outcome: TypeAlias = Literal["ok", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Call:
    """`result` is the telling line of the output: what went wrong, or how the output begins.

    `told` is False for a call that we know only from its result.
    """

    name: str
    arguments: str
    outcome: Outcome = "unknown"
    result: str = ""
    by: str = ""
    told: bool = True

    @property
    def label(self) -> str:
        return f"{self.name}({self.arguments})"


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the user or of an agent. `acting` when tool calls came with them."""

    role: Literal["user", "assistant"]
    text: str
    by: str = ""
    acting: bool = False


Step: TypeAlias = Call | Said

_ERROR_START = re.compile(
    r"^(?!#)\W*(?:fatal |internal |tool )?(?:error|exception|failure|failed|fatal|panic)\b(?!s\b)"
    r"(?! (?:handling|messages|codes|types|reports?|logs?|analysis|modes?|rates?|recovery|management|budgets?)\b)",
    re.I,
)
"""A text that begins with an error, not one about errors: an agent also reads articles on error handling."""
_ERROR_LINE = re.compile(
    r"^(?:\w+\.)*\w+(?:Error|Exception)\b|\b(?:exit(?:ed with)? (?:code|status):?|returned non-zero exit status) [1-9]"
    r"|(?<!fixed )(?<!resolved )(?<!corrected )\b[1-9]\d* (?:failed|errors?)\b(?! fixed)"
    r"|command not found|no such file or directory|permission denied"
    r"|\b(?:timed out|connection refused|access denied)\b|^(?:HTTP/?[\d.]* ?)?[45]\d\d [A-Z]",
    re.I,
)
_TRACEBACK = "Traceback (most recent call last)"
_BAD_STATUS = {"error", "failed", "failure", "fail"}


def steps(messages: Sequence[Message]) -> list[Step]:
    """The run in order. The result of a call stands with the call, wherever its message came."""
    found: list[Step] = []
    waiting: list[tuple[str, int]] = []
    for message in messages:
        if message.role == "tool":
            _answer(found, waiting, message)
            continue
        calls = [_call(call, message.sender_id) for call in message.tool_calls or ()]
        if message.text.strip():
            # one kind of apostrophe, so that the phrases we look for need not be written twice
            text = message.text.strip()[:WORDS].replace("’", "'")
            found.append(Said(message.role, text, message.sender_id, acting=bool(calls)))
        for identity, call in calls:
            waiting.append((identity, len(found)))
            found.append(call)
    return found


def _answer(found: list[Step], waiting: list[tuple[str, int]], message: Message) -> None:
    """Give a result to its call: by id, else to the oldest that still waits, else to a call nobody told us of."""
    named = [number for number, (identity, _) in enumerate(waiting) if identity and identity == message.tool_call_id]
    if not named and not message.tool_call_id and waiting:
        named = [0]
    if named:
        at = waiting.pop(named[0])[1]
        call = found[at]
    else:
        at, call = len(found), Call(message.sender_name or "tool", "", by=message.sender_id, told=False)
        found.append(call)
    outcome, result = outcome_of(message.text)
    if isinstance(call, Call):
        found[at] = replace(call, outcome=outcome, result=result)


def _call(raw: Json, by: str) -> tuple[str, Call]:
    fields = raw if isinstance(raw, Mapping) else {}
    function = fields.get("function")
    inner = function if isinstance(function, Mapping) else fields
    name = one_line(str(inner.get("name") or "tool"), 80)
    return str(fields.get("id") or ""), Call(name=name, arguments=short_arguments(inner.get("arguments")), by=by)


def short_arguments(value: Json) -> str:
    """`from=BER, to=LIS` from the JSON text of the contract; anything else as it reads."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else None
        except (ValueError, RecursionError):
            return one_line(str(value), ARGUMENTS)
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return one_line(", ".join(f"{name}={_short(item)}" for name, item in value.items()), ARGUMENTS)
    if isinstance(value, list):
        return one_line(", ".join(_short(item) for item in value), ARGUMENTS)
    return _short(value)


def _short(value: Json) -> str:
    if isinstance(value, str):
        return one_line(value, ARGUMENT)
    try:
        return one_line(json.dumps(value, ensure_ascii=False), ARGUMENT)
    except (TypeError, ValueError, RecursionError):
        return one_line(str(value), ARGUMENT)


def outcome_of(output: str) -> tuple[Outcome, str]:
    """Whether a tool's output reports a failure, and the line that tells most.

    Only the first and the last line of plain text are judged: a file that an agent reads may well have
    errors in its middle.
    """
    text = output.strip()
    if not text:
        return "ok", ""
    value = _json_object(text)
    if value is not None:
        reason = _json_error(value)
        return ("ok", one_line(text, OUTPUT)) if reason is None else ("error", one_line(reason or text, OUTPUT))
    lines = [line.strip()[:LINE] for line in text.splitlines() if line.strip()]
    if _TRACEBACK in text:
        return "error", one_line(lines[-1], OUTPUT)
    if _ERROR_START.search(lines[0]) or _ERROR_LINE.search(lines[0]):
        return "error", one_line(re.sub(r"^error:\s*(?=\S)", "", lines[0], flags=re.I), OUTPUT)
    if _ERROR_LINE.search(lines[-1]):
        return "error", one_line(lines[-1], OUTPUT)
    return "ok", one_line(text, OUTPUT)


def _json_object(text: str) -> dict[str, Json] | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json_error(value: Mapping[str, Json]) -> str | None:
    """What a JSON object that says it is an error gives as its reason; None if it says no such thing."""
    error = value.get("error") or value.get("errors")
    status = value.get("status_code", value.get("status"))
    failed = (
        bool(error)
        or value.get("success") is False
        or value.get("ok") is False
        or value.get("isError") is True
        or value.get("is_error") is True
        or any(isinstance(value.get(name), int) and value[name] != 0 for name in ("exit_code", "returncode"))
        or (isinstance(status, str) and status.lower() in _BAD_STATUS)
        or (isinstance(status, int) and not isinstance(status, bool) and 400 <= status < 600)
    )
    if not failed:
        return None
    if isinstance(error, Mapping):
        error = error.get("message") or json.dumps(error)
    told = error if isinstance(error, str) else value.get("message") or value.get("stderr") or value.get("detail")
    return str(told or "")


def one_line(text: str, limit: int) -> str:
    """Blanks made single, and cut with an ellipsis at a word where there is one near."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > limit * 0.7 else cut).rstrip() + "…"

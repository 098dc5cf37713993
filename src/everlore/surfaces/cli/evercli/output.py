"""The output layer: formats, envelopes, and the only place from which bytes leave.

stdout carries the command's result and nothing else; everything said along the way goes to stderr. Every string,
keys included, passes redaction before it is written, in every format and on both streams.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TextIO

from everlore.redact import redact, redact_deep
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.types import Json

FORMATS: Final = ("text", "json", "yaml", "auto")
THE_SECRET: Final = "@the-secret@"
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Result:
    """What a command found: `data` for machines, `text` for people. `raw` is written as it is unless a format was
    asked for in so many words: a completion script, or a hook's answer to its host."""

    data: Json
    text: str
    meta: Mapping[str, Json] = field(default_factory=dict)
    raw: bool = False
    secret: str = ""
    """One that is meant to be seen, this once, where `THE_SECRET` stands."""


def resolve_format(asked: str) -> str:
    if asked != "auto":
        return asked
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    return "text" if sys.stdout is not None and sys.stdout.isatty() and not in_ci else "json"


def finish(outcome: Result | Failure, asked: str) -> int:
    """Write the outcome in the format asked for; returns the exit code."""
    format_ = resolve_format(asked)
    try:
        if isinstance(outcome, Failure):
            _show_failure(outcome, format_)
        else:
            _show_result(outcome, format_, explicit=asked != "auto")
    except BrokenPipeError:
        _abandon_stdout()
    except OSError as error:
        note(f"error: cannot write the result: {error.strerror or error}")
        _abandon_stdout()
        return 5
    return outcome.exit_code if isinstance(outcome, Failure) else 0


def _show_result(result: Result, format_: str, *, explicit: bool) -> None:
    if format_ == "text" or (result.raw and not explicit):
        text = result.text if result.raw else printable(result.text)
        written = redact(text.rstrip("\n")) + "\n" if text else ""
    else:
        meta = {**result.meta, "requestId": result.meta.get("requestId") or request_id()}
        written = serialise({"ok": True, "data": result.data, "meta": meta}, format_)
    _write(sys.stdout, written.replace(THE_SECRET, result.secret) if result.secret else written)


def printable(text: str) -> str:
    """What people read must not steer their terminal: a memory may hold anything."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def _show_failure(failure: Failure, format_: str) -> None:
    if format_ == "text":
        note(failure.report, f"error: {failure.message}", failure.hint and f"hint: {failure.hint}")
        return
    told = {name: getattr(failure, name) for name in ("code", "message", "hint", "detail")}
    error = {"type": failure.kind, **told}
    meta = {"requestId": failure.request_id or request_id()}
    _write(sys.stdout, serialise({"ok": False, "error": error, "meta": meta}, format_))


def request_id() -> str:
    """For what never reached a server; a server's own id is shown where there is one."""
    return f"req_{os.urandom(8).hex()}"


def note(*lines: str) -> None:
    """Say something on stderr. That nobody listens there is no reason to stop."""
    text = "".join(f"{line.rstrip()}\n" for line in lines if line)
    try:
        _write(sys.stderr, redact(printable(text)))
    except (OSError, ValueError):
        return


def serialise(value: Json, format_: str) -> str:
    clean = redact_deep(value)
    if format_ == "yaml":
        import yaml  # slow, and seldom asked for

        class Dumper(yaml.SafeDumper):
            def ignore_aliases(self, _data: object) -> bool:  # what occurs twice is written twice, not as &id001
                return True

        return str(yaml.dump(clean, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=2**31))
    return json.dumps(clean, ensure_ascii=False, indent=2) + "\n"


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed by the caller before we started
        return
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "replace"))
    stream.buffer.flush()


def _abandon_stdout() -> None:
    """Nobody reads any more. Let the interpreter's own flush at exit go nowhere."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

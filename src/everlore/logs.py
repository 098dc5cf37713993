"""Logs of a process: one stream, on stderr, whoever writes. JSON lines in a pipe, readable in a terminal.

An event is a short sentence with fields: `log.info("listening", port=8000)`. Every finished line passes redaction,
tracebacks and the lines of libraries included.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, Literal

from everlore.redact import redact

CHATTY: Final = ("uvicorn.error", "watchfiles", "httpx", "httpcore", "mcp")
"""Libraries whose everyday messages are of no interest to an operator."""
_FIELDS: Final = "everlore_fields"
_about: ContextVar[dict[str, Any]] = ContextVar("about", default={})  # noqa: B039 - never changed in place


class Logger:
    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **fields: Any) -> None:
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, *, exc_info: BaseException | bool = False, **fields: Any) -> None:
        self._write(logging.ERROR, event, fields, exc_info)

    def exception(self, event: str, **fields: Any) -> None:
        self._write(logging.ERROR, event, fields, True)

    def _write(self, level: int, event: str, fields: dict[str, Any], error: BaseException | bool = False) -> None:
        if self._logger.isEnabledFor(level):
            about = {_FIELDS: _about.get() | fields}
            self._logger.log(level, "%s", event, extra=about, exc_info=error, stacklevel=3)


def get_logger(name: str) -> Logger:
    return Logger(name)


@contextmanager
def about(**fields: Any) -> Iterator[None]:
    """Fields of every event that is written inside."""
    token = _about.set(_about.get() | fields)
    try:
        yield
    finally:
        _about.reset(token)


class RedactingFormatter(logging.Formatter):
    def __init__(self, *, readable: bool) -> None:
        super().__init__()
        self._readable = readable

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, _FIELDS, {})
        moment = datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
        # the MCP SDK's tracebacks show the values that it could not validate, which are people's memories
        failed = record.exc_info and not record.name.startswith("mcp.")
        trace = self.formatException(record.exc_info) if failed and record.exc_info else ""
        level, event = record.levelname.lower(), record.getMessage()
        if self._readable:
            told = " ".join(f"{name}={value}" for name, value in fields.items())
            line = f"{moment} [{level:<8}] {event:<30} [{record.name}] {told}".rstrip()
            return redact(f"{line}\n{trace}" if trace else line)
        entry = fields | {"event": event, "logger": record.name, "level": level, "timestamp": moment}
        entry |= {"exception": trace} if trace else {}
        return redact(json.dumps(entry, ensure_ascii=False, default=repr))


def configure(level: str, form: Literal["auto", "console", "json"]) -> None:
    """Called once, at the start of a process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingFormatter(readable=form == "console" or (form == "auto" and sys.stderr.isatty())))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in CHATTY:
        logging.getLogger(name).setLevel(level.upper() if level == "debug" else "WARNING")

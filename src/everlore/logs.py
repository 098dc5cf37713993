"""Logs of a process: one stream, on stderr, whoever writes. JSON lines in a pipe, readable in a terminal.

Every finished line passes redaction, tracebacks and the lines of libraries included.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import structlog

from everlore.redact import redact

CHATTY = ("uvicorn.error", "watchfiles", "httpx", "httpcore", "mcp")
"""Libraries whose everyday messages are of no interest to an operator."""


class RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def configure(level: str, form: Literal["auto", "console", "json"]) -> None:
    """Called once, at the start of a process."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    readable = form == "console" or (form == "auto" and sys.stderr.isatty())
    rendering: list[structlog.typing.Processor]
    if readable:
        # the plain formatter: a fancy one would print the values of variables, which are people's memories
        plain = structlog.dev.plain_traceback
        rendering = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
    else:
        rendering = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        RedactingFormatter(
            foreign_pre_chain=[*shared, _discreet],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in CHATTY:
        logging.getLogger(name).setLevel(level.upper() if level == "debug" else "WARNING")


def _discreet(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """The MCP SDK's tracebacks show the values that it could not validate, which are people's memories."""
    if str(event.get("logger", "")).startswith("mcp."):
        event.pop("exc_info", None)
    return event

"""The environment variables of the Memory Server contract: read, kept within bounds, and explained where bad."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

LEVELS = {"error": "error", "warn": "warning", "warning": "warning", "info": "info", "debug": "debug"}


@dataclass(frozen=True, slots=True)
class Number:
    default: int
    least: int
    most: int


NUMBERS = {
    "DB_MAX_POOL_SIZE": Number(20, 1, 100),
    "DB_IDLE_TIMEOUT": Number(30_000, 1000, 300_000),
    "DB_QUERY_TIMEOUT": Number(30_000, 1000, 300_000),
    "EMBEDDINGS_MAX_RETRIES": Number(3, 1, 10),
    "SEARCH_DEFAULT_LIMIT": Number(10, 1, 100),
    "SEARCH_MAX_LIMIT": Number(100, 1, 1000),
    "MAX_CONTENT_LENGTH": Number(10_000, 1, 100_000),
    "MAX_TAGS_COUNT": Number(20, 1, 100),
}
FIXED = {"EMBEDDINGS_POOLING": ("mean",), "EMBEDDINGS_NORMALIZE": ("true",)}
"""What the built-in model does in its own way; other values than these are explained."""


@dataclass(frozen=True, slots=True)
class Environment:
    default_limit: int
    max_limit: int
    max_content: int
    max_tags: int
    retries: int
    log_level: str | None
    debug_log: str
    complaints: tuple[str, ...]


def read(environ: Mapping[str, str]) -> Environment:
    complaints: list[str] = []
    numbers = {name: _number(environ, name, bounds, complaints) for name, bounds in NUMBERS.items()}
    level = environ.get("LOG_LEVEL", "").strip().lower()
    if level and level not in LEVELS:
        complaints.append("LOG_LEVEL must be error, warn, info or debug; info is used")
    for name, expected in FIXED.items():
        if environ.get(name, "").strip().lower() not in ("", *expected):
            complaints.append(f"{name} has no effect: the embedding model has its own way, and vectors are normalised")
    if environ.get("EMBEDDINGS_MODEL", "").strip():
        complaints.append(
            "EMBEDDINGS_MODEL is not loaded from a hub: the built-in model is used, or the one that"
            " EVEROS_EMBEDDING__BASE_URL and EVEROS_EMBEDDING__MODEL name"
        )
    return Environment(
        default_limit=min(numbers["SEARCH_DEFAULT_LIMIT"], numbers["SEARCH_MAX_LIMIT"]),
        max_limit=numbers["SEARCH_MAX_LIMIT"],
        max_content=numbers["MAX_CONTENT_LENGTH"],
        max_tags=numbers["MAX_TAGS_COUNT"],
        retries=numbers["EMBEDDINGS_MAX_RETRIES"],
        log_level=LEVELS.get(level, "info" if level else None),
        debug_log=environ.get("MCP_DEBUG_LOG_PATH", "").strip(),
        complaints=tuple(complaints),
    )


def _number(environ: Mapping[str, str], name: str, bounds: Number, complaints: list[str]) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return bounds.default
    try:
        given = int(float(text))
    except (ValueError, OverflowError):
        complaints.append(f"{name} must be a number from {bounds.least} to {bounds.most}; {bounds.default} is used")
        return bounds.default
    used = min(bounds.most, max(bounds.least, given))
    if used != given:
        complaints.append(f"{name} must be from {bounds.least} to {bounds.most}; {used} is used")
    return used


ENVIRONMENT = read(os.environ)
"""As it is when the toolset is loaded; the schemas tell its limits."""

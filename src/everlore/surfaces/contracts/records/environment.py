"""The environment variables of the Memory Server contract: read, kept within bounds, and explained where bad."""

from __future__ import annotations

import os
from collections.abc import Mapping

NUMBERS = {
    "DB_MAX_POOL_SIZE": (20, 1, 100),
    "DB_IDLE_TIMEOUT": (30_000, 1000, 300_000),
    "DB_QUERY_TIMEOUT": (30_000, 1000, 300_000),
    "EMBEDDINGS_MAX_RETRIES": (3, 1, 10),
    "SEARCH_DEFAULT_LIMIT": (10, 1, 100),
    "SEARCH_MAX_LIMIT": (100, 1, 1000),
    "MAX_CONTENT_LENGTH": (10_000, 1, 100_000),
    "MAX_TAGS_COUNT": (20, 1, 100),
}
"""What each is where nothing is said, at least and at most."""
LEVELS = {"error": "error", "warn": "warning", "warning": "warning", "info": "info", "debug": "debug"}
NO_EFFECT = "has no effect: the embedding model has its own way, and vectors are normalised"
WORDS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "LOG_LEVEL": (tuple(LEVELS), "must be error, warn, info or debug; info is used"),
    "EMBEDDINGS_POOLING": (("mean",), NO_EFFECT),
    "EMBEDDINGS_NORMALIZE": (("true",), NO_EFFECT),
    "EMBEDDINGS_MODEL": (
        (),
        "is not loaded from a hub: the built-in model is used, or the one that EVEROS_EMBEDDING__BASE_URL and "
        "EVEROS_EMBEDDING__MODEL name",
    ),
}
"""Which words are understood, and what is said of others."""


class Environment:
    def __init__(self, environ: Mapping[str, str]) -> None:
        said = {name: environ.get(name, "").strip() for name in (*NUMBERS, *WORDS, "MCP_DEBUG_LOG_PATH")}
        self.complaints: list[str] = []
        numbers = {name: self._number(name, said[name], *bounds) for name, bounds in NUMBERS.items()}
        self.max_limit = numbers["SEARCH_MAX_LIMIT"]
        self.default_limit = min(numbers["SEARCH_DEFAULT_LIMIT"], self.max_limit)
        self.max_content = numbers["MAX_CONTENT_LENGTH"]
        self.max_tags = numbers["MAX_TAGS_COUNT"]
        self.retries = numbers["EMBEDDINGS_MAX_RETRIES"]
        self.debug_log = said["MCP_DEBUG_LOG_PATH"]
        self.log_level = LEVELS.get(said["LOG_LEVEL"].lower(), "info" if said["LOG_LEVEL"] else None)
        for name, (understood, told) in WORDS.items():
            if said[name].lower() not in ("", *understood):
                self.complaints.append(f"{name} {told}")

    def _number(self, name: str, text: str, usual: int, least: int, most: int) -> int:
        try:
            given = int(float(text or usual))
        except (ValueError, OverflowError):
            self.complaints.append(f"{name} must be a number from {least} to {most}; {usual} is used")
            return usual
        used = min(most, max(least, given))
        if used != given:
            self.complaints.append(f"{name} must be from {least} to {most}; {used} is used")
        return used


ENVIRONMENT = Environment(os.environ)
"""As it is when the toolset is loaded; the schemas tell its limits."""

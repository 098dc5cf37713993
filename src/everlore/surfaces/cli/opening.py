"""How a command opens the vault: the settings of this machine, quiet logs, the engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from everlore import logs
from everlore.config import Settings, load, unknown_settings
from everlore.engine import Engine, open_engine
from everlore.surfaces.cli import output


def settings_of_command(least: str = "warning") -> Settings:
    """Only logs from `least` on are shown. Settings without effect are named on stderr, since a misspelt one would be
    missed in silence."""
    settings = load()
    if unknown := unknown_settings():
        output.warn(f"settings without effect, check their names: {', '.join(unknown)}")
    logs.configure("debug" if settings.log_level == "debug" else least, settings.log_format)
    return settings


@contextmanager
def opened() -> Iterator[Engine]:
    engine = open_engine(settings_of_command())
    try:
        yield engine
    finally:
        engine.close()

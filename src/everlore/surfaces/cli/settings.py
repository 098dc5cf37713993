"""The settings of a command."""

from __future__ import annotations

from everlore.config import Settings, load, unknown_settings
from everlore.surfaces.cli import output


def settings_of_command() -> Settings:
    """Settings without effect are named on stderr, since a misspelt one would be missed in silence."""
    settings = load()
    if unknown := unknown_settings():
        output.warn(f"settings without effect, check their names: {', '.join(unknown)}")
    return settings

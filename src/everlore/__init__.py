"""Everlore: long-term memory for AI agents that its owner can read."""

__version__ = "0.1.0"

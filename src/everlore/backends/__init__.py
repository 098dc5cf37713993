"""Backends: where everything of an installation is kept. One is a folder of `stores/` and a line in the registry."""

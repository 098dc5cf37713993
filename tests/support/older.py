"""Real servers of older versions, taken from the history of this repository."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FIRST = "5b7bf070a757"
"""The first state with everything on PostgreSQL: version 1 of every part."""
SHARED = "de9e7619c255"
"""The last state in which an index of another version was dropped: its tables lie in the schema itself."""
SETTINGS = """
import os
from pydantic import BaseModel, ConfigDict as SettingsConfigDict

class NoDecode: ...
PydanticBaseSettingsSource = TomlConfigSettingsSource = object

class BaseSettings(BaseModel):
    def __init__(self, **given):
        read = {}
        for name, value in os.environ.items():
            if name.startswith("EVEROS_") and "__" in name:
                section, _, key = name[7:].lower().partition("__")
                read.setdefault(section, {})[key] = value
        super().__init__(**{**read, **given})
"""
"""Stands for pydantic-settings, which was a dependency then and is none today."""
METRICS = """
class Nothing:
    def __init__(self, *args, **named): pass
    def __getattr__(self, name): return Nothing
CollectorRegistry = Counter = Histogram = GaugeMetricFamily = Metric = Collector = generate_latest = Nothing
CONTENT_TYPE_LATEST = ""
"""
"""Stands for prometheus-client, in the same way."""
LOG = """
import json, logging, sys, traceback

class Nothing:
    def __call__(self, *args, **named): return self
    def __getattr__(self, name): return Nothing()
    def __enter__(self): return self
    def __exit__(self, *error): return None

class Formatter(logging.Formatter):
    wrap_for_formatter = remove_processors_meta = None
    def __init__(self, **named): super().__init__()

class Log:
    def __getattr__(self, level):
        def say(event, *args, **named):
            print(json.dumps({"event": event, "level": level, **named}, default=str), file=sys.stderr, flush=True)
            if level == "exception":
                traceback.print_exc()
        return say

def get_logger(*args): return Log()
configure = contextvars = dev = processors = Nothing()
stdlib = Nothing()
stdlib.ProcessorFormatter = Formatter
"""
"""Stands for structlog, likewise; what a server says is read from its lines."""


def path_of(commit: str, folder: Path) -> dict[str, str]:
    """The environment in which `everlore` is that of a commit."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip(f"the history has no {commit}: clone the repository in full")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    (folder / "src" / "prometheus_client").mkdir()
    metrics = [f"prometheus_client/{name}" for name in ("__init__", "core", "registry")]
    for name, text in (("pydantic_settings", SETTINGS), ("structlog", LOG), *((name, METRICS) for name in metrics)):
        (folder / "src" / f"{name}.py").write_text(text, encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(folder / "src"), os.environ.get("PYTHONPATH", "")])}

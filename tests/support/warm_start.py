"""Everything that takes time to load, loaded once in the process that the others are forked from."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

import crash_driver  # noqa: F401 - what the children run
import httpx  # noqa: F401 - the embedder imports it on its first request
import pytest

from everlore.extract.third_person import third_person

third_person("I bought a lamp.", "Alice")  # reads the dictionaries


class Start(Protocol):
    def __call__(self, *, target: Callable[..., None], args: Iterable[Any]) -> BaseProcess: ...


def processes() -> Start:
    """Makes real processes that start in milliseconds, where the system can fork."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn").Process
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["warm_start"])
    # the server of the forks does not get our sys.path by itself
    folders = [str(Path(__file__).parent), *sys.path]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join(dict.fromkeys(filter(None, folders))))
        forkserver.ensure_running()
    return context.Process

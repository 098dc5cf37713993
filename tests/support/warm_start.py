"""Everything that takes time to load, loaded once in the process that the others are forked from."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
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


def killed_at_steps(
    target: Callable[..., None], operation: str, points: int, template: Path, url: str
) -> Iterator[Path]:
    """Copies of a vault in which an operation was killed at one of its steps, spread over all of them. The process
    counts its steps into a file when it is told to die at none (0)."""
    start = processes()

    def run(step: int) -> Path:
        root, log = template.with_name(f"step{step}"), template.with_name(f"{step}.log")
        shutil.copytree(template, root, copy_function=shutil.copy2)
        process = start(target=target, args=(operation, step, root, url, log))
        process.start()
        process.join()
        assert (process.exitcode == 0) == (step == 0), log.read_text(encoding="utf-8")
        process.close()
        return root

    stride = int((run(0) / "steps").read_text(encoding="utf-8")) / points
    assert stride > 1, f"{operation} has only {stride * points:.0f} steps"
    for point in range(points):
        yield run(1 + int(point * stride))

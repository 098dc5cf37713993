"""How commands speak: tables and colours in a terminal, plain lines in a pipe, progress on stderr.

Everything said here passes redaction.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING

from everlore.redact import redact, redact_deep
from everlore.types import Json

if TYPE_CHECKING:
    from rich.console import Console

CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")
COLOURS = {"ok": "green", "warning": "yellow", "error": "bold red"}


def show_json(value: Json, *, lines: bool = True) -> None:
    """Over several `lines`, or in one, where more of its kind may follow."""
    print(json.dumps(redact_deep(value), ensure_ascii=False, indent=2 if lines else None))


def show_line(text: str) -> None:
    print(_plain(text))


def _plain(text: str) -> str:
    """Without credentials, and without what would give orders to a terminal: memories hold what others wrote."""
    return redact(text).translate(CONTROLS)


def terminal() -> Console:
    """Colours are ours to choose: left to itself, rich takes the end of `file.md:207` for an address."""
    from rich.console import Console  # a tenth of a second, of which pipes need nothing

    return Console(highlight=False)


def show_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Names and values: a table in a terminal, `name<TAB>value` in a pipe."""
    pairs = [(redact(name), redact(value)) for name, value in pairs]
    if not sys.stdout.isatty():
        for name, value in pairs:
            print(f"{name}\t{value}")
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(escape(name), escape(value))
    terminal().print(table)


def show_finding(level: str, what: str, hint: str) -> None:
    what, hint = redact(what), redact(hint)
    if not sys.stdout.isatty():
        print(f"{level}\t{what}" + (f"\t{hint}" if hint else ""))
        return
    from rich.markup import escape

    console = terminal()
    console.print(f"[{COLOURS[level]}]{level:>7}[/]  {escape(what)}", soft_wrap=True)
    if hint:
        console.print(f"         [dim]{escape(hint)}[/]", soft_wrap=True)


def show_cells(*cells: tuple[str, str], indent: int = 0) -> None:
    """Texts side by side, each in its style in a terminal: `dim`, `bold green`."""
    said = [(_plain(" ".join(text.splitlines())), style) for text, style in cells if text]
    if not sys.stdout.isatty():
        print(" " * indent + "  ".join(text for text, _ in said))
        return
    from rich.text import Text

    line = Text(" " * indent)
    for at, (text, style) in enumerate(said):
        line.append("  " if at else "").append(text, style=style)
    terminal().print(line, soft_wrap=True)


def show_answer(text: str, marks: Sequence[Sequence[int]], *, past: bool, first: bool) -> None:
    """A sentence whose telling words stand out in a terminal; what has ended is struck through there."""
    indent, said = "" if first else "  ", _plain(text)
    if not sys.stdout.isatty():
        print(f"{indent}{said}")
        return
    from rich.text import Text

    shown = Text(indent + said, style="dim strike" if past else "bold" if first else "")
    for begin, end in () if past or said != text else marks:
        shown.stylize("bold green", len(indent) + begin, len(indent) + end)
    terminal().print(shown, soft_wrap=True)


class _Paper(io.StringIO):
    """What is written for a terminal, before it is known how long it will be."""

    def isatty(self) -> bool:
        return True


@contextmanager
def pages() -> Iterator[None]:
    """What is longer than the screen is shown page by page, as git does it: by $PAGER, or `less`. `PAGER=` does not."""
    words = shlex.split(os.environ.get("PAGER", "less"))
    if not sys.stdout.isatty() or not words or (pager := shutil.which(words[0])) is None:
        yield
        return
    paper = _Paper()
    try:
        with redirect_stdout(paper):
            yield
    finally:
        text = paper.getvalue()
        if text.count("\n") < shutil.get_terminal_size().lines:
            sys.stdout.write(text)
        else:
            env = os.environ | {"LESS": os.environ.get("LESS", "FRX")}
            with suppress(KeyboardInterrupt):
                subprocess.run([pager, *words[1:]], input=text, text=True, encoding="utf-8", env=env, check=False)


def warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)


def note(text: str) -> None:
    """For a person who would else look at nothing; scripts read stdout."""
    print(_plain(text), file=sys.stderr)


@contextmanager
def progress(*, passing: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A function to report progress to: bars in a terminal, one line per finished stage elsewhere.

    `passing`: only in a terminal, and gone when it is done. Long work may be stopped: what is done stays done.
    """
    try:
        with _progress(passing=passing) as report:
            yield report
    except KeyboardInterrupt:
        note("stopped; what was done is kept, and the same command goes on from there")
        raise


@contextmanager
def _progress(*, passing: bool) -> Iterator[Callable[[str, int, int], None]]:
    if sys.stderr is None or not sys.stderr.isatty():
        yield (lambda _what, _done, _total: None) if passing else _plain_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=Console(stderr=True), transient=passing)
    tasks: dict[str, TaskID] = {}

    def report(what: str, done: int, total: int) -> None:
        bars.start()
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total)
        bars.update(tasks[what], completed=done, total=total)

    try:
        yield report
    finally:
        bars.stop()


def _plain_progress(what: str, done: int, total: int) -> None:
    if done == total:
        print(f"{what}: {done}/{total}", file=sys.stderr)

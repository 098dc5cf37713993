"""How commands speak: tables and colours in a terminal, plain lines in a pipe, progress on stderr.

Everything said here passes redaction.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from everlore.redact import redact, redact_deep
from everlore.types import Json

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {"ok": "green", "warning": "yellow", "error": "bold red"}


def show_json(value: Json) -> None:
    print(json.dumps(redact_deep(value), ensure_ascii=False, indent=2))


def show_line(text: str) -> None:
    print(redact(text))


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


def show_answer(words: Sequence[tuple[str, bool]], *, past: bool, first: bool) -> None:
    """A sentence whose telling words stand out in a terminal; what has ended is struck through there."""
    words = [(redact(word), marked) for word, marked in words]
    if not sys.stdout.isatty():
        print(f"{'' if first else '  '}{' '.join(word for word, _ in words)}")
        return
    from rich.text import Text

    text = Text("" if first else "  ", style="dim strike" if past else "")
    for word, marked in words:
        text.append(word, style="bold green" if marked and not past else "")
        text.append(" ")
    terminal().print(text, soft_wrap=True)


def show_detail(text: str) -> None:
    """What stands small below an answer."""
    text = redact(text)
    if not sys.stdout.isatty():
        print(f"    {text}")
        return
    from rich.markup import escape

    terminal().print(f"    [dim]{escape(text)}[/]", soft_wrap=True)


def warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)


def note(text: str) -> None:
    """For a person who would else look at nothing; scripts read stdout."""
    print(text, file=sys.stderr)


@contextmanager
def progress(*, passing: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A function to report progress to: bars in a terminal, one line per finished stage elsewhere.

    `passing`: only in a terminal, and gone when it is done.
    """
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

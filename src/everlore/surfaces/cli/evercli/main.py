"""Entry point: parse, run one command, show one result or one failure, leave with its exit code.

Whatever happens, the caller gets an envelope (or a sentence) and a code; a traceback is shown only with -v, on
stderr, and redacted like everything else.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from everlore.surfaces.cli.evercli.arguments import Line
    from everlore.surfaces.cli.evercli.failure import Failure


def run() -> NoReturn:
    """The console script."""
    signal.signal(signal.SIGINT, _interrupt)  # also where a shell started us in the background, with SIGINT ignored
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        # from here on there is only the answer to write; a second Ctrl-C must not cut it in two
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        code = _cancelled(sys.argv[1:])
    sys.exit(code)


def main(argv: list[str]) -> int:
    from everlore.surfaces.cli.evercli import output
    from everlore.surfaces.cli.evercli.arguments import read_line
    from everlore.surfaces.cli.evercli.commands import dispatch
    from everlore.surfaces.cli.evercli.failure import Failure, local_failure

    line = read_line(argv)
    try:
        result = dispatch(line)
    except Failure as failure:
        return _fail(failure, line)
    except OSError as error:
        return _fail(local_failure(error, "finish"), line)
    except Exception as error:
        return _fail(_unexpected(error, line), line)
    format_ = output.resolve_format(line.format)
    return _leave(lambda: output.show_result(result, format_, explicit=line.format != "auto"), 0)


def _fail(failure: Failure, line: Line) -> int:
    from everlore.surfaces.cli.evercli import output

    return _leave(lambda: output.show_failure(failure, output.resolve_format(line.format)), failure.exit_code)


def _leave(show: Callable[[], None], code: int) -> int:
    from everlore.surfaces.cli.evercli import output

    try:
        show()
    except BrokenPipeError:
        output.abandon_stdout()
    except OSError as error:
        output.note(f"error: cannot write the result: {error.strerror or error}")
        output.abandon_stdout()
        return 5
    return code


def _cancelled(argv: list[str]) -> int:
    from everlore.surfaces.cli.evercli.arguments import read_line
    from everlore.surfaces.cli.evercli.failure import Failure

    hint = "Run the command again; what was finished stays finished"
    return _fail(Failure("cancelled", "interrupted", hint), read_line(argv))


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _unexpected(error: Exception, line: Line) -> Failure:
    from everlore.surfaces.cli.evercli import output
    from everlore.surfaces.cli.evercli.failure import Failure

    if line.verbose:
        import traceback

        output.note("".join(traceback.format_exception(error)))
    return Failure("internal", f"unexpected {type(error).__name__}: {error}", "Run it again with -v to see where")

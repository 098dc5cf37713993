"""The `everlore` command, also as `python -m everlore`.

It imports next to nothing before it is asked, so that an incomplete installation and an early Ctrl-C end in a sentence,
and hosts that start `everlore mcp` do not wait for the rest of the program.
"""

import sys

from everlore.extras import extra_of, load, missing


def run() -> None:
    try:
        if names := _toolsets(sys.argv[1:]):
            sys.exit(load("everlore.surfaces.mcp.relay:run")(names))
        load("everlore.surfaces.cli.main:run")()
    except ModuleNotFoundError as error:
        extra = extra_of(error.name or "")
        sys.exit(
            f"error: {missing(extra)}" if extra else f"error: the module {error.name} is missing; run: make install"
        )
    except KeyboardInterrupt:
        sys.exit(130)


def _toolsets(words: list[str]) -> str:
    """What `everlore mcp --toolset a,b` is to serve on stdin and stdout; nothing for every other command."""
    match words:
        case ["mcp", "--toolset", names] | ["mcp", "--toolset", names, "--transport", "stdio"]:
            return names
        case ["mcp", option] if option.startswith("--toolset="):
            return option.partition("=")[2]
        case ["mcp"] | ["mcp", "--transport", "stdio"]:
            return "knowledge"
    return ""


if __name__ == "__main__":
    run()

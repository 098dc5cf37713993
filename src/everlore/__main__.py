"""The `everlore` command, also as `python -m everlore`.

It imports next to nothing before it is asked, so that an incomplete installation and an early Ctrl-C end in a sentence.
"""

import sys

from everlore.extras import extra_of, load, missing


def run() -> None:
    try:
        load("everlore.surfaces.cli.main:run")()
    except ModuleNotFoundError as error:
        extra = extra_of(error.name or "")
        sys.exit(
            f"error: {missing(extra)}" if extra else f"error: the module {error.name} is missing; run: make install"
        )
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()

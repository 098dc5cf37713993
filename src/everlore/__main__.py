"""`python -m everlore` is the `everlore` command."""

from everlore.surfaces.cli.main import run

if __name__ == "__main__":
    run()

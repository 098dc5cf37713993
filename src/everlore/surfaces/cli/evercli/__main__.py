"""`python -m everlore.surfaces.cli.evercli` is `evercli`."""

from everlore.surfaces.cli.evercli.main import run

run()

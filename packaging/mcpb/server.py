"""For hosts that start the entry point itself."""

import sys

from everlore.__main__ import run

sys.argv[1:] = ["mcp", "--toolset", "everme,knowledge"]
run()

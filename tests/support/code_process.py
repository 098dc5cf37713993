"""A process of its own that indexes a project and says so: `python code_process.py VAULT URL FOLDER SECONDS`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from code_tools_client import call, status
from vaults import open_vault


def main(vault: str, url: str, folder: str, seconds: str) -> None:
    engine = open_vault(Path(vault), url)
    print(json.dumps(call(engine, "index_project", path=folder)), flush=True)
    deadline = time.monotonic() + float(seconds)
    while time.monotonic() < deadline and status(engine, Path(folder).name)["status"] != "completed":
        time.sleep(0.05)
    print(json.dumps(status(engine, Path(folder).name)), flush=True)
    engine.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

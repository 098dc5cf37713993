"""Programs of the npm registry, installed once per set of versions into a cache folder outside the repository."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from everlore.lock import FileLock

NODE = "node@22.23.3"
"""The suite and the inspector need Node 22; the registry has it as a package, whatever node is installed here."""
CLIENTS = (
    NODE,
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.3.1",
    "@modelcontextprotocol/inspector@2.12.0",
)
CONFORMANCE = (NODE, "@modelcontextprotocol/conformance@0.2.0-alpha.12")

missing = None if shutil.which("node") and shutil.which("npm") else "node and npm are not installed"
"""Why nothing of this can run here, or None."""


def installed(packages: tuple[str, ...]) -> Path:
    """The folder whose `node_modules` has the packages."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "everlore-tests"
    name = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:16]
    folder, done = cache / name, cache / name / "installed"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f"{name}.lock"):
        if not done.exists():
            folder.mkdir(exist_ok=True)
            (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
            npm = shutil.which("npm")
            assert npm is not None
            subprocess.run(
                [npm, "install", "--no-audit", "--no-fund", "--no-save", *packages],
                cwd=folder, check=True, timeout=280, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            done.touch()
    return folder


def node(folder: Path) -> str:
    return str(folder / "node_modules" / "node" / "bin" / ("node.exe" if os.name == "nt" else "node"))

"""The parts that an installation is made of, as CycloneDX JSON: `make sbom`, or `python docs/sbom.py > sbom.json`.

Versions and hashes are those of the lock; licences are what the installed packages say of themselves.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import PackageNotFoundError, PathDistribution, distribution
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s;\\]+)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


class Part(NamedTuple):
    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str
    """As the package says it; "" where it is not installed here."""


def parts(lock: Path) -> list[Part]:
    text = lock.read_text(encoding="utf-8")
    pins = list(_PIN.finditer(text))
    ends = [*(pin.start() for pin in pins[1:]), len(text)]
    return [
        Part(pin["name"], pin["version"], tuple(_HASH.findall(text[pin.end() : end])), licence(pin["name"]))
        for pin, end in zip(pins, ends, strict=True)
    ]


def licence(name: str) -> str:
    try:
        told = distribution(name)
    except PackageNotFoundError:
        return ""
    classified = [
        line.rpartition("::")[2].strip()
        for line in told.metadata.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    written = "".join(told.metadata.get_all("License") or ()).strip().splitlines()
    expressed = "".join(told.metadata.get_all("License-Expression") or ())
    return expressed or " AND ".join(classified) or (written[0] if written else "") or _of_file(told)


def _of_file(told: Any) -> str:
    """The first line of the licence that it brings."""
    for file in told.files or ():
        if "licen" in file.name.lower() and isinstance(told, PathDistribution):
            lines = file.read_text(encoding="utf-8").strip().splitlines()
            return lines[0].strip() if lines else ""
    return ""


def bill(every: list[Part]) -> dict[str, Any]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "everlore"}},
        "components": [
            {
                "type": "library",
                "name": one.name,
                "version": one.version,
                "purl": f"pkg:pypi/{one.name}@{one.version}",
                "hashes": [{"alg": "SHA-256", "content": value} for value in one.hashes],
                "licenses": [{"license": {"name": one.licence}}] if one.licence else [],
            }
            for one in every
        ],
    }


if __name__ == "__main__":
    json.dump(bill(parts(ROOT / "requirements.lock")), sys.stdout, indent=1)
    print()

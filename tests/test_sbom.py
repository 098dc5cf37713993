"""What an installation is made of: pinned, with hashes, under licences that go with ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from docs.sbom import ROOT, Part, parts

ALLOWED = re.compile(r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|LGPL|Zlib|CC0|any-OSI|CMU")
NAMED = {"docutils": "public domain and BSD; GPL is for an editor's mode that it brings and nobody loads"}
"""Parts whose own words name another licence as well, and why that is no matter."""
LOCKS = ("core.lock", "requirements.lock")
EVERY = {one.name: one for lock in LOCKS for one in parts(ROOT / lock)}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_part_is_pinned_with_hashes(lock: str) -> None:
    found = parts(ROOT / lock)
    assert len(found) > 40
    assert not [one.name for one in found if not one.hashes or not one.version]


@pytest.mark.parametrize("part", [one for one in EVERY.values() if one.licence], ids=lambda one: one.name)
def test_its_licence_goes_with_ours(part: Part) -> None:
    assert ALLOWED.search(part.licence), part
    strict = re.search(r"\b(?:A?GPL|GNU General|GNU Affero|SSPL|Commons Clause|Non-?Commercial)\b", part.licence)
    assert not strict or part.name in NAMED, part


def test_the_bill_of_materials_is_made_by_a_command() -> None:
    done = subprocess.run([sys.executable, ROOT / "docs" / "sbom.py"], capture_output=True, check=True, timeout=300)
    bill = json.loads(done.stdout)
    assert bill["bomFormat"] == "CycloneDX"
    assert {"apsw", "fastapi", "numpy"} <= {one["name"] for one in bill["components"]}
    assert all(one["hashes"] for one in bill["components"])

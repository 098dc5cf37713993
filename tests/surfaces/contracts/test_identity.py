"""Who the servers say they are, told before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS
from everlore.surfaces.mcp import toolsets

HEAVY = {"mcp", "pydantic", "numpy", "asyncio", "everlore.engine"}


@pytest.mark.parametrize("name", toolsets.NAMES)
def test_an_identity_is_that_of_its_toolset_and_needs_none_of_its_tools(name: str) -> None:
    assert toolsets.load(name).identity is toolsets.identity(name)
    assert toolsets.identity(name).version in HANDSHAKE_VERSIONS
    code = f"import sys; from everlore.surfaces.mcp import toolsets; toolsets.identity({name!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert HEAVY.isdisjoint(done.stdout.split())

"""The contract of the memory API is tested on both stores."""

from __future__ import annotations

import pytest
from databases import on_both_stores


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    on_both_stores(metafunc, "server")

"""How far the indexing is."""

from __future__ import annotations

import pytest

from everlore.code.projects import Project
from everlore.code.status import progress


def test_progress_is_honest() -> None:
    begun = Project("p", "/p", state="indexing", total_files=100, indexed_files=50, backlog=500)
    assert progress(begun, 500) == pytest.approx(0.05)
    assert progress(begun, 0) == pytest.approx(0.5), "half of the files are still to be read and embedded"
    read = Project("p", "/p", state="indexing", total_files=100, indexed_files=100, backlog=1000, read=True)
    assert progress(read, 1000) == pytest.approx(0.1)
    assert progress(read, 500) == pytest.approx(0.55)
    assert progress(read, 0) == pytest.approx(1.0)
    assert progress(Project("p", "/p"), 0) == 0.0

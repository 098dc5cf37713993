"""The page of the newest figures."""

from __future__ import annotations

from pathlib import Path

from bench.report import HEAD, write


def test_a_part_that_is_measured_again_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    for part, table in (("quality", "## Quality\n\n| 1 |\n"), ("speed", "## Speed\n\n### at 1k\n\n| 2 |\n")):
        write(part, table, tmp_path, quick=False)
    write("quality", "## Quality\n\n| 3 |\n", tmp_path, quick=False)
    write("speed", "## Speed\n\n| 4 |\n", tmp_path, quick=True)
    latest = (tmp_path / "latest.md").read_text(encoding="utf-8")
    assert latest == f"{HEAD}\n## Quality\n\n| 3 |\n\n## Speed\n\n### at 1k\n\n| 2 |\n"

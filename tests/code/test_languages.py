"""Which language a file is in."""

from __future__ import annotations

import pytest

from everlore.code.languages import language_of


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("a.py", "", "python"), ("b/c.TSX", "", "typescript"), ("x.h", "", "c"), ("Dockerfile", "", "dockerfile"),
        ("run", "#!/usr/bin/env python3", "python"), ("run", "#!/bin/sh -e", "bash"), ("run", "hello", None),
    ],
)  # fmt: skip
def test_languages(path: str, first_line: str, language: str | None) -> None:
    assert language_of(path, first_line) == language

"""The contract's types of errors and their exit codes."""

from __future__ import annotations

import pytest

from everlore.surfaces.cli.evercli.failure import EXIT_CODES, Failure, bad_argument, local_failure


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        (1, {"upstream", "conflict", "not_found", "rate_limit", "permission", "plugin_not_detected"}),
        (2, {"invalid_args"}),
        (3, {"not_logged_in", "auth"}),
        (4, {"network"}),
        (5, {"io", "internal"}),
        (130, {"cancelled"}),
    ],
)
def test_exit_codes_are_those_of_the_contract(code: int, kinds: set[str]) -> None:
    assert {kind for kind, its_code in EXIT_CODES.items() if its_code == code} == kinds
    assert {Failure(kind, "x").exit_code for kind in kinds} == {code}


def test_a_failure_says_where() -> None:
    assert bad_argument("no", flag="format").with_detail(platform="codex").detail == {
        "flag": "format",
        "platform": "codex",
    }
    failed = local_failure(PermissionError(13, "Permission denied", "/x"), "read")
    assert (failed.kind, failed.message, failed.detail) == ("io", "cannot read: /x: Permission denied", {"path": "/x"})

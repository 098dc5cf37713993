"""The gateway's codes: each has a status, and every error of ours has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import everlore
from everlore.errors import Conflict, InvalidInput, Misconfigured, NotFound, Unavailable
from everlore.surfaces.contracts.everme.gateway import CODES, DENIALS, OF_STATUS, code_of, code_of_status


def test_every_code_that_is_given_is_known() -> None:
    assert {*DENIALS.values(), *OF_STATUS.values()} <= set(CODES)


def test_every_reason_to_deny_has_a_code_of_its_own() -> None:
    top = Path(everlore.__file__).parent
    source = [*top.glob("accounts/*.py"), *top.glob("surfaces/http/*.py")]
    reasons = {why for path in source for why in re.findall(r'Denied\("(\w+)"', path.read_text("utf-8"))}
    assert "key_revoked" in reasons
    assert reasons <= set(DENIALS)
    assert len(set(DENIALS.values())) == len(DENIALS)


@pytest.mark.parametrize(
    ("error", "status"),
    [(InvalidInput, 400), (NotFound, 404), (Conflict, 409), (Unavailable, 503), (Misconfigured, 500)],
)
def test_our_errors_have_the_statuses_that_clients_expect(error: type[Exception], status: int) -> None:
    assert CODES[code_of(error("x"))][1] == status  # type: ignore[arg-type]


@pytest.mark.parametrize(("status", "code"), [(422, 20001), (418, 20001), (403, 30002), (503, 50101), (502, 50000)])
def test_errors_of_http_have_codes_too(status: int, code: int) -> None:
    assert code_of_status(status) == code

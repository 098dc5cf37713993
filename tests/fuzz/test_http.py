"""Whatever the OpenAPI allows, and what it does not: never a 500, never a hang, never a traceback.

`EVERLORE_FUZZ` is how many requests of each route are tried; `make fuzz` tries many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from serving import Server, running

EXAMPLES = int(os.environ.get("EVERLORE_FUZZ", "3"))
SECONDS = 120
LEFT_OUT = ("/server/", "/relay", "/api/v1/events")
"""For processes of the vault's owner, as they end or replace the server; a stream lasts as long as its reader."""


@pytest.fixture(scope="module")
def developed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("fuzz") / "root", {"ENV": "DEV", "EVEROS_LOG_LEVEL": "info"}) as server:
        yield server


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name.lower())
def test_no_request_ends_in_an_error_of_ours(developed: Server, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_url(f"{developed.url}/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        if not operation.path.startswith(LEFT_OUT):
            attempt(operation.as_strategy(generation_mode=mode))
            tried += 1
    assert tried > 20
    assert not [line for line in developed.log() if line.get("event") in ("unhandled error", "unexpected error")]


def attempt(cases: st.SearchStrategy[Any]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def once(case: Any) -> None:
        answer = case.call(timeout=SECONDS)
        assert answer.status_code < 500 or answer.status_code == 503, (case.as_curl_command(), answer.text)
        assert "Traceback" not in answer.text

    with suppress(Unsatisfiable, NotImplementedError):  # a route that takes nothing has nothing that can be wrong
        once()

"""Whether a gateway is meant, and its errors in our words."""

from __future__ import annotations

import httpx
import pytest

from everlore.errors import Denied, EverloreError, InvalidInput, Misconfigured, NotFound, Unavailable
from everlore.surfaces.contracts.everme.remote import configured, post

TOKEN = "evt_" + "a" * 32
WHOLE = {"EVERME_API_BASE": "http://host:1/", "EVERME_AGENT_ID": "agt", "EVERME_AGENT_TOKEN": TOKEN}


def test_a_gateway_is_named_by_its_address() -> None:
    assert configured({}) is None
    for address in ("http://host:1/", "http://host:1/api/v1"):
        named = configured(WHOLE | {"EVERME_API_BASE": address})
        assert named is not None
        assert named[0] == "http://host:1/api/v1"
        assert named[1]["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("wrong", [{"EVERME_AGENT_ID": ""}, {"EVERME_AGENT_TOKEN": "x"}, {"EVERME_API_BASE": "host"}])
def test_what_is_missing_or_wrong_is_said(wrong: dict[str, str]) -> None:
    with pytest.raises(Misconfigured, match="EVERME_"):
        configured(WHOLE | wrong)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"status": 30001, "error": "token"}, Denied),
        ({"status": 40101, "error": "gone"}, NotFound),
        ({"status": 20001, "error": "bad"}, InvalidInput),
        ({"status": 50000, "error": "oops"}, Unavailable),
        ([], Unavailable),
    ],
)
def test_errors_are_ours(answer: object, error: type[EverloreError]) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=answer))
    with httpx.Client(base_url="http://host", transport=transport) as client, pytest.raises(error):
        post(client, "/mem/search", {})


def test_the_result_is_what_stands_in_the_envelope() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"status": 0, "result": {"items": []}}))
    with httpx.Client(base_url="http://host", transport=transport) as client:
        assert post(client, "/mem/search", {}) == {"items": []}

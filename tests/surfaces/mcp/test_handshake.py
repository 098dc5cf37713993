"""`initialize` without an SDK: what is completed, negotiated and left to the SDK."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.mcp.handshake import BARE, answer, completed, negotiated, opening

SERVER = Identity("server", "1", server_fields={"displayName": "Server"}, version="2025-03-26")
ASKED = {"jsonrpc": "2.0", "id": 7, "method": "initialize"}


def test_what_a_client_leaves_out_is_filled_in() -> None:
    assert completed(None, SERVER) == {
        "protocolVersion": "2025-03-26",
        "clientInfo": {"name": "unknown", "version": ""},
        "capabilities": {},
        "_meta": {BARE: True},
    }
    assert completed({"capabilities": {"roots": {}}}, SERVER).get("_meta") is None


def test_a_version_we_do_not_know_is_answered_with_our_newest() -> None:
    assert [negotiated({"protocolVersion": asked}) for asked in ("2024-11-05", "1999-01-01", 7)] == [
        "2024-11-05",
        "2025-11-25",
        "2025-11-25",
    ]


def test_the_answer_has_no_instructions_where_there_are_none() -> None:
    assert answer(SERVER, "2024-11-05") == {
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "server", "version": "1", "displayName": "Server"},
    }


def test_the_first_message_is_answered_and_made_plain_for_the_sdk() -> None:
    ready = opening(ASKED, SERVER)
    assert ready is not None
    reply, plain = ready
    assert (reply["id"], reply["result"]["protocolVersion"]) == (7, "2025-03-26")
    assert plain["params"]["_meta"] == {BARE: True}


@pytest.mark.parametrize(
    "message",
    [None, [], ASKED | {"method": "ping"}, ASKED | {"id": True}, ASKED | {"params": []}, ASKED | {"jsonrpc": "1.0"}],
)
def test_the_rest_is_for_the_sdk_to_judge(message: Any) -> None:
    assert opening(message, SERVER) is None

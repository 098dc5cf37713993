"""What stands before the SDK on HTTP, around an application of ours."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from anyio import run
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.http.mcp_proxy import front

LARGEST = 1000


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers each request with its method, and nothing else with anything."""
    request = Request(scope, receive)
    body = await request.body()
    if len(body) > LARGEST:
        await Response("too large", 413)(scope, receive, send)
        return
    message = json.loads(body)
    answer: Response = Response(status_code=202)
    if "id" in message:
        answer = JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": {"method": message["method"]}})
    await answer(scope, receive, send)


def post(body: Any) -> httpx.Response:
    async def ask() -> httpx.Response:
        app = front(application, Identity("server", "1"), LARGEST)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://host") as client:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return await client.post("/", content=content, headers={"Content-Type": "application/json"})

    return run(ask)


def ping(id_: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": "ping"}


def test_a_message_is_passed_on_and_a_batch_taken_apart() -> None:
    assert post(ping(1)).json()["result"] == {"method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/unheard"}
    assert [answer["id"] for answer in post([ping(1), note, ping("1"), 7]).json()] == [1, "1", None]
    assert post([note]).status_code == 202
    refused = post([ping(1) | {"method": "initialize"}]).json()
    assert refused[0]["error"]["code"] == -32600


@pytest.mark.parametrize(("body", "code"), [(b"{", -32700), (b"[]", -32600), (b"7", -32600)])
def test_what_is_no_message_is_refused_here(body: bytes, code: int) -> None:
    response = post(body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, code)


def test_a_body_that_is_too_large_is_for_the_application_to_refuse() -> None:
    assert post(b'"' + b"x" * 2 * LARGEST + b'"').status_code == 413

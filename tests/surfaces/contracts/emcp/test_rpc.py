"""JSON-RPC of the content server, without HTTP."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from everlore.engine import Engine
from everlore.surfaces.contracts.emcp import rpc


def ask(engine: Engine, method: str, params: Any = None, **more: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}} | more
    return rpc.answer(engine, 0, "content", message)


def test_an_answer_carries_the_id_of_its_request(engine: Engine) -> None:
    assert ask(engine, "ping", id="seven") == {"jsonrpc": "2.0", "id": "seven", "result": {}}


def test_a_result_of_the_stateless_protocol_says_that_it_is_complete(engine: Engine) -> None:
    meta = {"_meta": {rpc.VERSION_KEY: rpc.STATELESS}}
    assert ask(engine, "prompts/list", meta)["result"] == {
        "prompts": [],
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }


def test_only_what_went_wrong_here_is_internal(engine: Engine) -> None:
    assert not rpc.internal(ask(engine, "no/such"))
    assert not rpc.internal(None)
    assert rpc.internal(rpc.failure(1, rpc.INTERNAL, "x"))


def test_without_the_packages_of_a_site_the_command_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sqlalchemy", "pymysql"):
        monkeypatch.setitem(sys.modules, module, None)  # as if they were not installed
    error = ask(engine, "tools/call", {"name": "evo.content.get", "arguments": {"id": 1}})["error"]
    assert error["code"] == rpc.INTERNAL
    assert 'pip install "everlore[cms]"' in error["message"]
    assert len(ask(engine, "tools/list")["result"]["tools"]) == 14, "what needs no site works"

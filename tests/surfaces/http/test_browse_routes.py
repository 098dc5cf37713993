"""What the page shows and does, over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
from serving import Api, Server, everlore

Start = Callable[..., Server]


def _data(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def _told(server: Server, user: str, text: str, session: str, **headers: str) -> None:
    message = {"sender_id": user, "role": "user", "timestamp": 1_780_308_000_000, "content": text}
    for route, more in (("add", {"messages": [message]}), ("flush", {})):
        answer = server.client.post(f"/api/v1/memory/{route}", json={"session_id": session, **more}, headers=headers)
        assert answer.status_code == 200, answer.text


def test_owners_sessions_and_the_graph_of_names(start: Start) -> None:
    server = start()
    post = server.client.post
    assert _data(post("/api/v1/memory/owners", json={})) == {"owners": []}
    _told(server, "anna", "I moved to Lisbon with Bob Miller.", "s1")
    _told(server, "anna", "Bob Miller works at Acme Industries.", "s2")
    [owner] = _data(post("/api/v1/memory/owners", json={}))["owners"]
    assert owner["user_id"] == "anna"
    assert owner["memories"] >= 4
    sessions = _data(post("/api/v1/memory/sessions", json={"user_id": "anna", "page_size": 1}))["sessions"]
    assert [one["session_id"] for one in sessions] == ["s1"]
    assert sessions[0]["first"] == "2026-06-01T10:00:00Z"
    graph = _data(post("/api/v1/memory/graph", json={"user_id": "anna"}))
    names = {node["name"]: at for at, node in enumerate(graph["nodes"])}
    assert {"Bob Miller", "Lisbon", "Acme Industries"} <= names.keys()
    assert graph["nodes"][names["Bob Miller"]]["memories"] == 2
    pairs = [{edge["from"], edge["to"]} for edge in graph["edges"]]
    assert {names["Bob Miller"], names["Lisbon"]} in pairs
    assert {names["Acme Industries"], names["Lisbon"]} not in pairs
    assert post("/api/v1/memory/graph", json={"user_id": "anna", "limit": 0}).status_code == 422
    assert post("/api/v1/memory/owners", json={"unknown": 1}).status_code == 422


def test_a_memory_is_edited_only_as_it_was_seen(start: Start) -> None:
    server = start()
    api = Api(server.client, server.root)
    _told(server, "anna", "My favourite colour is green.", "s")
    [fact] = _data(server.client.post("/api/v1/memory/history", json={"user_id": "anna"}))["memories"]
    named = {"user_id": "anna", "id": fact["id"]}
    source = _data(server.client.post("/api/v1/memory/source", json=named))
    assert "green" in source["text"]
    change = {**named, "version": source["version"], "text": source["text"].replace("green", "blue")}
    edited = _data(server.client.post("/api/v1/memory/edit", json=change))
    assert "blue" in edited["text"]
    again = server.client.post("/api/v1/memory/edit", json=change)
    assert again.status_code == 409
    assert server.client.post("/api/v1/memory/source", json={**named, "id": "nothing"}).status_code == 404
    assert "blue" in (api.root / source["path"]).read_text("utf-8")


def test_events_are_told_as_they_happen(start: Start) -> None:
    server = start()
    seen: list[tuple[str, dict[str, Any]]] = []
    ready, done = threading.Event(), threading.Event()

    def listen() -> None:
        with httpx.stream("GET", f"{server.url}/api/v1/events", timeout=120) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            kind = ""
            for line in stream.iter_lines():
                ready.set()
                kind = line.removeprefix("event: ") if line.startswith("event: ") else kind
                if line.startswith("data: "):
                    seen.append((kind, json.loads(line.removeprefix("data: "))))
                if {"learnt", "recall", "request"} <= {name for name, _ in seen}:
                    done.set()
                    return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert ready.wait(60)
    _told(server, "anna", "I have a dog called Rex.", "s")
    server.client.post("/api/v1/memory/search", json={"user_id": "anna", "query": "dog", "top_k": 1})
    assert done.wait(60), seen
    learnt = [data for kind, data in seen if kind == "learnt"]
    assert {"user_id": "anna"}.items() <= learnt[0].items()
    [recall] = [data for kind, data in seen if kind == "recall"][:1]
    assert recall["question"] == "dog"
    assert recall["memories"]


def test_a_server_stops_although_somebody_listens(start: Start) -> None:
    server = start()
    with httpx.stream("GET", f"{server.url}/api/v1/events", timeout=60) as stream:
        next(stream.iter_lines())
        assert server.stop(seconds=30) == 0


def test_accounts_manage_their_own_keys_and_see_their_own_events(start: Start) -> None:
    server = start({"EVEROS_AUTH__ENABLED": "true"})

    def account(name: str) -> dict[str, str]:
        made = everlore("keys", "create", "--name", name, "--separate", "--format", "json", root=server.root)
        return {"Authorization": f"Bearer {json.loads(made.stdout)['data']['key']}"}

    one, two = account("one"), account("two")
    post = server.client.post
    assert post("/api/v1/keys/list", json={}).status_code == 401
    made = _data(post("/api/v1/keys/create", json={"name": "child", "scopes": ["mem:read"], "days": 1}, headers=one))
    assert made["scopes"] == ["mem:read"]
    assert made["expires"] is not None
    child = {"Authorization": f"Bearer {made['key']}"}
    assert post("/api/v1/keys/list", json={}, headers=child).status_code == 403
    assert post("/api/v1/memory/edit", json={}, headers=child).status_code == 403
    assert _data(post("/api/v1/memory/owners", json={}, headers=child)) == {"owners": []}
    assert [key["name"] for key in _data(post("/api/v1/keys/list", json={}, headers=one))["keys"]] == ["one", "child"]
    assert [key["name"] for key in _data(post("/api/v1/keys/list", json={}, headers=two))["keys"]] == ["two"]
    assert post("/api/v1/keys/revoke", json={"id": made["id"]}, headers=two).status_code == 404
    assert _data(post("/api/v1/keys/revoke", json={"id": made["id"]}, headers=one))["revoked"] is not None
    assert post("/api/v1/memory/owners", json={}, headers=child).status_code == 401
    actions = [event["action"] for event in _data(post("/api/v1/keys/audit", json={}, headers=one))["events"]]
    assert actions[:2] == ["key.revoke", "key.create"]
    assert "child" not in json.dumps(_data(post("/api/v1/keys/audit", json={}, headers=two)))
    _told(server, "anna", "I live in Riga.", "s", **one)
    assert [o["user_id"] for o in _data(post("/api/v1/memory/owners", json={}, headers=one))["owners"]] == ["anna"]
    assert _data(post("/api/v1/memory/owners", json={}, headers=two)) == {"owners": []}
    seen = {"user_id": "anna", "id": "anna_af_20260601_00000001"}
    assert post("/api/v1/memory/source", json=seen, headers=two).status_code == 404

"""What a server does for processes of the vault's owner, and for nobody else."""

from __future__ import annotations

import httpx
import pytest
from serving import Server

from everlore.background import client
from everlore.background.place import Place

pytestmark = pytest.mark.looks_at_files


def test_only_the_owner_stops_it(start: object) -> None:
    server: Server = start()  # type: ignore[operator]
    found = client.find(Place(server.root, "server", may_start=False))
    assert found is not None
    for token in ("", "Bearer x", f"Basic {found.token}"):
        refused = server.client.post("/server/stop", headers={"Authorization": token} if token else {})
        assert refused.status_code == 403
        assert "owner" in refused.json()["error"]["message"]
    stopped = httpx.post(f"{server.url}/server/stop", headers={"Authorization": f"Bearer {found.token}"})
    assert stopped.json() == {"status": "stopping"}
    assert server.process.wait(60) == 0


def test_with_accounts_the_owner_needs_none(start: object) -> None:
    server: Server = start({"EVEROS_AUTH__ENABLED": "true"})  # type: ignore[operator]
    ((_, found),) = client.running(server.root)
    body = {"user_id": "anna", "query": "tea"}
    assert server.client.post("/api/v1/memory/search", json=body).status_code == 401
    told = {"Authorization": f"Bearer {found.token}"}
    assert server.client.post("/api/v1/memory/search", json=body, headers=told).status_code == 200

"""What is shown at `/` without the page: to who asks for no HTML, and to browsers where it is not installed."""

from __future__ import annotations

from typing import Any

from serving import Api

from everlore import __version__


def test_who_has_no_page_is_told_that_the_server_runs_and_where_the_memories_are(start: Any) -> None:
    server = start({})
    empty = server.client.get("/")
    assert empty.headers["content-type"] == "text/html; charset=utf-8"
    assert f"Everlore {__version__} is running" in empty.text
    assert "no memories yet" in empty.text
    assert "default-src 'none'" in empty.headers["content-security-policy"]
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    api.until("get", lambda data: data["count"] == 1, user_id="alice", memory_type="episode")
    page = server.client.get("/").text
    assert "<td>episode</td><td>1</td>" in page
    assert str(server.root) in page
    assert server.client.head("/").status_code == 200
    assert "need a token" in (guarded := start({"EVEROS_AUTH__ENABLED": "true"}).client.get("/").text)
    assert "<td>" not in guarded

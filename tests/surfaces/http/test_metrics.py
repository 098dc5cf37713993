"""The numbers for Prometheus."""

from __future__ import annotations

from serving import Api, Server


def test_metrics(server: Server, api: Api) -> None:
    def numbers() -> dict[str, float]:
        answer = server.client.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain")
        lines = [line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    before = numbers()
    api.tell("s", "I love climbing in Yosemite every spring.")
    api.ok("search", user_id="alice", query="climbing")
    server.client.get("/nope/1")
    server.client.get("/nope/2")
    server.client.request("BREW", "/nope")
    after = numbers()
    for name, more in (
        ('everlore_http_requests_total{method="POST",route="/api/v1/memory/search",status="200"}', 1),
        ('everlore_http_requests_total{method="GET",route="unmatched",status="404"}', 2),
        ('everlore_http_requests_total{method="other",route="unmatched",status="404"}', 1),
        ('everlore_http_request_seconds_count{method="POST",route="/api/v1/memory/add"}', 1),
        ('everlore_search_seconds_count{method="hybrid"}', 1),
        ('everlore_index_rows{kind="episode"}', 1),
        ("everlore_messages_buffered", 0),
    ):
        assert after[name] - before.get(name, 0) == more, name
    assert {"everlore_index_queued", "everlore_index_unembedded", "everlore_index_failed"} <= set(after)

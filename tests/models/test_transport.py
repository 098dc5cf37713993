"""Addresses and waits; requests themselves are tested through the embedder and the chat model that send them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from everlore.models.transport import address, retry_after


def test_other_bases_are_kept() -> None:
    def endpoint(base: str) -> str:
        return address(base, "embeddings", "EVEROS_EMBEDDING")

    assert endpoint("https://h/v1/openai") == "https://h/v1/openai/embeddings"
    assert endpoint("https://h/v1beta/openai/") == "https://h/v1beta/openai/embeddings"
    assert endpoint("https://h/proxy?api-version=2") == "https://h/proxy/v1/embeddings?api-version=2"


def test_both_forms_of_retry_after_are_read() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after("7") == 7
    assert 25 < retry_after(soon) <= 30
    assert [retry_after(value) for value in (None, "", "soon", "-5", "nan", "Mon, 01 Jan 2001 00:00:00 GMT")] == [0] * 6

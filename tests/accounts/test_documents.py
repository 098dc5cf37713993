"""Uploads and the documents made of them."""

from __future__ import annotations

from stored import Now

from everlore.accounts.store import Accounts
from everlore.accounts.values import Source

MINUTE = 60_000


def test_uploads_hold_their_bytes_until_they_are_used_or_expire(accounts: Accounts, now: Now) -> None:
    for name in ("used", "late", "waiting"):
        accounts.add_upload("acc", name, "n\x00.md", 3, "h", now.ms + (MINUTE if name == "late" else 2 * MINUTE))
        assert accounts.content(name) is None
        assert accounts.store_upload(name, b"a\x00b")
        assert accounts.store_upload(name, b"a\x00c"), "an upload may be repeated"
        known = accounts.upload(name)
        assert known is not None
        assert (known.stored, known.name) == (True, "n\x00.md")
    accounts.drop_upload("used")
    now.ms += MINUTE
    accounts.drop_expired_uploads()
    assert [accounts.content(name) for name in ("used", "late", "waiting")] == [None, None, b"a\x00c"]
    assert accounts.upload("late") is None
    assert not accounts.store_upload("late", b"abc")
    assert accounts.content("late") is None


def test_the_newest_document_by_either_key_is_found(accounts: Accounts) -> None:
    for number in range(3):
        keys = ("doc", f"once-{number}")
        accounts.add_source(Source(f"src_{number}", "acc", "", "o", "t", 1, "h", *keys, "", "s", "extracted", number))
    newest = accounts.find_source("acc", document_key="doc")
    assert newest is not None
    assert newest.id == "src_2"
    once = accounts.find_source("acc", idempotency_key="once-1")
    assert once is not None
    assert once.id == "src_1"
    assert accounts.find_source("other", document_key="doc") is None
    assert accounts.find_source("acc") is None

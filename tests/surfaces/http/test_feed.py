"""What happens on a server, as it happens."""

from __future__ import annotations

from everlore.accounts.values import Account, Principal
from everlore.surfaces.http import feed
from everlore.surfaces.http.feed import Feed, visible
from everlore.types import Owner, Scope

OTHER = Principal(Account("acc_0123456789abcdef", "other", False, 0), "key", ("mem:read",))
THEIRS = Owner(Scope("acc_0123456789abcdef.default"), "user", "anna")
OURS = Owner(Scope(), "user", "anna")


def test_events_have_numbers_and_are_forgotten_in_order() -> None:
    told = Feed()
    for number in range(feed.KEPT + 5):
        told.request("", "GET", f"/{number}", 200, 1.25)
    assert told.last == feed.KEPT + 5
    kept = told.since(0)
    assert len(kept) == feed.KEPT
    assert kept[0].number == 6
    assert [event.data["route"] for event in told.since(told.last - 1)] == [f"/{feed.KEPT + 4}"]


def test_a_memory_knows_when_it_was_given_last() -> None:
    told = Feed()
    told.recalled(OURS, "hybrid", "where  do\nI live", [("handle", "id")])
    told.recalled(OURS, "context", "again", [("handle", "id"), ("other", "id2")])
    use = told.last_used("handle")
    assert use is not None
    assert (use.by, use.what) == ("context", "again")
    assert told.since(0)[0].data["question"] == "where do I live"
    assert told.last_used("nothing") is None


def test_an_account_sees_its_own_events() -> None:
    told = Feed()
    told.recalled(OURS, "hybrid", "ours", [])
    told.recalled(THEIRS, "hybrid", "theirs", [])
    told.request("", "GET", "/", 200, 1)
    told.request(OTHER.account.id, "GET", "/", 200, 1)
    assert [visible(event, OTHER) for event in told.since(0)] == [False, True, False, True]
    assert all(visible(event, None) for event in told.since(0))

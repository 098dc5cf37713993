"""What a view answers."""

from __future__ import annotations

from everlore.surfaces.page.markup import el
from everlore.surfaces.page.views.base import Did, Shown


def test_what_is_done_is_shown_anew_unless_it_says_otherwise() -> None:
    assert Did().fresh
    assert not Did("no", wrong=True, fresh=False).fresh
    assert Shown(el("p", "x")).chart is None

"""The views that there are."""

from __future__ import annotations

from everlore.surfaces.page.door import VIEWS as PATHS
from everlore.surfaces.page.texts import texts
from everlore.surfaces.page.views import registry


def test_every_view_has_an_address_and_the_name_that_people_know() -> None:
    names = [view.name for view in registry.VIEWS]
    assert set(names) == {"ask", *PATHS}
    shown = ["Ask", "Timeline", "People and things", "Memories", "Profile and rules", "Review", "Live", "Agents"]
    assert [texts("en")(f"nav.{name}") for name in names] == [*shown, "Code and content", "Health and settings"]
    assert registry.view("nothing of ours").name == "nowhere"


def test_what_changes_memories_is_told_from_what_does_not() -> None:
    found, writes = registry.action(registry.view("memories"), "forget")
    assert found is not None
    assert writes
    assert registry.action(registry.view("memories"), "bin")[1] is False
    assert registry.action(registry.view("ask"), "__class__")[0] is None

"""The views that there are, in the order of the navigation."""

from __future__ import annotations

from everlore.surfaces.page.views import (
    agents,
    ask,
    changing,
    code,
    live,
    memories,
    people,
    profile,
    review,
    settings,
    timeline,
)
from everlore.surfaces.page.views.base import Action, Shown, View
from everlore.surfaces.page.views.parts import empty
from everlore.surfaces.page.visit import Place, Visit

MODULES = (ask, timeline, people, memories, profile, review, live, agents, code, settings)
VIEWS: tuple[View, ...] = tuple(module.VIEW for module in MODULES)
_BY_NAME = {view.name: view for view in VIEWS}


def nothing_there(visit: Visit, _: Place) -> Shown:
    """What a link leads to that is wrong, or too old."""
    return Shown(empty(visit.words("nav.nowhere_title"), visit.words("nav.nowhere_text")))


NOWHERE = View("nowhere", nothing_there)


def view(name: str) -> View:
    return _BY_NAME.get(name, NOWHERE)


def action(of: View, name: str) -> tuple[Action | None, bool]:
    """What a view, or any, does under a name, and whether it changes what is remembered."""
    return of.actions.get(name) or changing.ACTIONS.get(name), name not in of.reads

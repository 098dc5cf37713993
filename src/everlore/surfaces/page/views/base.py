"""What a view is, and what its actions answer. Pure: the shell shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from everlore.surfaces.page.markup import Html
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import Json


@dataclass(frozen=True, slots=True)
class Shown:
    html: Html
    chart: Mapping[str, Json] | None = None
    """Options of ECharts. What it draws stands in `html` as well, as a table."""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Did:
    """What became of an action."""

    said: str = ""
    wrong: bool = False
    undo: Mapping[str, str] | None = None
    """An action that takes it back, offered for a while."""
    dialog: Html | None = None
    go: str = ""
    fresh: bool = True
    """What is shown may have changed."""


Action = Callable[[Visit, Mapping[str, str]], Did]
"""With what the button or form says, and the id of the memory that is `shown`."""


@dataclass(frozen=True, slots=True)
class View:
    name: str
    content: Callable[[Visit, Place], Shown]
    controls: Callable[[Visit, Place], Html] | None = None
    """Above the content. They stay as they are while the content changes."""
    actions: Mapping[str, Action] = field(default_factory=dict)
    reads: frozenset[str] = frozenset()
    """Actions that change nothing, so that whoever may only read may do them."""
    every: float = 0.0
    """Seconds after which it is shown anew; 0: when somebody asks."""

"""The links of a row: to the names in its text, and of what has a page of its own to its own names. Pure.

Links follow from the text alone, so a row's digest need not cover them.
"""

from __future__ import annotations

from dataclasses import replace

from everlore.graph.names import name_key, names
from everlore.kinds.entity import IS
from everlore.kinds.registry import AnyKind
from everlore.types import Edge, IndexRow

NAMES = "names"


def with_links(spec: AnyKind, row: IndexRow) -> IndexRow:
    """The row of a kind. A part of another memory has none of its own: that one has the same names and is what is
    found."""
    if not spec.linked or (spec.part_of and row.parent_id):
        return row
    named = names("\n".join(unit.words for unit in row.units))
    own = dict.fromkeys(name_key(name) for name in (spec.own_names(row.data) if spec.own_names else ()))
    by_hand = [one for one in (row.data["relations"] if own else ()) if not one["to"]]
    return replace(
        row,
        edges=(
            *row.edges,
            *(Edge(IS, key) for key in own),
            *(Edge(one["type"], name_key(one["page"]), one["weight"]) for one in by_hand),
            *(Edge(NAMES, key, weight) for key, weight in named.items() if key not in own),
        ),
    )

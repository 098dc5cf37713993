"""The links of a row: to the names in its text, and of an entity to its own names. Pure.

Links follow from the text alone, so a row's digest need not cover them.
"""

from __future__ import annotations

from dataclasses import replace

from everlore.graph.names import name_key, names
from everlore.kinds.entity import IS
from everlore.types import Edge, IndexRow

NAMES = "names"
_WITHOUT = ("profile",)


def with_links(row: IndexRow) -> IndexRow:
    """A fact of an episode has none of its own: the episode has the same names and is what is found."""
    kind = row.key.kind
    if kind in _WITHOUT or (kind == "fact" and row.parent_id):
        return row
    named = names("\n".join(unit.words for unit in row.units))
    if kind != "entity":
        return replace(row, edges=(*row.edges, *(Edge(NAMES, key, weight) for key, weight in named.items())))
    own = dict.fromkeys(name_key(name) for name in (row.data["name"], *row.data["aliases"], row.data["page"]))
    by_hand = [one for one in row.data["relations"] if not one["to"]]
    return replace(
        row,
        edges=(
            *row.edges,
            *(Edge(IS, key) for key in own),
            *(Edge(one["type"], name_key(one["page"]), one["weight"]) for one in by_hand),
            *(Edge(NAMES, key, weight) for key, weight in named.items() if key not in own),
        ),
    )

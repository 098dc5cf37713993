"""The links that a row gets from its text."""

from __future__ import annotations

from stored import row

from everlore.graph.links import NAMES, with_links
from everlore.kinds.entity import IS
from everlore.types import Edge


def test_a_memory_leads_to_the_names_in_it() -> None:
    linked = with_links(row("no_1", "Carol Jones leads Project Falcon.", kind="note"))
    assert {(edge.relation, edge.target) for edge in linked.edges} >= {(NAMES, "carol jone"), (NAMES, "project falcon")}


def test_a_part_of_another_memory_has_no_links_of_its_own() -> None:
    fact = row("af_1", "Carol Jones leads Project Falcon.", parent="ep_1")
    assert with_links(fact) == fact


def test_an_entity_leads_to_its_own_names_and_to_what_a_person_wrote() -> None:
    relations = [
        {"type": "works_on", "page": "Project Falcon", "to": "", "weight": 0.5},
        {"type": "knows", "page": "Bob", "to": "en_0123456789ab", "weight": 1.0},
    ]
    page = row(
        "en_1",
        "Carol Jones",
        kind="entity",
        name="Carol Jones",
        page="Carol Jones",
        aliases=["CJ"],
        relations=relations,
    )
    edges = with_links(page).edges
    assert [edge.target for edge in edges if edge.relation == IS] == ["carol jone", "cj"]
    assert Edge("works_on", "project falcon", 0.5) in edges
    assert not [edge for edge in edges if edge.relation == "knows"], "what has an id is an edge already"

"""Which names a row is linked with."""

from __future__ import annotations

from dataclasses import replace

from everlore.graph.links import NAMES, with_links
from everlore.kinds import entity, episode, fact, note, profile
from everlore.kinds.entity import IS, SELF
from everlore.types import Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000


def test_a_memory_is_linked_with_the_names_in_its_text() -> None:
    row = with_links(note.NOTE, note.to_row(note.Note(ALICE, "nt_1", AT, "She met Anna Meyer in Lisbon."), AT))
    assert {edge.target for edge in row.edges} >= {"anna meyer", "lisbon"}
    assert {edge.relation for edge in row.edges} == {NAMES}


def test_a_part_is_linked_only_where_it_stands_alone() -> None:
    alone = fact.to_row(fact.Fact(ALICE, "af_1", "s", AT, "", (), "She met Anna Meyer in Lisbon."), AT)
    assert with_links(fact.FACT, alone).edges
    assert with_links(fact.FACT, replace(alone, parent_id="mc_1")).edges == ()


def test_a_profile_is_linked_with_nothing_and_an_episode_is() -> None:
    assert (
        with_links(
            profile.PROFILE, profile.to_row(profile.Profile(ALICE, "Alice lives in Lisbon.", (), (), AT), AT)
        ).edges
        == ()
    )
    told = episode.Episode(ALICE, "ep_1", "s", AT, "mc_1", (), "x", "x", "She moved to Lisbon.")
    assert with_links(episode.EPISODE, episode.to_row(told, AT)).edges


def test_an_entity_is_linked_with_its_own_names_and_what_a_person_wrote() -> None:
    page = entity.Entity(
        ALICE, "en_0123456789ab", "Project X", aliases=("px",), page="Project X", body="- uses [[Rust]]"
    )
    edges = with_links(entity.ENTITY, entity.to_row(page, AT)).edges
    assert {(edge.relation, edge.target) for edge in edges if edge.relation != SELF} == {
        (IS, "project x"),
        (IS, "px"),
        ("uses", "rust"),
    }

"""The profile follows the facts, and what its owner did to it stays."""

from __future__ import annotations

from dataclasses import replace

from talk import ALICE, MAY_8, cell, message

from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import add_facts, names_of, project
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Info, Profile, Trait, from_sheet, to_sheet

DAY = 24 * 3600 * 1000
NOW = MAY_8 + 1000 * DAY
HOME, WORK = "Alice lives in Berlin.", "Alice works at Siemens."


def facts(*texts: str, name: str | None = None) -> list[Fact]:
    found: list[Fact] = []
    for number, text in enumerate(texts):
        talk = cell(message(text, at=MAY_8 + number * DAY, name=name))
        found += [as_fact(draft, talk, ALICE, f"af_{number}_{place}") for place, draft in enumerate(write_facts(talk))]
    return found


SAID = facts("I live in Berlin.", "I work at Siemens.")
RUNS = facts("I run every day.", "I run every morning.", "I run every week.")


def read_again(profile: Profile) -> Profile:
    """As it comes back from its file."""
    return from_sheet(to_sheet(profile), ALICE)


def listed(profile: Profile) -> list[str]:
    return [info.description for info in profile.explicit_info]


def with_infos(profile: Profile, *infos: Info) -> Profile:
    return replace(profile, explicit_info=infos)


def of_before(profile: Profile) -> Profile:
    """As a file that was written before there were fingerprints."""
    return replace(profile, generated=None, hidden=(), called=())


def test_a_profile_is_what_standing_facts_say_however_it_came_about() -> None:
    made = project(None, SAID, ALICE, NOW)
    assert listed(made) == [HOME, WORK]
    assert read_again(made) == made
    assert project(read_again(made), SAID, ALICE, NOW + 1) == made
    told = add_facts(add_facts(None, SAID[:1], ALICE, NOW, "Alice"), SAID[1:], ALICE, NOW, "Alice")
    assert told == made
    ended = [replace(SAID[0], valid_until=NOW), SAID[1]]
    assert listed(project(made, ended, ALICE, NOW + 1)) == [WORK]
    assert listed(project(project(made, SAID[1:], ALICE, NOW + 1), SAID, ALICE, NOW + 2)) == [WORK, HOME]


def test_a_line_that_its_owner_took_out_does_not_come_back() -> None:
    made = project(None, SAID, ALICE, NOW)
    cut = with_infos(made, made.explicit_info[0])
    after = project(cut, SAID, ALICE, NOW + 1)
    assert listed(after) == [HOME]
    assert listed(add_facts(read_again(after), SAID[1:], ALICE, NOW + 2, "Alice")) == [HOME]
    again = facts("I live in Berlin.", "", "I work at Siemens.")
    assert WORK in listed(add_facts(read_again(after), again[1:], ALICE, NOW + 2, "Alice")), "it was said again"
    assert project(after, SAID[:1], ALICE, NOW + 3).hidden == (), "a fact that is gone need not be remembered"


def test_a_line_that_its_owner_corrected_replaces_the_computed_one() -> None:
    made = project(None, SAID, ALICE, NOW)
    corrected = replace(made.explicit_info[1], description="Alice works at Bosch.")
    for facts_now in (SAID, SAID[:1]):
        after = project(with_infos(made, made.explicit_info[0], corrected), facts_now, ALICE, NOW + 1)
        assert after.explicit_info == (made.explicit_info[0], corrected)


def test_a_line_to_which_its_owner_added_something_is_theirs() -> None:
    made = read_again(project(None, SAID, ALICE, NOW))
    item = made.explicit_info[1]
    theirs = replace(item, written={**item.written, "since": 2019})
    after = project(with_infos(made, made.explicit_info[0], theirs), SAID[:1], ALICE, NOW + 1)
    assert after.explicit_info[1].written == theirs.written


def test_traits_that_their_owner_wrote_changed_or_took_out() -> None:
    made = project(None, RUNS, ALICE, NOW)
    (sporty,) = made.implicit_traits
    calm = Trait("calm", "", "", "")
    assert project(replace(made, implicit_traits=(calm, sporty)), RUNS, ALICE, NOW).implicit_traits == (calm, sporty)
    assert project(replace(made, implicit_traits=()), RUNS, ALICE, NOW).implicit_traits == ()
    mine = replace(sporty, description="Alice used to be sporty.")
    assert project(replace(made, implicit_traits=(mine,)), RUNS, ALICE, NOW).implicit_traits == (mine,)
    assert project(made, RUNS[:2], ALICE, NOW).implicit_traits == ()


def test_text_that_its_owner_wrote_stays_and_the_computed_line_follows_the_facts() -> None:
    made = project(None, SAID, ALICE, NOW)
    assert made.summary == f"{HOME} {WORK}"
    longer = replace(made, summary=f"{made.summary}\nShe fears spiders.\n\nAnd heights.")
    assert project(longer, SAID[:1], ALICE, NOW + 1).summary == f"{HOME}\nShe fears spiders.\n\nAnd heights."
    own = replace(made, summary="A friend of mine.")
    assert project(own, SAID[:1], ALICE, NOW + 1).summary == "A friend of mine."
    assert project(replace(made, summary=""), SAID[:1], ALICE, NOW + 1).summary == ""


def test_in_a_file_of_before_it_is_ours_what_a_fact_explains() -> None:
    made = of_before(project(None, SAID, ALICE, NOW))
    hand = Info("", "Call her Al", "")
    corrected = replace(made.explicit_info[0], description="Alice lives in Potsdam.")
    old = with_infos(made, hand, corrected, made.explicit_info[1])
    after = project(old, SAID[:1], ALICE, NOW + 1, SAID)
    assert after.explicit_info == (hand, corrected), "the work is over, and the rest is theirs"
    assert listed(project(with_infos(made, hand), SAID, ALICE, NOW + 1, SAID)) == ["Call her Al"]
    more = [*SAID, *facts("", "", "I have two kids.")]
    new = project(made, more, ALICE, NOW + 1, SAID)
    assert listed(new) == [HOME, WORK, "Alice has two kids."]
    assert new.summary.startswith(HOME)


def test_names_of_a_user() -> None:
    first, then = facts("I live in Rome."), facts("I live in Rome.", "I love jazz.", name="Carla B.")[1:]
    made = add_facts(add_facts(None, first, ALICE, NOW, "Alice"), then, ALICE, NOW, "Carla B.")
    assert made.called == ("Carla B.",)
    assert read_again(made) == made
    assert names_of(made, ALICE) == {"alice", "carla b."}
    assert listed(project(read_again(made), [*first, *then], ALICE, NOW)) == listed(made)


def test_facts_of_others_and_of_assistants_are_not_the_users() -> None:
    others = [replace(SAID[0], sender_ids=("bob",)), replace(SAID[1], by_user=False)]
    assert project(None, others, ALICE, NOW).explicit_info == ()
    assert add_facts(None, others, ALICE, NOW, "Alice").explicit_info == ()


def test_a_category_of_a_language_model_is_the_place_of_a_fact() -> None:
    told = replace(SAID[0], text="Alice repairs clocks.", about="", category="work")
    (info,) = project(None, [told], ALICE, NOW).explicit_info
    assert (info.category, info.description) == ("work", "Alice repairs clocks.")

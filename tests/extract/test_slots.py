from __future__ import annotations

import pytest

from everlore.extract.slots import about, ends


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Alice's favorite coffee shop is Blue Bottle in SOMA.", "alice: favorite coffee shop"),
        ("Alice lives in Berlin.", "alice: lives in"),
        ("Alice moved to Munich last week (week of 1 May 2023).", "alice: lives in"),
        ("Alice works at Google.", "alice: works at"),
        ("Alice is a software engineer.", "alice: job"),
        ("Alice just turned 35!", "alice: age"),
        ("Alice's phone number is 555-1234.", "alice: phone number"),
        ("Alice's email address is a@b.com.", "alice: email"),
        ("Alice got married last year (2022).", "alice: relationship status"),
        ("Alice drives a red Honda Civic.", "alice: drives"),
        ("Alice's dog is named Rex.", "alice's dog: name"),
        ("Alice has two dogs.", "alice: number of dogs"),
        ("Alice can't stand cilantro.", "alice: likes cilantro"),
        ("Alice stopped biking to work.", "alice: bike to work"),
        ("Alice used to live in Rome.", "alice: lives in"),
        ("Alice would love to live in Paris.", ""),
        ("Alice moved to tears.", ""),
        ("Alice is a bit tired.", ""),
        ("Alice loves it!", ""),
        ("Alice likes the meetup idea.", ""),
        ("Alice is engaged in charity.", ""),
        ("Alice has two meetings today (8 May 2023).", ""),
        ('Alice said: "My favorite color is red."', ""),
        ("Bob lives in Berlin.", "alice's bob: lives in"),
        ("", ""),
    ],
)
def test_about(text: str, slot: str) -> None:
    assert about(text, "Alice") == slot


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Alice lives in Berlin.", "Alice moved to Munich last week (week of 1 May 2023)."),
        ("Alice lives in Berlin.", "Alice lives in Munich."),
        ("Alice's favorite coffee shop is Blue Bottle in SOMA.", "Alice's favorite coffee shop is now Ritual."),
        ("Alice loves coffee.", "Alice doesn't like coffee any more."),
        ("Alice doesn't like olives.", "Alice loves olives now."),
        ("Alice bikes to work most days.", "Alice no longer bikes to work."),
        ("Alice bikes to work most days.", "Alice stopped biking to work."),
        ("Alice is 34.", "Alice just turned 35!"),
        ("Alice works at Google.", "Alice got a new job at Stripe."),
        ("Alice works at Google.", "Alice quit their job at Google."),
        ("Alice is a nurse.", "Alice is now a teacher."),
        ("Alice uses Spotify.", "Alice switched from Spotify to Tidal."),
        ("Alice has two dogs.", "Alice has three dogs now."),
        ("Alice is single.", "Alice got married yesterday."),
        ("Alice is married to Paul.", "Alice got divorced."),
        ("Alice drives a Clio.", "Alice sold the Clio and drives a Panda now."),
        ("Alice sold the Clio and drives a Panda now.", "Alice drives a Golf now."),
        ("Alice works at Google.", "Alice no longer works at Google."),
        ("Alice works at Google.", "Alice left Google."),
        ("Alice works at Google.", "Alice left Google and joined Stripe."),
        ("Alice left Google and joined Stripe.", "Alice is working for Siemens now."),
        ("Alice works at Google.", "Alice switched jobs, Alice is at Stripe now."),
        ("Alice works at Google.", "Alice got laid off yesterday."),
        ("Alice works for Google.", "Alice retired."),
        ("Alice is vegan.", "Alice is not vegan anymore."),
        ("Alice has been a vegetarian since 2020.", "Alice stopped being vegetarian."),
        ("Alice is allergic to cats.", "Alice is no longer allergic to cats."),
        ("Alice lives in Berlin.", "Alice doesn't live in Berlin any more."),
        ("Alice lives in Berlin.", "Alice left Berlin, Alice is in Munich now."),
    ],
)
def test_a_newer_value_ends_an_older_one(old: str, new: str) -> None:
    slot = about(old, "Alice")
    assert slot
    assert slot == about(new, "Alice")
    assert ends(new, old, slot)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Alice lives in Berlin.", "Alice lives in Berlin."),
        ("Alice lives in Berlin.", "Alice lives in Germany."),
        ("Alice lives in Kreuzberg.", "Alice lives in Berlin."),
        ("Alice lives in New York.", "Alice lives in New York City."),
        ("Alice lives in Berlin and works at Siemens.", "Alice moved to Munich."),
        ("Alice loves coffee.", "Alice loves tea."),
        ("Alice loves coffee.", "Alice really loves coffee."),
        ("Alice loves coffee.", "Alice doesn't like coffee in the evening."),
        ("Alice is a nurse.", "Alice is a painter."),
        ("Alice's dog is named Rex.", "Alice's dog is named Max."),
        ("Alice works at Google.", "Alice quit their job at Siemens."),
        ("Alice's favorite color is red.", "Alice's favorite movie is Up."),
        ("Alice lives in Berlin.", "Alice might move to Munich."),
        ("Alice lives in Berlin.", "Alice left Berlin this morning."),
        ("Alice lives in Berlin.", "Alice is in Munich now."),
        ("Alice works at Google.", "Alice left Google at 6 pm."),
        ("Alice works at Google.", "Alice is not at Google today."),
        ("Alice works at Google.", "Alice left the party and is at Starbucks now."),
        ("Alice works at Google.", "Alice was fired from Siemens in 2010."),
        ("Alice quit their job at Google.", "Alice works at Stripe."),
        ("Alice is vegan.", "Alice is a vegan baker."),
        ("Alice is allergic to nuts and cats.", "Alice is not allergic to nuts."),
    ],
)
def test_what_does_not_exclude_the_old_leaves_it(old: str, new: str) -> None:
    assert not ends(new, old, about(old, "Alice"))

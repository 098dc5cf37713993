"""Couples, animals and what is said of others, as it changes.

The pairs are told a month apart: newer words end older ones that they contradict, and no others.
"""

from __future__ import annotations

import pytest
from telling import assert_over, assert_stands

Pairs = list[tuple[str, str]]


COUPLES_OVER: Pairs = [
    ("My husband is Tom.", "Tom and I got divorced"),
    ("I'm married to Tom.", "Tom and I got divorced"),
    ("I'm dating Eva.", "I broke up with Eva"),
    ("My husband is called Tom.", "My husband Tom left me"),
    ("My husband is called Tom.", "Tom passed away"),
    ("My wife is called Anna.", "Anna and I split up last month"),
    ("My wife is called Anna.", "I divorced Anna."),
    ("My boyfriend is Mark.", "Mark dumped me."),
    ("My boyfriend is Mark.", "Mark broke up with me yesterday."),
    ("I'm engaged to Lena.", "Lena and I broke up."),
    ("I'm dating Sam.", "I'm no longer dating Sam."),
    ("My husband is called Tom.", "I left Tom."),
    ("My wife is called Anna.", "My wife left me last month."),
    ("I have a girlfriend called Eva.", "We broke up."),
    ("My husband is called Tom.", "My husband Tom died last week."),
    ("My husband is called Tom.", "Tom died in March."),
    ("I'm married to Tom.", "Tom and I are divorced."),
    ("I'm in a relationship.", "I broke up with Eva."),
    ("My partner is called Kim.", "Kim and I parted ways."),
    ("Eva is my girlfriend.", "I broke up with Eva last week"),
]


COUPLES_STANDS: Pairs = [
    ("My husband is called Tom.", "Tom left me a note."),
    ("My husband is called Tom.", "Tom left me two messages."),
    ("My husband is called Tom.", "Tom left me at the station."),
    ("My husband is called Tom.", "I left Tom a message."),
    ("My husband is called Tom.", "I left Tom at home."),
    ("My husband is called Tom.", "Anna and Ben got divorced."),
    ("My husband is called Tom.", "My sister got divorced."),
    ("My husband is called Tom.", "I broke up with Mark."),
    ("My wife is called Anna.", "My friend's husband passed away."),
    ("My wife is called Anna.", "My wife and I split the bill."),
    ("My husband is called Tom.", "My grandfather passed away."),
    ("My husband is called Tom.", "I'm not with Tom today."),
    ("My husband is called Tom.", "Tom broke up the fight."),
    ("My wife is called Anna.", "Bob's wife left him."),
    ("I'm married.", "Tom died."),
    ("I'm married to Tom.", "I'm not dating anyone else."),
    ("My husband is called Tom.", "My husband left me in charge."),
    ("My husband is called Tom.", "My phone died."),
    ("My girlfriend is called Eva.", "My ex got divorced."),
]


ANIMALS_OVER: Pairs = [
    ("I have a dog named Rex.", "My dog died"),
    ("I have a dog named Rex.", "I had to put Rex down"),
    ("My dog is called Rex.", "I gave Rex away"),
    ("I have a dog.", "I don't have a dog anymore"),
    ("I have a cat.", "My cat passed away."),
    ("I have a cat named Mimi.", "Mimi ran away last week."),
    ("My dog is called Rex.", "We had to put Rex down."),
    ("I have a dog called Rex.", "I had to give Rex away."),
    ("I adopted a dog.", "I no longer have a dog."),
    ("My dog is called Rex.", "Rex was put to sleep yesterday."),
    ("I have a horse.", "I sold my horse."),
    ("My cat is called Mimi.", "I rehomed Mimi."),
    ("My dog is called Rex.", "I don't have my dog any more."),
]


ANIMALS_STANDS: Pairs = [
    ("I have a dog.", "My friend's dog died."),
    ("I have a dog.", "My cat died."),
    ("I have a dog named Rex.", "Max died."),
    ("I have a dog named Rex.", "I put Rex in the car."),
    ("I have a dog named Rex.", "I gave Rex a bath."),
    ("I have a dog.", "My neighbor doesn't have a dog anymore."),
    ("I have a dog.", "I don't have a cat."),
    ("I have a dog named Rex.", "I put the phone down."),
    ("My dog is called Rex.", "My laptop died."),
    ("I have a dog.", "My dog died laughing."),
    ("I have a dog.", "I gave my dog a bone."),
    ("I have a dog named Rex.", "I gave Rex away his toy."),
    ("I have a dog.", "My sister sold her dog."),
    ("I have a dog.", "Years ago my dog died."),
    ("I have a dog.", "I don't have a dog bed."),
]


OTHERS_OVER: Pairs = [
    ("My sister Jane lives in Leeds", "Jane moved to York"),
    ("Tom is single", "Tom got married"),
    ("My brother Paul works at IBM.", "Paul joined Google last month."),
    ("My friend Lea lives in Rome.", "Lea moved to Milan."),
    ("My sister Jane is a student.", "Jane graduated and now works as a nurse."),
    ("Mia is engaged.", "Mia got married yesterday."),
    ("My mom lives in Linz.", "My mom moved to Graz."),
    ("My brother lives in Rome.", "My brother moved to Oslo."),
    ("My son Max is single.", "Max is engaged now!"),
    ("My boss Karen works at SAP.", "Karen left SAP."),
    ("My father lives in Rome.", "My father died last week."),
    ("Jane lives in Leeds.", "My sister Jane lives in York now."),
]


OTHERS_STANDS: Pairs = [
    ("My sister Jane lives in Leeds.", "Tom moved to York."),
    ("My sister Jane lives in Leeds.", "I moved to York."),
    ("My sister Jane lives in Leeds.", "Jane visited York."),
    ("My sister Jane lives in Leeds.", "Jane might move to York."),
    ("My brother lives in Rome.", "My brother lives in Oslo."),
    ("Tom is single.", "Ben got married."),
    ("Tom is single.", "I got married."),
    ("My brother Paul works at IBM.", "My brother Karl works at SAP."),
    ("My friend Lea lives in Rome.", "My friend Mia lives in Milan."),
    ("My sister Jane lives in Leeds.", "Jane's friend moved to York."),
    ("My sister Jane lives in Leeds.", "Jane moved to Linux."),
]


@pytest.mark.parametrize(("first", "then"), [*COUPLES_OVER, *ANIMALS_OVER, *OTHERS_OVER])
def test_what_is_over(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(("first", "then"), [*COUPLES_STANDS, *ANIMALS_STANDS, *OTHERS_STANDS])
def test_what_stands(first: str, then: str) -> None:
    assert_stands(first, then)

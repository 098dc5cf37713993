"""What has changed: newer words end older ones that they contradict, and no others.

The pairs are told a month apart. In the first list of each topic the first statement is over, in the second it stands.
"""

from __future__ import annotations

import pytest
from telling import after

Pairs = list[tuple[str, str]]
WORK_OVER: Pairs = [
    ("I work as a teacher.", "I no longer work as a teacher"),
    ("I work at SAP.", "I started at BMW this week"),
    ("I work at SAP.", "I joined Google last month"),
    ("I work at SAP.", "I got hired by Google"),
    ("I work at SAP.", "SAP let me go"),
    ("I work at SAP.", "I used to work at SAP"),
    ("I'm a student.", "I graduated and now work as a lawyer"),
    ("i work at siemens", "i left siemens, im at bmw now"),
    ("I work at SAP.", "I just started at BMW!"),
    ("I work at SAP.", "I've joined Siemens as a developer"),
    ("I work for SAP.", "I was hired by Bosch last week"),
    ("I work at SAP.", "I got let go by SAP last week"),
    ("I work at SAP.", "SAP laid me off yesterday"),
    ("I work at SAP.", "They let me go."),
    ("I work at SAP.", "My boss fired me."),
    ("I work at SAP.", "I got sacked."),
    ("I work at SAP.", "I resigned from SAP today"),
    ("I work at SAP.", "I stopped working for SAP"),
    ("I work at SAP.", "I left SAP for Google."),
    ("I work at SAP.", "I lost my job at SAP"),
    ("i work at google", "i quit google"),
    ("i work for bosch", "i got fired from bosch"),
    ("I work at SAP.", "I accepted a position at Bosch."),
    ("I work at SAP.", "I landed my dream job at Pixar!"),
    ("I work at SAP.", "I don't work at SAP anymore."),
    ("I work at SAP.", "I'm no longer with SAP."),
    ("I work at SAP.", "I'm not working for SAP any more."),
    ("I work at SAP.", "So I joined Stripe, and I love it."),
    ("I'm a nurse.", "I'm no longer a nurse."),
    ("I work as a nurse.", "I used to be a nurse."),
    ("I'm a student.", "I graduated last week!"),
    ("I'm a student.", "I finally finished my degree."),
    ("I'm a teacher.", "I retired last month."),
    ("I'm a math teacher.", "I'm not a teacher any more."),
    ("I'm a student.", "I finished university and now work as an engineer."),
    ("I'm a waiter.", "I quit being a waiter."),
]
WORK_STANDS: Pairs = [
    ("I work at SAP.", "I visited BMW."),
    ("I work at Dell.", "My boss quit Dell."),
    ("I work at SAP.", "I used to work at SAP's building."),
    ("I work at SAP.", "I started at 9 this morning."),
    ("I work at SAP.", "I started at Gold's Gym last week."),
    ("I work at SAP.", "I joined Anna for lunch."),
    ("I work at SAP.", "I joined Instagram last month."),
    ("I work at SAP.", "I joined the Rotary Club."),
    ("I work at SAP.", "I joined Tinder."),
    ("I work at SAP.", "I joined Zoom late today."),
    ("I work at SAP.", "My sister joined Google last month."),
    ("I work at SAP.", "SAP let me go home early."),
    ("I work at SAP.", "My mom let me go to the party."),
    ("I work at SAP.", "I quit smoking."),
    ("I work at SAP.", "I quit the game."),
    ("I work at SAP.", "I left SAP at 6 pm."),
    ("I work at SAP.", "I left home early."),
    ("I work at SAP.", "I got fired up."),
    ("I work at SAP.", "I used to work at IBM."),
    ("I work at SAP.", "I used to work late at night."),
    ("I work at SAP.", "I might join Google."),
    ("I work at SAP.", "I got a job offer from Google."),
    ("I work at SAP.", "I applied for a job at Google."),
    ("I work at SAP.", "I started at Harvard this fall."),
    ("I work at SAP.", "Tom got hired by Google."),
    ("I work at SAP.", "I almost joined Google."),
    ("I work at SAP.", "I joined a choir."),
    ("I work at SAP.", "I was hired by Google in 2010."),
    ("I work at SAP.", "I joined Greenpeace."),
    ("I work at SAP.", "i work at night"),
    ("I work at SAP.", "i work at home now"),
    ("I'm a teacher.", "I used to be a nurse."),
    ("I'm a teacher.", "My wife is no longer a teacher."),
    ("I'm a teacher.", "I'm not a morning person."),
    ("I'm a student.", "My son graduated last week."),
    ("I'm a student.", "I graduated from high school last month."),
    ("I'm a student.", "I graduated in 2015."),
    ("I'm a teacher.", "I'm not a good teacher."),
    ("I'm a teacher.", "I quit being lazy."),
    ("I work at SAP.", "Paul joined Google."),
]
HOMES_OVER: Pairs = [
    ("We live in Ghent", "We moved to Bruges"),
    ("I live in Galway.", "I live in Dublin."),
    ("We live in Ghent.", "We've moved to Antwerp."),
    ("I live in Ghent.", "We live in Bruges now."),
    ("We live in Leeds.", "I moved to York."),
    ("We live in Ghent.", "We relocated to Liège last month."),
    ("We live in Lyon.", "We just moved from Lyon to Nice."),
    ("I live in Galway.", "I live in Cork."),
    ("i live in graz", "i moved to linz"),
    ("I live in Rome.", "I used to live in Rome."),
]
HOMES_STANDS: Pairs = [
    ("I live in Leeds.", "Jane moved to York."),
    ("We live in Ghent.", "We moved to Postgres."),
    ("We live in Ghent.", "We moved to Kafka last week."),
    ("We live in Ghent.", "We moved to Bruges for the summer."),
    ("We live in Ghent.", "They moved to Bruges."),
    ("We live in Ghent.", "We almost moved to Bruges."),
    ("We live in Ghent.", "We moved the meeting to Bruges."),
    ("We live in Ghent.", "We visited Bruges."),
    ("I live in Berlin.", "I used to live in Rome."),
    ("I live in Dublin.", "I lived in Galway."),
    ("I live in Dublin.", "I'm from Galway."),
    ("i live in graz", "i live in fear"),
    ("I live in Dublin.", "My parents live in Cork."),
    ("I live in Dublin.", "I'm staying in Cork."),
    ("I live in Dublin.", "Actually I love Cork."),
]
CONTACT_OVER: Pairs = [
    ("My email is dan@old.com.", "I changed my email to dan@new.com."),
    ("My email is dan@old.com.", "Please use c@d.com from now on"),
    ("My email is a@b.com.", "My new email is c@d.com."),
    ("My phone number is 555-1234.", "I changed my phone number to 555-9999."),
    ("My email is a@b.com.", "Use c@d.com instead."),
    ("My email is a@b.com.", "Please write to c@d.com from now on."),
    ("My work email is a@b.com.", "I updated my work email to c@d.com."),
    ("My address is 5 Elm St.", "I changed my address to 7 Oak St."),
    ("My phone number is 555-1234.", "I got a new number: 555-9999."),
    ("My phone number is 555-1234.", "I have a new phone number, it's 555-9999."),
    ("My boss is Karen.", "I've got a new boss, Ben Miller."),
]
CONTACT_STANDS: Pairs = [
    ("My phone number is 555-1234.", "I got a new phone, it's a Pixel 9."),
    ("My email is a@b.com.", "My wife changed her email to c@d.com."),
    ("My email is a@b.com.", "I changed my email to private."),
    ("My email is a@b.com.", "Send the invoice to c@d.com."),
    ("My email is a@b.com.", "Please use c@d.com for the test."),
    ("My phone number is 555-1234.", "I changed my phone to silent."),
    ("My email is a@b.com.", "The support mail is c@d.com."),
]
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
DIETS_OVER: Pairs = [
    ("I'm vegan.", "I eat meat now"),
    ("I'm vegan.", "I used to be vegan"),
    ("I'm vegan.", "I gave up veganism"),
    ("I'm vegan.", "I started eating meat again."),
    ("I'm a vegetarian.", "I eat chicken now."),
    ("I'm vegetarian.", "I'm eating fish again."),
    ("I'm vegan.", "I quit being vegan."),
    ("I'm vegan.", "I was vegan until last month."),
    ("I'm vegan.", "I eat eggs these days."),
    ("I eat meat.", "I became a vegetarian."),
    ("I'm vegan.", "I no longer follow a vegan diet"),
    ("I'm a vegetarian.", "I went back to eating meat."),
    ("I'm vegan.", "I'm pescatarian now."),
    ("I'm vegetarian.", "I've gone fully vegan since February."),
    ("I'm vegetarian.", "I turned vegan last month."),
    ("I've gone vegan.", "I started eating fish again."),
    ("I'm vegan.", "I'm vegetarian these days."),
]
DIETS_STANDS: Pairs = [
    ("I'm vegan.", "My wife eats meat."),
    ("I'm vegan.", "I don't eat meat."),
    ("I'm vegan.", "I eat meat substitutes."),
    ("I'm vegan.", "I used to be vegetarian."),
    ("I'm vegetarian.", "I'm vegan for January."),
    ("I'm vegetarian.", "My wife went vegan."),
    ("I'm vegan.", "I used to eat meat."),
    ("I'm vegan.", "My dog eats meat."),
    ("I'm vegetarian.", "I eat eggs."),
    ("I'm vegan.", "I cooked meat for my dad."),
    ("I'm vegan.", "I would eat fish."),
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
WISHES_OVER: Pairs = [
    ("I want to buy a house.", "We bought a house"),
    ("I want to run a marathon.", "I ran the marathon yesterday!"),
    ("I'm training for a marathon.", "I finally ran my first marathon"),
    ("I want to buy a car.", "I bought a new car!"),
    ("I'm planning to adopt a dog.", "We adopted a dog."),
    ("I want to visit Japan.", "I visited Japan last month."),
    ("I plan to run the Berlin Marathon.", "I ran the Berlin Marathon on Sunday."),
    ("I'm saving for a house.", "We finally bought our first house."),
    ("I hope to climb Mount Fuji.", "I climbed Mount Fuji yesterday."),
    ("I'm training for a marathon.", "I finished the marathon!"),
    ("I'd like to write a novel.", "I finished my novel."),
    ("I want to get a cat.", "I got a cat."),
    ("I dream of buying a boat.", "We bought a boat."),
]
WISHES_STANDS: Pairs = [
    ("I want to buy a house.", "We bought a house plant."),
    ("I want to buy a house.", "My brother bought a house."),
    ("I want to buy a car.", "I bought a car for my mom."),
    ("I want to run a marathon.", "I ran a half marathon."),
    ("I want to run a marathon.", "I watched the marathon."),
    ("I want to visit Japan.", "I visited Korea."),
    ("I want to visit Japan.", "I visited Japan in 2010."),
    ("I want to buy a boat.", "I sold a boat."),
    ("I want to write a novel.", "I finished a novel by Kafka."),
    ("I want to buy a house.", "I might have bought a house."),
    ("I want to read more books.", "I read a book."),
    ("I want to buy a house.", "I rented a house."),
]
ORDERS_OVER: Pairs = [
    ("Never use emojis.", "You can use emojis again."),
    ("Please always answer in French.", "Please answer in English from now on."),
    ("Never use emojis.", "Emojis are fine again."),
    ("Don't use emojis with me.", "Feel free to use emojis again."),
    ("Keep your answers short.", "You don't have to keep answers short anymore."),
    ("Call me Lex.", "Call me Alex."),
    ("Stop using emojis.", "You may use emojis now."),
    ("From now on answer in German.", "You can answer in English again."),
    ("Can you keep your answers short?", "Please make your answers longer from now on."),
]
ORDERS_STANDS: Pairs = [
    ("Never use emojis.", "Use an emoji here."),
    ("Never use emojis.", "You used emojis again."),
    ("Never use emojis.", "Can you use the API again?"),
    ("Please always answer in French.", "Answer this in English."),
    ("Please always answer in French.", "My teacher always answers in English."),
    ("Keep your answers short.", "Keep it long this time."),
    ("Call me Lex.", "Call me tomorrow."),
    ("Please always answer in French.", "Can you answer in English?"),
    ("Never use emojis.", "I use emojis again."),
]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        *WORK_OVER,
        *HOMES_OVER,
        *CONTACT_OVER,
        *COUPLES_OVER,
        *DIETS_OVER,
        *ANIMALS_OVER,
        *OTHERS_OVER,
        *WISHES_OVER,
        *ORDERS_OVER,
    ],
)
def test_what_is_over(first: str, then: str) -> None:
    [told] = after(first).standing
    memory = after(first, then)
    assert memory.over == [told]
    assert told not in memory.listed


@pytest.mark.parametrize(
    ("first", "then"),
    [
        *WORK_STANDS,
        *HOMES_STANDS,
        *CONTACT_STANDS,
        *COUPLES_STANDS,
        *DIETS_STANDS,
        *ANIMALS_STANDS,
        *OTHERS_STANDS,
        *WISHES_STANDS,
        *ORDERS_STANDS,
    ],
)
def test_what_stands(first: str, then: str) -> None:
    before = after(first)
    assert before.standing
    memory = after(first, then)
    assert memory.over == []
    assert [line for line in before.listed if line not in memory.listed] == []


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I live in Kreuzberg.", "I live in Berlin."),
        ("I live in Munich.", "I live in München."),
        ("I live in Zurich.", "I live in Zürich."),
        ("I live in New York.", "I live in NYC."),
    ],
)
def test_a_place_said_in_other_words_is_no_change(first: str, then: str) -> None:
    memory = after(first, then)
    assert memory.over == []
    assert len(memory.listed) == 1  # the newest words for it

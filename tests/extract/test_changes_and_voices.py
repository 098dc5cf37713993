"""More of what has changed and what has not, in the words of somebody who did not know the rules."""

from __future__ import annotations

import pytest
from telling import after


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I work at Intel.", "I handed in my notice at Intel and start at AMD on Monday."),
        ("I work for Deloitte.", "Today was my last day at Deloitte."),
        ("I'm a barista.", "I don't work as a barista any more."),
        ("I'm a PhD student.", "I finally got my PhD!"),
        ("I work at Lidl.", "I'm unemployed now."),
        ("I work at Lidl.", "I was made redundant last week."),
        ("I'm a nurse.", "I'm a doctor now."),
        ("My girlfriend is called Zoe.", "Zoe and I aren't together anymore."),
        ("My boyfriend is called Ben.", "I dumped Ben."),
        ("I'm engaged.", "We called off the wedding."),
        ("I'm single.", "I have a girlfriend now!"),
        ("I'm single.", "I'm seeing someone."),
        ("I'm vegetarian.", "I had my first steak in years and I'm back to eating meat."),
        ("I'm a vegetarian.", "I'm no longer a vegetarian."),
        ("I'm vegan.", "I stopped being vegan in March."),
        ("I smoke.", "I quit smoking."),
        ("My dog Bruno is 12.", "Bruno passed away on Sunday."),
        ("I have a hamster.", "My hamster died yesterday."),
        ("My cat is called Luna.", "Luna had to be put to sleep."),
        ("My brother Leo lives in Turin.", "Leo relocated to Genoa."),
        ("My mum works at Tesco.", "My mum retired."),
        ("My friend Sam is a waiter.", "Sam is now a chef."),
        ("My parents live in Kiel.", "My parents moved to Bonn."),
        ("I live in Porto.", "I've been living in Faro since January."),
        ("I live in Lyon.", "I left Lyon for good."),
        ("I live in Utrecht.", "I don't live in Utrecht anymore, I'm in Breda."),
        ("I live in Malmö.", "I am based in Lund now."),
        ("I want to adopt a cat.", "I adopted a cat yesterday."),
        ("I'm saving up for a car.", "I finally bought a car."),
        ("I want to quit smoking.", "I quit smoking."),
        ("My phone number is 0151 222333.", "My new number is 0151 999888."),
        ("My address is Elm Road 5.", "My new address is Oak Road 7."),
        ("My email is a@x.com.", "Actually my email is b@x.com."),
        ("My name is Sara Klein.", "I got married, my name is Sara Gross now."),
        ("Answer in French from now on.", "Go back to English please."),
        ("Never use bullet points.", "You can use bullet points again."),
        ("Call me Bob.", "Please call me Robert from now on."),
        ("Always be brief.", "You can be more detailed now."),
        ("My favorite band is Muse.", "My favorite band is Radiohead now."),
        ("I drive a Golf.", "I traded in my Golf for a Tesla."),
        ("I'm 40.", "I turned 41 today."),
        ("I weigh 80 kg.", "I'm down to 75 kg."),
        ("I'm single.", "I have a boyfriend, Mark."),
        ("I can't drink coffee at the moment.", "I can drink coffee again, finally."),
        ("I can't eat gluten.", "I can eat gluten now."),
        ("I'm saving up for a house.", "Guess what, we bought a house in Gouda!"),
        ("We live in Utrecht.", "Yeah, we moved to Lyon."),
        ("I'm learning Portuguese on Duolingo.", "I gave up Portuguese, I'm learning Korean now."),
        ("I'm studying law in Leiden.", "I quit studying law."),
        ("I drink coffee.", "I gave up coffee."),
        ("My wife is Anna.", "We got divorced in May."),
        ("I'm single.", "I got married in June."),
        ("I'm single.", "We got married in Rome."),
        ("My car is a Toyota Corolla.", "My car is now a Honda Civic."),
        ("I'm afraid of dogs.", "I'm not afraid of dogs anymore."),
        ("I smoke.", "I haven't smoked since January."),
        ("I play tennis on Sundays.", "I switched from tennis to padel."),
        ("I'm unemployed.", "I found a job at Ikea."),
        ("I live with my parents.", "I live alone now."),
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
        ("I work at Intel.", "I started at the bottom."),
        ("I can't drink coffee.", "My wife can drink coffee again."),
        ("I'm married.", "I'm engaged in politics."),
        ("I live with my dog.", "I live with my sister."),
        ("I smoke.", "I haven't smoked today."),
        ("I left Intel.", "I found a job at Ikea."),
        ("I don't drink coffee.", "I can drink tea again."),
        ("I'm learning Portuguese.", "I gave up my seat."),
        ("I'm learning Portuguese.", "I'm learning Korean now."),
        ("I work at Intel.", "Intel fired 500 people."),
        ("I work at Intel.", "Intel let my colleague go."),
        ("I work at Intel.", "I joined Team Blue in the game."),
        ("I work at Intel.", "I joined Lisa and Tom for dinner yesterday."),
        ("I work at Intel.", "I joined Sarah last week."),
        ("My phone number is 0151 222333.", "My number is 12."),
        ("I work at Intel.", "I quit Duolingo today."),
        ("I work at Intel.", "I left AMD in 2015."),
        ("I work at Intel.", "I used to work for AMD."),
        ("I work at Intel.", "My first job was at AMD."),
        ("I work at Intel.", "I have an interview at AMD."),
        ("I work at Intel.", "I got an offer from AMD."),
        ("I work at Intel.", "I turned down a job at AMD."),
        ("I work at Intel.", "I joined AMD's webinar."),
        ("I'm a nurse.", "I used to be a waiter."),
        ("I'm a nurse.", "My mother was a nurse."),
        ("I'm a student.", "My class graduated."),
        ("I'm a nurse.", "I'm not a doctor."),
        ("I'm a nurse.", "I'm a mother."),
        ("My wife is called Ana.", "My parents got divorced."),
        ("My wife is called Ana.", "Ana died her hair."),
        ("My wife is called Ana.", "Ana left for work."),
        ("My wife is called Ana.", "Ana left early."),
        ("My wife is called Ana.", "I left Ana with the kids."),
        ("My wife is called Ana.", "Ana broke up laughing."),
        ("My wife is called Ana.", "Ana passed out."),
        ("My wife is called Ana.", "Ana passed her exam."),
        ("I'm married.", "My brother is single."),
        ("My husband is called Tom.", "My dog Tom passed away."),
        ("My husband is called Tom.", "Uncle Tom passed away."),
        ("I'm vegan.", "I eat like a horse."),
        ("I'm vegan.", "I bought meat for my cat."),
        ("I'm vegan.", "I used to love cheese."),
        ("I'm vegetarian.", "My kids eat meat."),
        ("I'm vegan.", "I stopped being lazy."),
        ("I have a dog.", "My neighbour's dog passed away."),
        ("I have a dog.", "My goldfish died."),
        ("I have two dogs.", "My first dog died in 2001."),
        ("My cat is called Luna.", "I put Luna on a diet."),
        ("My cat is called Luna.", "I gave Luna a treat."),
        ("My cat is called Luna.", "Luna ran away from the vacuum."),
        ("I have a dog.", "I don't have a car."),
        ("My dog is called Rex.", "My battery died."),
        ("My brother Leo lives in Turin.", "Leo is visiting Genoa."),
        ("My brother Leo lives in Turin.", "Leo moved to another team."),
        ("My brother Leo lives in Turin.", "My friend Leo's sister moved to Genoa."),
        ("My sister lives in Rome.", "My sister lives in Paris."),
        ("I live in Porto.", "I was in Faro last week."),
        ("I live in Porto.", "I grew up in Faro."),
        ("I live in Porto.", "My flat is in Cedofeita."),
        ("I live in Porto.", "I'd love to live in Faro."),
        ("I live in Porto.", "I moved offices to Faro."),
        ("I live in Porto.", "I moved in 2010."),
        ("I live in Porto.", "I live in a small flat."),
        ("I live in Bergen.", "We moved our server to Oslo."),
        ("I want to buy a bike.", "I bought a bike lock."),
        ("I want to visit Kyoto.", "My sister visited Kyoto."),
        ("I want to buy a house.", "I saw a house."),
        ("I want to run a marathon.", "I ran to the bus."),
        ("I want to write a book.", "I read a book."),
        ("I want to adopt a cat.", "I fed a cat."),
        ("My email is a@x.com.", "My boss's email is b@x.com."),
        ("My email is a@x.com.", "Forward it to b@x.com."),
        ("My phone number is 0151 222333.", "My old number was 0151 111000."),
        ("Answer in French from now on.", "What does bonjour mean in English?"),
        ("Never use bullet points.", "List the bullet points again."),
        ("Call me Bob.", "Bob called me."),
        ("Always be brief.", "He was brief."),
        ("My favorite band is Muse.", "My sister's favorite band is Abba."),
        ("I drive a Golf.", "My son drives a Tesla."),
        ("I'm 40.", "My house is 41 years old."),
        ("I'm married.", "I have a girlfriend."),
        ("I'm divorced.", "I have a boyfriend now."),
    ],
)
def test_what_stands(first: str, then: str) -> None:
    before = after(first)
    assert before.standing
    memory = after(first, then)
    assert memory.over == []
    assert [line for line in before.listed if line not in memory.listed] == []


@pytest.mark.parametrize(
    "talk",
    [
        ["please summarize this review for me:\n\nI've had this vacuum for a year. I have two dogs."],
        ["What do you think of this dating profile?\n\nI'm 32, I love hiking and I work as a vet in Leeds."],
        ["Got this text from my ex: I miss you. I quit drinking and I got a new job at Ford."],
        ["Subject: Sick leave\n\nDear Mr Brown,\n\nI am ill and cannot come. I live in Reading.\n\nRegards,\nTess"],
        ["My grandmother always said: I was born poor. I'll die happy."],
        ["She goes: I'm vegan. I hate leather."],
        ['quote of the day: "I am the master of my fate"'],
        ["Poem by Frost:\nI have been one acquainted with the night.\nI have walked out in rain."],
        ["Can you grade my student's essay?\n\nMy name is Kim. I live in Seoul. I want to be a doctor."],
        ["Reddit post: AITA? I (34F) am married to a chef. I hate his food."],
        ["Translate to Spanish: I am allergic to nuts."],
        ['how do you say "I am a vegetarian and I live in Rome" in Thai?'],
        ["The patient said: I have chest pain. I am diabetic. I smoke a pack a day."],
        ["Email from HR:\nI am pleased to inform you that I am leaving the company. I moved to Lisbon."],
        ["Here is the transcript of the call.\nI am calling about my order. I live in Denver."],
        ["Correct my English: I am working in bank since five years and I has two daughters."],
        ["Interviewer: Where do you live?\nCandidate: I live in Madrid and I work at BBVA."],
        ["Write a first-person story: I am a lighthouse keeper and I live alone."],
        ["Act like you're my landlord. I'm a tenant who lost his job. I have three cats."],
        [
            "Let's do a role play where I'm a customer.",
            "A: Welcome!",
            "Hi, I'm Bob. I live in Ohio and I'm allergic to shellfish.",
        ],
        [
            "Can we roleplay a first date?",
            "A: Sure, tell me about yourself!",
            "I'm a firefighter. I have a twin brother.",
        ],
        [
            "You will play the detective and I will be the suspect.",
            "A: Where were you?",
            "I live in Soho. I work at a bank.",
        ],
        [
            "I want you to act as an interviewer. I will be the candidate.",
            "A: Introduce yourself.",
            "I'm Raj. I work at Infosys.",
        ],
        ["In my D&D campaign I'm a dwarf. I live under a mountain."],
        ["Imagine I'm a billionaire. I live on a yacht. What should I invest in?"],
        ["Hypothetically, say I'm pregnant. I live in Texas. What are my rights?"],
        ["Write a monologue for my character. I am old. I live by the sea."],
        ["Lyrics: I'm on the highway to hell"],
        ["> I live in Oslo and I work at Equinor\nwhat should I reply to this?"],
        ["Dear John,\nI'm leaving you. I moved to Spain.\nYours, Mary\n\nshould I be worried about this letter I got?"],
        ["my boss emailed: I quit. I'm moving to Fiji."],
        ["This is what my neighbor posted: I hate dogs. I am allergic to cats."],
        ["User story: As a nurse, I want to log in. I work at a hospital."],
        ["Bio of the speaker: I'm a painter. I live in Prague."],
        ["WhatsApp chat:\nLena: I'm in Rome\nMax: I'm vegan now"],
    ],
)
def test_words_of_others(talk: list[str]) -> None:
    assert after(talk).listed == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I got a mail from my boss. I live in Rome.", "lives in Rome"),
        ("Hi! Quick question: I live in Rome, do I need a visa?", "lives in Rome"),
        ("Here's my situation: I live in Rome. I'm 34.", "34"),
        ("About me:\nI live in Rome.\nI'm vegan.", "vegan"),
        ("Let's play chess. I live in Rome.", "lives in Rome"),
        ("I watched a play. I live in Rome.", "lives in Rome"),
        ("My role at work: I'm a nurse. I live in Rome.", "lives in Rome"),
        ("My mom texted me this morning. I live in Rome.", "lives in Rome"),
        ("I told my sister that I live in Rome now. I'm vegan.", "vegan"),
        ("Imagine that! I live in Rome.", "lives in Rome"),
        ("What a story! I live in Rome.", "lives in Rome"),
        ("Write me a poem about Rome. I live in Rome.", "lives in Rome"),
        ("Help me write an email to my boss. I work at SAP and I'm pregnant.", "SAP"),
        ("Dear diary... just kidding. I live in Rome.", "lives in Rome"),
        ("You are a helpful travel assistant. I am a nurse from Graz.", "nurse"),
        ("Act as my nutritionist. I'm vegan and I weigh 80 kg.", "vegan"),
        ("Thanks!\n\nI live in Rome.\n\nBest,\nAlice", "lives in Rome"),
        ("Summary of my week: I moved to Rome. I'm vegan now.", "vegan"),
        ("PS: I live in Rome.", "lives in Rome"),
        ("Two things: I live in Rome and I'm vegan.", "Rome"),
        ("This is about my job. I work at SAP.", "SAP"),
        ("Is this correct? I think so. I live in Rome.", "lives in Rome"),
        ("Fun fact: I have three cats.", "three cats"),
    ],
)
def test_words_of_ones_own(text: str, told: str) -> None:
    assert told in " ".join(after(text).listed)


def test_orders_in_one_sentence_can_be_taken_back_one_by_one() -> None:
    memory = after("Please always answer in Spanish and keep it short.", "You can answer in English again.")
    assert memory.over == ['Alice said: "Please always answer in Spanish."']
    assert 'Alice said: "Always keep it short."' in memory.listed


def test_what_is_forbidden_in_one_breath_stays_together() -> None:
    text = "Never use emojis and answer in French."
    assert after(text).standing == [f'Alice said: "{text}"']

"""What the user's words say of an agent's work."""

from __future__ import annotations

import pytest

from everlore.extract.verdict import asks_nothing, objects_to, undoes, verdict

PLEASED = [
    "Perfect, thanks!",
    "Works, thank you!",
    "works now",
    "That works.",
    "It works perfectly now, thank you so much",
    "Great job",
    "nice work!",
    "Exactly what I needed.",
    "Great, exactly what I wanted.",
    "That's just what I asked for, thanks!",
    "This is what I meant.",
    "wow, nice find!",
    "That fixed it.",
    "awesome!!",
    "LGTM, ship it",
    "Looks good to me",
    "Looks great, thanks",
    "Love it",
    "You're a lifesaver",
    "All green now, cheers",
    "No errors anymore, thank you!",
    "Not bad at all!",
    "Yes, that's it!",
    "Brilliant.",
    "It was wrong at first, but now it works. Thanks!",
    "ok great",
    "👍",
    "all tests pass, great",
    "problem solved",
    "Nothing is broken any more, well done.",
    "That's much better.",
    "I'm very happy with this",
    "The error is gone, thanks!",
    "no more warnings, great",
    "The page loads again",
]

DISPLEASED = [
    "No, you broke production! The users table is empty!!",
    "unbelievable. this is terrible",
    "That's wrong",
    "doesn't work",
    "still broken",
    "It is still broken",
    "undo that",
    "no!",
    "No.",
    "nope, not what I asked for",
    "That isn't exactly what I wanted.",
    "What I meant was the other branch.",
    "That is not what I wanted.",
    "wrong city!",
    "You deleted the wrong file.",
    "It crashes on startup now",
    "I still get the same error",
    "same problem",
    "This made it worse",
    "This is useless",
    "Great, now it's broken.",
    "Thanks, but it's still failing",
    "It doesn't work. Thanks anyway.",
    "thanks for nothing",
    "Not great.",
    "I'm not happy with this",
    "why did you delete the table?",
    "Why is it still failing?",
    "Are you kidding me?",
    "what have you done?!",
    "The numbers don't add up, this can't be right",
    "Revert it please",
    "please roll that back",
    "Cancel it, I wanted June",
    "I want my money back",
    "Never mind, I'll do it myself",
    "forget it",
    "you forgot the tests",
    "You didn't even read the file",
    "That did not help",
    "Nothing changed",
    "It's a complete mess",
    "Production is down because of you",
    "I asked for a window seat, not an aisle seat",
    "stop! don't touch the database",
    "Ugh. No.",
    "Incorrect: the total should be 12",
    "The page is blank now",
    "all the data is gone",
    "wtf",
    "this isn't right",
    "hmm, that's not it",
    "Disappointing.",
    "The export is empty again",
    "ugh, the app won't even launch anymore",
    "You charged me twice!",
    "I'm getting a TypeError now",
    "This is not the hotel I picked",
    "that's the opposite of what I said",
    "The tests are red again",
    "sigh. wrong again",
    "I never approved that purchase",
    "Please stop, you're making it worse",
    "this took way too long and the answer is wrong",
    "I can't log in anymore",
    "The totals are off",
]

NEITHER = [
    "Fix the sync job",
    "Now bump the version",
    "Make it nice",
    "Find a great restaurant in Rome",
    "Does it work?",
    "Is that correct?",
    "Let me know if it works",
    "I use Postgres 15",
    "And the other one?",
    "Yes, go ahead",
    "ok",
    "Actually, can you also send it?",
    "What went wrong?",
    "Rome, please",
    "Check whether the backup works",
    "If it fails, try again",
    "June 3rd",
    "no problem",
    "no worries, take your time",
    "No need to hurry",
    "Delete the broken links",
    "It should be red",
    "I want all the red ones",
    "Write down what failed",
    "Explain why the first attempt failed",
    "list the missing files",
    "It has to work offline",
    "The error message should say 'invalid id'",
    "Which file did you change?",
]


@pytest.mark.parametrize("text", PLEASED)
def test_satisfaction_is_seen(text: str) -> None:
    assert verdict(text) == "pleased"


@pytest.mark.parametrize("text", DISPLEASED)
def test_displeasure_is_seen(text: str) -> None:
    assert verdict(text) == "displeased"


@pytest.mark.parametrize("text", NEITHER)
def test_other_words_are_no_verdict(text: str) -> None:
    assert verdict(text) == ""


@pytest.mark.parametrize("text", ["thanks", "Thank you!", "ok thanks", "thx", "Thanks anyway", "thanks for trying"])
def test_thanks_alone_are_a_courtesy(text: str) -> None:
    assert verdict(text) in ("", "thanks")
    assert asks_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Great job",
        "Perfect, thanks!",
        "ok",
        "Yes, go ahead",
        "hello!",
        "sounds good",
        "You're welcome!",
        "wow, amazing work",
        "continue",
        "Keep going",
        "cool",
        "👍",
        "Well done, that was quick!",
        "I love it",
        "yes please",
    ],
)
def test_praise_and_assent_ask_for_nothing(text: str) -> None:
    assert asks_nothing(text)


@pytest.mark.parametrize("text", ["Great, now bump the version", "Thanks! Update the docs", "ok, but use Rust", "Rome"])
def test_what_more_than_courtesy_is(text: str) -> None:
    assert not asks_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "No, use the staging database",
        "Actually, make it blue",
        "use tabs instead",
        "that's not the right file",
        "not like that",
        "I meant the other one",
        "Don't touch main",
        "wrong branch",
        "you should have asked first",
        "It still fails",
        "that didn't work",
    ],
)
def test_an_objection_is_seen(text: str) -> None:
    assert objects_to(text)


@pytest.mark.parametrize(
    "text",
    [
        "No problem, thanks",
        "Actually, can you also send it?",
        "Nice",
        "And the other one?",
        "Don't worry about the docs",
        "No rush",
        "Now bump the version",
        "The docs build is broken, can you look?",
    ],
)
def test_what_is_no_objection(text: str) -> None:
    assert not objects_to(text)


@pytest.mark.parametrize(
    ("text", "undone"),
    [
        ("undo that", True),
        ("That's the wrong Paris! Cancel it", True),
        ("Please revert everything", True),
        ("roll it back now", True),
        ("never mind", True),
        ("I want a refund", True),
        ("cancel it and book the 14th instead", False),
        ("No, use the staging database", False),
        ("that's wrong", False),
    ],
)
def test_a_wish_to_have_it_undone(text: str, undone: bool) -> None:
    assert undoes(text) == undone


def test_it_is_what_the_same_message_names() -> None:
    assert not objects_to("Please refactor the lexer. It has been failing on CI since last week.")
    assert objects_to("It has been failing since you touched the lexer.")
    assert objects_to("That is wrong.")

"""What is proven of a run, and what is learned from it: the labelled runs, and the rules one by one."""

from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from runs import agent, bash, does, edit, session, user

from bench.runs import Run, cases, labelled
from everlore.extract.agent.judge import judgement, key_insight, quality
from everlore.extract.agent.run import steps
from everlore.types import Message

LABELLED = list(labelled())


def score(*parts: list[Message]) -> float:
    return quality(steps(session(*parts).messages))


def lesson(*parts: list[Message]) -> str | None:
    return key_insight(steps(session(*parts).messages), {"alice"})


@pytest.mark.parametrize("run", LABELLED, ids=lambda run: run.name)
def test_a_labelled_run_is_told_as_it_is_labelled(run: Run) -> None:
    made = cases(run)
    found = made[0].quality_score
    assert ("high" if found > 0.5 else "low" if found < 0.5 else "none") == run.labels["score"]
    told = " / ".join(case.key_insight for case in made if case.key_insight)
    want = run.labels["insight"]
    assert (told == "") == (want == "no") or want.startswith("may: ")
    assert want == "no" or not told or want.removeprefix("may: ") in told
    assert not any(name.strip() and name.strip() in told for name in run.labels.get("hidden", "").split(","))


TESTED, BROKE = bash("pytest", "12 passed"), bash("pytest", "1 failed, 11 passed")
DONE = agent("Done.")


def test_a_check_proves_what_was_done_before_it() -> None:
    asked = user("Add a flag")
    assert score(asked, edit("a.py"), TESTED, DONE) == 0.9
    assert score(asked, TESTED, edit("a.py"), DONE) == 0.5
    assert score(asked, edit("a.py"), TESTED, bash("git commit -am x", "[main 1] x"), DONE) == 0.9
    assert score(asked, edit("a.py"), BROKE, DONE) == 0.2
    assert score(asked, BROKE, edit("a.py"), DONE) == 0.5, "nobody looked again"
    assert score(asked, edit("a.py"), BROKE, bash("ruff check .", "All checks passed!"), DONE) == 0.2


def test_an_exit_status_proves_a_program() -> None:
    assert score(user("Deploy"), bash("./deploy.sh", "done\nexit code: 0"), DONE) == 0.8
    assert score(user("Deploy"), bash("./deploy.sh", "done"), DONE) == 0.5
    assert score(user("Deploy"), bash("./deploy.sh", "exit code: 1"), bash("./deploy.sh --v2", "exit code: 0")) == 0.8


def test_a_checker_that_is_a_tool_needs_work_to_check() -> None:
    passed = does("validate_form", '{"valid": true}', id=1)
    assert score(user("Fill it in"), does("fill_form", '{"saved": true}', id=1), passed) == 0.9
    assert score(user("Is it valid?"), passed) == 0.5


def test_the_user_has_the_last_word() -> None:
    work = (user("Fix the login"), edit("a.py"))
    assert score(*work, DONE, user("It works now, thanks")) == 0.9
    assert score(*work, TESTED, DONE, user("It works now")) == 1.0
    assert score(*work, TESTED, DONE, user("It still fails")) == 0.1
    assert score(*work, DONE, user("It still fails"), edit("a.py"), DONE) == 0.5, "they said nothing of the new work"
    assert score(*work, DONE, user("Revert that please"), bash("git checkout a.py", ""), DONE) == 0.1


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("It works now, thanks!", "confirms"),
        ("Confirmed.", "confirms"),
        ("Exactly what I needed", "confirms"),
        ("yes, that's correct", "confirms"),
        ("All tests pass now.", "confirms"),
        ("funktioniert jetzt", "confirms"),
        ("ça marche, merci", "confirms"),
        ("ya funciona", "confirms"),
        ("可以了", "confirms"),
        ("It still doesn't work", "rejects"),
        ("That's wrong", "rejects"),
        ("you deleted everything", "rejects"),
        ("This is not what I asked for", "rejects"),
        ("Das ist falsch", "rejects"),
        ("no funciona", "rejects"),
        ("不对", "rejects"),
        ("please undo that", "undo"),
        ("Thanks!", ""),
        ("Perfect, thank you so much", ""),
        ("Great", ""),
        ("That works for me, book it", ""),
        ("No, before 18:00 please", ""),
        ("Let me know if it works", ""),
        ("Does it work?", ""),
        ("This is ridiculous, let me talk to a human", ""),
        ("ok, and the other one?", ""),
        ("My user id is sara_doe_496", ""),
        ("Actually make it 30", ""),
        ("it's not working as a gift card, use the other", "rejects"),
    ],
)
def test_what_a_user_says_of_the_result(words: str, verdict: str) -> None:
    assert judgement(words) == verdict


def test_a_call_that_failed_and_worked_with_a_difference_teaches() -> None:
    found = lesson(
        user("Install"), bash("npm ci", "npm ERR! code ERESOLVE"), bash("npm ci --force", "added 3 packages")
    )
    assert found == "`npm ci` failed with npm ERR! code ERESOLVE; it worked with `npm ci --force`"
    found = lesson(
        user("Push it"),
        bash("git push", "error: failed to push some refs"),
        bash("git pull --rebase", "Successfully rebased"),
        bash("git push", "main -> main"),
    )
    assert found == "`git push` failed with failed to push some refs; it worked after `git pull --rebase`"


@pytest.mark.parametrize(
    "parts",
    [
        (BROKE, TESTED),
        (BROKE, bash("pytest -k other", "3 passed")),
        (BROKE, edit("a.py"), TESTED),
        (bash("cat a.py", "cat: a.py: No such file or directory"), bash("cat b.py", "x = 1")),
        (does("get_user", "Error: user not found", id="4411882"), does("get_user", '{"name": "x"}', id="4411828")),
        (does("pay", "Error: timeout", amount=3), does("pay", "paid", amount=3)),
        (bash("make a", "make: *** [a] Error 2"), bash("make b", "built")),
        (bash("python a.py", "KeyError: 'x'"), bash("python b.py", "fine")),
        (bash("npm publish", "npm ERR! code E403"), agent("Publishing failed, probably because of the token.")),
        (bash("npm ci", "npm ERR! x"), bash("npm ci --force", "added"), DONE, user("That broke the app, revert it")),
    ],
)
def test_what_teaches_nothing(parts: tuple[list[Message], ...]) -> None:
    assert lesson(user("Do the thing"), *parts) is None


def test_a_stated_cause_is_the_lesson_unless_it_is_a_guess() -> None:
    ran = (user("The sync job fails"), does("restart", "ok", job="sync"))
    assert (
        lesson(*ran, agent("It runs. The root cause was an expired token.")) == "The root cause was an expired token."
    )
    assert lesson(*ran, agent("The cause was probably an expired token.")) is None
    assert lesson(*ran, agent("The issue is resolved now.")) is None
    refused = agent("I can't refund it because basic fares are not refundable.")
    assert lesson(user("I want a refund"), does("get_booking", "basic", id=1), refused) is None
    failed = bash("npm publish", "npm ERR! 401 - token expired")
    told = "Publishing failed because the token has expired."
    assert lesson(user("Publish it"), failed, agent(told)) == told
    assert lesson(user("Publish it"), failed, agent("Publishing failed because the moon was full.")) is None


def test_a_lesson_names_nobody() -> None:
    found = lesson(
        user("My name is Ewa Nowak, open an account"),
        does("open", "Error: Ewa Nowak needs a country", name="Ewa Nowak", phone="600123456"),
        does("open", "opened", name="Ewa Nowak", phone="600123456", country="PL"),
    )
    assert found is not None
    assert "country=PL" in found
    assert not any(part in found for part in ("Ewa", "Nowak", "600123456", "alice"))


@pytest.mark.parametrize("words", ["it ", "the a ", "now ", "still ", "was wrong because ", "I "])
def test_long_words_of_a_user_are_read_in_linear_time(words: str) -> None:
    assert_linear(lambda size: partial(judgement, words * (size // len(words))), 20_000)

"""Where one task of a session ends and the next begins."""

from __future__ import annotations

import pytest
from runs import FAILED, PROVEN, UNPROVEN, Runs, Told, agent, bash, check, does, edit, session, user

from everlore.extract.agent.run import Said, steps
from everlore.extract.agent.task import tasks
from everlore.types import Message

EDITED = does("edit_file", "edited", path="cli.py")


def openings(*parts: list[Message]) -> list[str]:
    """What each task begins with."""
    found = tasks(steps(session(*parts).messages))
    return [task[0].text if isinstance(task[0], Said) else task[0].label for task in found]


def test_each_request_that_was_worked_on_is_a_task() -> None:
    assert openings(
        user("Add a --verbose flag to the CLI"),
        EDITED,
        agent("Added the flag."),
        user("Now bump the version"),
        does("edit_file", "edited", path="pyproject.toml"),
        agent("The version is 1.3.0 now."),
        user("The docs build is broken, can you look?"),
        bash("mkdocs build", "ERROR - Config value 'nav' is missing"),
        agent("A nav entry was missing; it builds again."),
    ) == ["Add a --verbose flag to the CLI", "Now bump the version", "The docs build is broken, can you look?"]


ANOTHER = [
    ("Add a --verbose flag to the CLI", "Bump the version to 2.0"),
    ("Add a --verbose flag to the CLI", "Great, that works. Now bump the version"),
    ("Add a --verbose flag to the CLI", "thanks! can you also update the changelog?"),
    ("Add a --verbose flag to the CLI", "Next: write release notes for 1.3"),
    ("Add a --verbose flag to the CLI", "By the way, the nightly backup job failed. Please check."),
    ("Fix the login test", "Fix the signup test"),
    ("Restart the orders service", "Restart the billing service too, please"),
    ("Book a flight to Rome on June 3", "Now book a hotel in Rome for June 3"),
    ("Book a flight to Rome on June 3", "I also need a rental car"),
    ("Find the cheapest laptop under 800 euros", "Could you book me a table for two on Friday?"),
    ("Plot revenue by month", "Which customers churned in March?"),
    ("Plot revenue by month", "Email the churn report to Bob"),
    ("Deploy the api to staging", "our website is down!! help"),
    ("Refund order 4711", "A different customer asks about delivery times to Norway. Please answer."),
    ("Refactor the parser", "Write a script that parses invoices and make sure it runs on Windows"),
]

SAME = [
    ("Add a --verbose flag to the CLI", "Make it case-insensitive"),
    ("Add a --verbose flag to the CLI", "Also add a test for it"),
    ("Add a --verbose flag to the CLI", "Can you also add tests for that?"),
    ("Add a --verbose flag to the CLI", "Rename the flag to --debug"),
    ("Add a --verbose flag to the CLI", "use click instead of argparse"),
    ("Add a --verbose flag to the CLI", "No, it should be called -v"),
    ("Add a --verbose flag to the CLI", "The flag doesn't show up in the help"),
    ("Add a --verbose flag to the CLI", "It still fails"),
    ("Add a --verbose flag to the CLI", "try again"),
    ("Add a --verbose flag to the CLI", "Why did you use argparse?"),
    ("Add a --verbose flag to the CLI", "Which files did you change?"),
    ("Add a --verbose flag to the CLI", "Perfect, thanks!"),
    ("Add a --verbose flag to the CLI", "yes, go ahead"),
    ("Add a --verbose flag to the CLI", "undo that"),
    ("Add a --verbose flag to the CLI", "Great job"),
    ("Book a flight to Rome on June 3", "No! I wanted June 13. Cancel it."),
    ("Book a flight to Rome on June 3", "An aisle seat would be nice"),
    ("Book a flight to Rome on June 3", "Can you make it a window seat?"),
    ("Summarize the quarterly report", "Make the report shorter, two paragraphs at most"),
    ("Plot revenue by month", "Put the months on the x axis"),
    ("Plot revenue by month", "do the same for 2025"),
    ("Migrate the users table", "Now the tests fail"),
    ("Migrate the users table", "you broke production! The users table is empty!!"),
    ("Deploy the api to staging", "what about the second one?"),
    ("Run the e2e tests", "ok increase the timeout and retry"),
]


@pytest.mark.parametrize(("first", "second"), ANOTHER)
def test_a_request_for_something_else_begins_a_task(first: str, second: str) -> None:
    found = openings(user(first), EDITED, agent("I have done that."), user(second), bash("make", "ok"))
    assert len(found) == 2


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_refines_a_task_stays_in_it(first: str, second: str) -> None:
    worked = [*EDITED, *bash("pytest tests", "12 passed")]
    found = openings(user(first), worked, agent("I have done that."), user(second), bash("make", "ok"))
    assert found == [first]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which database do you mean?", "The production one"),
        ("To which city?", "Book the flight to Rome please"),
        ("Shall I also update the docs?", "Yes, update the docs please"),
        ("Do you want me to push?", "no, just commit it locally"),
        ("What is the order number?", "4711, please hurry"),
    ],
)
def test_an_answer_to_the_agent_is_no_new_task(question: str, answer: str) -> None:
    assert len(openings(user("Refund my order"), EDITED, agent(question), user(answer), EDITED)) == 1


def test_an_offer_may_be_passed_over() -> None:
    found = openings(
        user("Refund order 12"),
        EDITED,
        agent("Done. Shall I send a receipt?"),
        user("Restart the queue worker"),
        EDITED,
    )
    assert found == ["Refund order 12", "Restart the queue worker"]
    found = openings(
        user("Refund order 12"), EDITED, agent("Done. Anything else?"), user("Restart the queue worker"), EDITED
    )
    assert len(found) == 2


def test_praise_belongs_to_the_work_before_it() -> None:
    first, second = tasks(
        steps(
            session(
                user("Add a --verbose flag"),
                EDITED,
                agent("Added."),
                user("Great, that works. Now bump the version"),
                EDITED,
            ).messages
        )
    )
    assert isinstance(first[-1], Said)
    assert first[-1].text == "Great, that works."
    assert isinstance(second[0], Said)
    assert second[0].text == "Now bump the version"


def test_talk_without_work_is_no_task_beside_others() -> None:
    assert openings(
        user("What is the capital of France?"),
        agent("Paris."),
        user("Restart the orders service"),
        EDITED,
        agent("It runs."),
        user("What is the capital of Spain?"),
        agent("Madrid."),
    ) == ["Restart the orders service"]


def test_a_stretch_that_begins_in_the_middle_of_work() -> None:
    found = openings(bash("pytest", "12 passed"), agent("All 40 modules are migrated."), user("Great job"))
    assert found == ["bash(command=pytest)"]
    found = openings(bash("pytest", "12 passed"), agent("All is migrated."), user("Now bump the version"), EDITED)
    assert found == ["bash(command=pytest)", "Now bump the version"]


def test_a_late_result_stays_with_its_call() -> None:
    start, result = does("build_image", "built", tag="web")
    found = tasks(
        steps(session(user("Build the image"), [start], user("Book a hotel in Rome"), [result], EDITED).messages)
    )
    assert len(found) == 2
    assert [step.outcome.told for step in found[0] if not isinstance(step, Said)] == ["built"]


RUNS: Runs = {
    # -- several tasks
    "three tasks of a morning": (
        session(
            user("Add a --verbose flag to the CLI"),
            edit("cli.py"),
            bash("pytest", "12 passed"),
            agent("I added the --verbose flag."),
            user("Now bump the version"),
            edit("pyproject.toml"),
            agent("The version is now 1.3.0."),
            user("The docs build is broken, can you look?"),
            bash("mkdocs build", "ERROR   -  Config value 'nav': missing"),
            edit("mkdocs.yml"),
            bash("mkdocs build", "INFO    -  Documentation built in 0.3 seconds"),
            agent("It builds again."),
        ),
        [
            Told("Add a --verbose flag to the CLI", PROVEN, None),
            Told("Bump the version", UNPROVEN, None),
            Told("Fix: the docs build is broken", PROVEN, None),
        ],
    ),
    "praise, a next task, and a second thought": (
        session(
            user("Fix the flaky test in test_auth.py"),
            edit("test_auth.py"),
            bash("pytest test_auth.py", "4 passed"),
            agent("I sorted the keys."),
            user("Great, that works. Next, add a rate limiter to /login"),
            edit("login.py"),
            agent("Added a limiter: 5 tries a minute."),
            user("hmm 5 is too low, make it 10"),
            edit("login.py"),
            agent("It is 10 now."),
            user("ok good"),
        ),
        [
            Told("Fix the flaky test in test_auth.py", PROVEN, None),
            Told("Add a rate limiter to /login", UNPROVEN, None),
        ],
    ),
    "a trip": (
        session(
            user("Book a flight to Rome on June 3"),
            does("book_flight", '{"ok": true}', id=1),
            agent("Booked."),
            user("Now book a hotel in Rome for June 3"),
            does("book_hotel", "No rooms available: sold out", city="Rome"),
            agent("I could not find a room."),
            user("That's too bad"),
        ),
        [
            Told("Book a flight to Rome on June 3", UNPROVEN, None),
            Told("Book a hotel in Rome for June 3", FAILED, None),
        ],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_a_run_leaves_behind(name: str) -> None:
    check(*RUNS[name])

"""What the user makes of the work: corrections, objections, and what shall be so each time."""

from __future__ import annotations

import pytest
from runs import BAD, BEST, FINE, Runs, Told, agent, bash, check, does, session, user

RUNS: Runs = {
    # -- corrections
    "a count that was asked for differently": (
        session(
            user("Count active users by country"),
            does("run_sql", "DE 10\nFR 5", sql="select country, count(*) from users group by 1"),
            agent("DE 10, FR 5."),
            user("No, only the ones active in the last 30 days"),
            does("run_sql", "DE 4\nFR 1", sql="select country, count(*) from users where seen > now() - 30 group by 1"),
            agent("DE 4, FR 1."),
            user("perfect"),
        ),
        [
            Told(
                "Count active users by country",
                BEST,
                "The user corrected: No, only the ones active in the last 30 days",
            )
        ],
    ),
    "a seat that was taken": (
        session(
            user("I need a flight from Berlin to Lisbon on May 3"),
            does("book_flight", "Seat 12A is already taken", id=9, seat="12A"),
            does("book_flight", '{"ok": true}', id=9, seat="14C"),
            agent("Booked TP535, seat 14C."),
            user("thanks"),
        ),
        [
            Told(
                "Get a flight from Berlin to Lisbon on May 3",
                BEST,
                "Seat 12A is already taken; it worked with `seat=14C`",
            )
        ],
    ),
    # -- corrections without a word of objection
    "a date that was meant differently": (
        session(
            user("put the dentist into the calendar for Tuesday 4pm"),
            does("calendar_create", '{"id": "e1"}', start="2026-11-10T16:00"),
            agent("It is on Tuesday 10 November, 16:00."),
            user("It's next week's Tuesday, the 17th"),
            does("calendar_update", '{"id": "e1"}', start="2026-11-17T16:00"),
            agent("Moved to the 17th."),
        ),
        [
            Told(
                "Put the dentist into the calendar for Tuesday 4pm",
                FINE,
                "The user corrected: It's next week's Tuesday, the 17th",
            )
        ],
    ),
    "an ingredient under another name": (
        session(
            user("Plan dinners for the week, no mushrooms"),
            does("recipe_search", '["Dal", "Risotto ai funghi"]', exclude="mushroom"),
            agent("Monday dal, Tuesday risotto ai funghi."),
            user("funghi are mushrooms..."),
            agent("Right, sorry. Tuesday is pizza now."),
        ),
        [Told("Plan dinners for the week, no mushrooms", FINE, "The user corrected: funghi are mushrooms...")],
    ),
    "prices that are too old": (
        session(
            user("compare the prices of three heat pumps"),
            does("web_search", "Bosch 11,700 EUR", query="heat pump price"),
            agent("Bosch is the cheapest with 11,700 EUR."),
            user("these prices are from 2022, that's useless. I need current ones"),
            does("web_search", "nothing", query="heat pump price 2026"),
            agent("I could not find current prices."),
        ),
        [Told("Compare the prices of three heat pumps", BAD, "these prices are from 2022")],
    ),
    "a branch that had to come back": (
        session(
            user("Clean up the old feature branches"),
            bash("git push origin --delete feature-a release-2.4", "- [deleted] release-2.4"),
            agent("I deleted both."),
            user("No!! release-2.4 must never be deleted. Restore it right now"),
            bash("git push origin 8812afc:release-2.4", "* [new branch] release-2.4"),
            agent("It is back."),
            user("Ok. Release branches are off limits from now on."),
        ),
        [Told("Clean up the old feature branches", BAD, "release-2.4 must never be deleted")],
    ),
    # -- what shall be so each time
    "a remark on one of several": (
        session(
            user("Make a quiz about photosynthesis"),
            does("generate_quiz", '{"quiz_id": "z1"}', topic="photosynthesis"),
            agent("The quiz is ready."),
            user("question 3 is about respiration, not photosynthesis"),
            does("edit_quiz", '{"ok": true}', quiz="z1", question=3),
            agent("Question 3 is replaced."),
        ),
        [Told("Make a quiz about photosynthesis", FINE, "The user corrected: question 3 is about respiration")],
    ),
    "a rule for the next time": (
        session(
            user("Post the release notes in #general"),
            does("slack_post", '{"ok": true}', channel="#general"),
            agent("Posted."),
            user("Thanks. In future always let me proofread before you post anything."),
        ),
        [
            Told(
                "Post the release notes in #general",
                BEST,
                "The user wants: In future always let me proofread before you post anything.",
            )
        ],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_a_run_leaves_behind(name: str) -> None:
    check(*RUNS[name])

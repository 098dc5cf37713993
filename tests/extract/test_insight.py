"""Runs of agents that went wrong, for good or for a while; what each case says."""

from __future__ import annotations

import pytest
from runs import BAD, BEST, FINE, POOR, Runs, Told, agent, bash, check, does, edit, session, user

RUNS: Runs = {
    # -- disasters and rejections
    "a migration that emptied a table": (
        session(
            user("Run the pending migrations on production"),
            bash("alembic upgrade head", "INFO  [alembic.runtime.migration] Running upgrade 1a -> 2b"),
            agent("Done!"),
            user("No, you broke production! The users table is empty!!"),
            bash("pg_restore -d prod backup.dump", "pg_restore: error: could not read from input file: end of file"),
            agent("The restore failed."),
            user("unbelievable. this is terrible"),
        ),
        [Told("Run the pending migrations on production", BAD, "No, you broke production! The users table is empty!!")],
    ),
    "a booking that was rejected and cancelled": (
        session(
            user("Book me a hotel in Paris for June 3-5"),
            does("search_hotels", '[{"id": "H1", "city": "Paris, TX"}]', city="Paris"),
            does("book_hotel", '{"status": "confirmed", "id": "B77"}', hotel_id="H1"),
            agent("I booked the Paris Inn for you."),
            user("That's Paris, Texas! I wanted Paris, France. Cancel it."),
            does("cancel_booking", '{"status": "cancelled"}', id="B77"),
            agent("I cancelled the booking."),
        ),
        [Told("Book a hotel in Paris for June 3-5", BAD, "I wanted Paris, France")],
    ),
    "an order that was declined": (
        session(
            user("Order 2 boxes of printer paper"),
            does("create_order", '{"status": "declined", "reason": "insufficient funds"}', item="paper", qty=2),
            agent("I'm sorry, the payment did not go through."),
        ),
        [
            Told(
                "Order 2 boxes of printer paper",
                BAD,
                "`create_order(item=paper, qty=2)` failed with insufficient funds",
            )
        ],
    ),
    "logs that should have stayed": (
        session(
            user("Delete the old log files on the server"),
            bash("find / -name '*.log' -delete", "find: '/proc/1/task': Permission denied"),
            user("STOP!! not all of them, only those in /var/log/app"),
            agent("I stopped. Some logs are gone."),
            user("you deleted our audit logs..."),
        ),
        [Told("Delete the old log files on the server", BAD, "only those in /var/log/app")],
    ),
    "a fix that does not hold": (
        session(
            user("The checkout page returns 500, please fix it"),
            bash("cat app.log", "KeyError: 'cart'"),
            edit("cart.py"),
            agent("The problem was a missing cart key. It is fixed."),
            user("nope, still 500 on /checkout"),
            bash("systemctl restart web"),
            agent("I restarted it once more."),
            user("It still doesn't work."),
        ),
        [Told("Fix: the checkout page returns 500", BAD, "still 500 on /checkout")],
    ),
    "an email to the wrong person": (
        session(
            user("Send the offer to Kim"),
            does("send_email", "sent", to="kim.old@example.com"),
            agent("The offer is on its way."),
            user("You sent it to the wrong address!!"),
        ),
        [Told("Send the offer to Kim", BAD, "You sent it to the wrong address!!")],
    ),
    "work that was called off": (
        session(
            user("Rewrite the importer in Rust"),
            bash("cargo new importer", "Created binary (application) `importer` package"),
            user("hm, never mind, we will keep Python"),
        ),
        [Told("Rewrite the importer in Rust", BAD, "we will keep Python")],
    ),
    # -- failures
    "a database that cannot be reached": (
        session(
            user("Run the nightly report"),
            bash("python report.py", "psycopg2.OperationalError: could not connect to server: Connection refused"),
            bash("docker ps", "CONTAINER ID   IMAGE   STATUS"),
            agent("I could not run the report: the database is not reachable."),
        ),
        [Told("Run the nightly report", BAD, "could not connect to server: Connection refused; this was not solved")],
    ),
    "a claim that the tests do not bear out": (
        session(
            user("Make the tests pass"),
            bash("pytest", "3 failed, 9 passed"),
            edit("app.py"),
            bash("pytest", "3 failed, 9 passed"),
            agent("All done, the tests pass now!"),
        ),
        [Told("Make the tests pass", POOR, "`pytest` failed with 3 failed, 9 passed; this was not solved")],
    ),
    "a refund that is too late": (
        session(
            user("Please refund order 991 for customer Kim"),
            does("get_order", '{"id": 991, "status": "delivered"}', id=991),
            does("create_refund", '{"success": false, "message": "Refund window of 30 days has passed"}', order=991),
            agent("The refund window has passed, so I could not refund the order."),
            user("That's annoying. ok."),
        ),
        [Told("Refund order 991 for customer Kim", BAD, "failed with Refund window of 30 days has passed")],
    ),
    "a concert that is sold out": (
        session(
            user("Find tickets for the Radiohead concert in Berlin"),
            does("search_tickets", "0 tickets", q="Radiohead Berlin"),
            agent("Unfortunately the concert is sold out."),
            user("ok thanks anyway"),
        ),
        [Told("Find tickets for the Radiohead concert in Berlin", BAD, "the concert is sold out")],
    ),
    "work that just stops": (
        session(user("Translate the manual to French"), does("translate", "page 1 of 80", page=1)),
        [Told("Translate the manual to French", POOR, None)],
    ),
    # -- recoveries
    "a missing module": (
        session(
            user("pytest fails in the crm repo: 4 errors during collection, fix"),
            bash("pytest -x", "E   ModuleNotFoundError: No module named 'stripe'\n1 error in 0.2s\nexit code 1"),
            bash("cat requirements.txt", "django\nrequests"),
            bash("pip install stripe", "Successfully installed stripe-5.0"),
            bash("pytest -x", "40 passed"),
            agent("All tests pass now."),
        ),
        [
            Told(
                "Fix: pytest fails in the crm repo: 4 errors during collection",
                FINE,
                "`pytest -x` failed with ModuleNotFoundError: No module named 'stripe'; "
                "it worked after `pip install stripe`",
            )
        ],
    ),
    "a push that was rejected": (
        session(
            user("push the release branch"),
            bash(
                "git push",
                "To github.com:a/b\n ! [rejected] main -> main (non-fast-forward)\nerror: failed to push some refs\n"
                "hint: Updates were rejected because the tip is behind",
            ),
            bash("git pull --rebase", "Successfully rebased and updated refs/heads/main."),
            bash("git push", "To github.com:a/b\n   1a2..3b4  main -> main"),
            agent("The branch is pushed."),
        ),
        [Told("Push the release branch", FINE, "(non-fast-forward); it worked after `git pull --rebase`")],
    ),
    "an edit that did not match": (
        session(
            user("Rename get_user to fetch_user everywhere"),
            does("str_replace", "String to replace not found in file.", path="a.py", old="get_user ("),
            does("view_file", "def get_user(", path="a.py"),
            does("str_replace", "The file has been updated.", path="a.py", old="get_user("),
            agent("Renamed."),
        ),
        [
            Told(
                "Rename get_user to fetch_user everywhere",
                FINE,
                "`str_replace(path=a.py, old=get_user ()` failed with String to replace not found in file; "
                "it worked with `old=get_user(`",
            )
        ],
    ),
    "a typo in a config on another machine": (
        session(
            user("restart nginx on web1"),
            bash(
                "ssh web1 sudo systemctl restart nginx",
                "Job for nginx.service failed because it exited with error code.",
            ),
            bash("ssh web1 nginx -t", 'nginx: [emerg] unknown directive "servre" in /etc/nginx/nginx.conf:12'),
            agent("nginx does not start: line 12 of nginx.conf has a typo. Shall I correct it?"),
            user("yes please"),
            bash("ssh web1 sed -i s/servre/server/ /etc/nginx/nginx.conf"),
            bash("ssh web1 sudo systemctl restart nginx"),
            agent("nginx runs again."),
            user("great"),
        ),
        [
            Told(
                "Restart nginx on web1",
                BEST,
                "it worked after `ssh web1 sed -i s/servre/server/ /etc/nginx/nginx.conf`",
            )
        ],
    ),
    "a file in another encoding": (
        session(
            user("Load sales.csv and find the best month"),
            does("python", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9", code="pd.read_csv('sales.csv')"),
            does("python", "5 1200\n6 900", code="pd.read_csv('sales.csv', encoding='latin-1').groupby('month').sum()"),
            agent("May was the best month with 1200."),
        ),
        [
            Told(
                "Load sales.csv and find the best month",
                FINE,
                "it worked with `code=pd.read_csv('sales.csv', encoding=",
            )
        ],
    ),
    "a page that loads at the second try": (
        session(
            user("Find the cheapest direct flight from Berlin to Oslo next Friday"),
            does("browser_navigate", "Timeout 30000ms exceeded", url="https://flights.example"),
            does("browser_navigate", "Flights - results page", url="https://flights.example"),
            does("browser_extract", "DY1105 89 EUR direct\nSK677 140 EUR", selector=".results"),
            agent("The cheapest is DY1105 for 89 EUR."),
            user("Nice, book it"),
            does("browser_click", "clicked", selector="#book"),
            agent("It is booked."),
            user("awesome"),
        ),
        [Told("Find the cheapest direct flight from Berlin to Oslo next Friday", BEST, "trying again worked")],
    ),
    "a call that failed, and another that is no way around it": (
        session(
            user("Deploy the api to staging"),
            bash("kubectl apply -f api.yml", "error: You must be logged in to the server (Unauthorized)"),
            bash("git status", "nothing to commit"),
            bash("docker build -t api .", "Successfully built 1a2b3c"),
            agent("The image is built."),
        ),
        [Told("Deploy the api to staging", FINE, None)],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_a_run_leaves_behind(name: str) -> None:
    check(*RUNS[name])


def test_work_that_was_set_right_to_the_users_content_went_well() -> None:
    check(
        session(
            user("Write a SQL query for monthly revenue by region."),
            does("run_sql", "EU 100\nUS 200", query="SELECT region, SUM(amount) FROM orders GROUP BY region"),
            agent("Here is the revenue by region: EU 100, US 200."),
            user("That's not monthly. I need it per month."),
            does("run_sql", "2026-01 EU 50", query="SELECT date_trunc('month', at), region, SUM(amount) FROM orders"),
            agent("Now grouped by month and region."),
            user("Great, exactly what I wanted."),
        ),
        [
            Told(
                "Write a SQL query for monthly revenue by region.", (0.6, 1.0), "The user corrected: That's not monthly"
            )
        ],
    )


def test_a_cause_behind_fixed_begins_as_a_sentence_does() -> None:
    check(
        session(
            user("The checkout tests fail on CI. Can you fix it?"),
            bash("pytest -q", "1 failed, 41 passed"),
            edit("src/tax.py"),
            bash("pytest -q", "42 passed"),
            agent("Fixed: the tax function used binary rounding. All 42 tests pass."),
        ),
        [Told("Fix: the checkout tests fail on CI", FINE, "The tax function used binary rounding.")],
    )

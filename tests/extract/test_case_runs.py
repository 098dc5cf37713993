"""Runs of agents at work: causes, corrections, several tasks, and how people really write; what each case says."""

from __future__ import annotations

import pytest
from runs import BAD, BEST, FINE, Runs, Told, agent, bash, check, does, edit, session, user

RUNS: Runs = {
    # -- the cause is told at the end
    "a login that is slow": (
        session(
            user("Why is the login so slow?"),
            does("run_sql", "Seq Scan on users (cost=0..4000)", sql="explain select * from users where email='x'"),
            does("run_sql", "CREATE INDEX", sql="create index on users(email)"),
            agent("The users table had no index on email, so each login read all of it. I created one."),
        ),
        [
            Told(
                "Why is the login so slow?",
                FINE,
                "The users table had no index on email, so each login read all of it.",
            )
        ],
    ),
    "a guess that was wrong, and the cause": (
        session(
            user("The nightly backup has been failing since Tuesday. Could you find out why and fix it?"),
            agent("The problem is probably the network. Let me look."),
            bash("journalctl -u backup", "ERROR no space left on device"),
            bash("rm -rf /var/backups/2024"),
            bash("systemctl start backup"),
            agent("The disk was full because old backups were never removed. It runs again."),
        ),
        [
            Told(
                "Fix: the nightly backup has been failing since Tuesday",
                FINE,
                "The disk was full because old backups were never removed.",
            )
        ],
    ),
    "an error that somebody pasted": (
        session(
            user("help, I get this:\n\nTraceback (most recent call last):\n  File \"a.py\"\nKeyError: 'id'\n\nwhy?"),
            bash("cat a.py", "x = row['id']"),
            edit("a.py"),
            bash("python a.py", "done"),
            agent("The reason is that the export writes 'ID' in capitals. I changed the key."),
        ),
        [Told("Fix: KeyError: 'id'", FINE, "The reason is that the export writes 'ID' in capitals.")],
    ),
    # -- nothing to learn
    "a plain answer": (
        session(
            user("How many open tickets are there?"),
            does("list_tickets", "14 open tickets", status="open"),
            agent("There are 14 open tickets."),
        ),
        [Told("How many open tickets are there?", FINE, None)],
    ),
    "a customer who was helped": (
        session(
            user("A customer says her parcel (order 8812) never arrived. Please sort it out."),
            does("get_order", '{"status": "shipped", "carrier": "DHL"}', id=8812),
            does("create_refund", '{"status": "ok", "amount": 30}', order=8812),
            agent("I refunded 30 EUR and wrote to the customer."),
            user("thanks, well done"),
        ),
        [Told("Fix: a customer says her parcel (order 8812) never arrived", BEST, None)],
    ),
    "a number of failures that was asked for": (
        session(
            user("How many logins failed yesterday?"),
            does("query_logs", "412", q="login failed"),
            agent("412 logins failed yesterday."),
        ),
        [Told("How many logins failed yesterday?", FINE, None)],
    ),
    "a polite agent": (
        session(
            user("What is the total of invoice 7?"),
            does("get_invoice", '{"total": 12}', id=7),
            agent("Sorry for the delay! The total of invoice 7 is 12 EUR."),
        ),
        [Told("What is the total of invoice 7?", FINE, None)],
    ),
    "an offer that was declined": (
        session(
            user("Clean up the build folder"),
            bash("rm -rf build", ""),
            agent("The folder is clean. Shall I also remove dist?"),
            user("No, leave dist alone"),
            agent("All right."),
        ),
        [Told("Clean up the build folder", FINE, None)],
    ),
    # -- as people really write
    "a red build": (
        session(
            user("hey, the CI is red on main. mind taking a look?"),
            bash("gh run view --log-failed", "FAILED tests/test_pay.py::test_refund - AssertionError: assert 10 == 12"),
            edit("pay.py"),
            bash("pytest tests/test_pay.py", "1 passed"),
            agent("The refund ignored the fee. I added it and main is green again."),
            user("you rock"),
        ),
        [Told("Fix: the CI is red on main", BEST, "The refund ignored the fee.")],
    ),
    "rows that were no duplicates": (
        session(
            user("Clean up duplicate rows in the customers table"),
            does("execute_sql", "DELETE 48211", query="delete from customers where email in (select email from c)"),
            agent("I removed 48,211 duplicates."),
            user("wait WHAT? we only have 48k customers. You deleted everyone"),
            does(
                "execute_sql",
                'ERROR: relation "customers_backup" does not exist',
                query="insert into customers select * from customers_backup",
            ),
            agent("There is no backup table. I'm sorry."),
        ),
        [Told("Clean up duplicate rows in the customers table", BAD, "You deleted everyone")],
    ),
    "shoes that were changed": (
        session(
            user("Find running shoes size 43 under 100 euros and put them in the cart"),
            does("search_products", "Pegasus 89 EUR\nGhost 120 EUR", q="running shoes 43"),
            does("add_to_cart", '{"success": true}', id="pegasus"),
            agent("The Pegasus for 89 EUR is in your cart."),
            user("These are women's shoes. I need men's."),
            does("remove_from_cart", '{"success": true}', id="pegasus"),
            does("add_to_cart", '{"success": true}', id="pegasus-m"),
            agent("Replaced with the men's model."),
            user("yes that's the one, thank you"),
        ),
        [
            Told(
                "Find running shoes size 43 under 100 euros and put them in the cart",
                FINE,
                "The user corrected: These are women's shoes. I need men's.",
            )
        ],
    ),
    "mail and calendar": (
        session(
            user("Reply to Anna that Thursday is not possible, propose Friday"),
            does("gmail_send", "Message sent", to="anna@x.com"),
            agent("Sent."),
            user("Also block Friday 10-11 in the calendar"),
            does("calendar_create", "Event created", start="Fri 10:00"),
            agent("Blocked."),
            user("and set a reminder an hour before"),
            does("calendar_update", "Event updated", reminder=60),
            agent("Reminder set."),
        ),
        [
            Told("Reply to Anna that Thursday is not possible, propose Friday", FINE, None),
            Told("Block Friday 10-11 in the calendar", FINE, None),
        ],
    ),
    "a driver for another machine": (
        session(
            user("Install the printer driver"),
            bash(
                "sudo dpkg -i driver.deb",
                "dpkg: error processing archive driver.deb (--install):\n package architecture (i386) does not match",
            ),
            agent("The driver only exists for 32-bit."),
            user("forget it then, I'll buy another printer"),
        ),
        [Told("Install the printer driver", BAD, "I'll buy another printer")],
    ),
    "too little memory": (
        session(
            user("Train the churn model and report AUC"),
            bash("python train.py", "epoch 1 loss 0.5\nKilled"),
            bash("python train.py --batch-size 16", "epoch 10 loss 0.2\nAUC 0.91"),
            agent("AUC is 0.91."),
            user("nice"),
        ),
        [
            Told(
                "Train the churn model and report AUC",
                BEST,
                "failed with Killed; it worked with `python train.py --batch-size 16`",
            )
        ],
    ),
    "a list of chores": (
        session(
            user("1. bump deps\n2. fix lint\n3. tag a release"),
            bash("uv lock --upgrade", "Updated"),
            bash("ruff check --fix", "Found 3 errors (3 fixed, 0 remaining)."),
            bash("git tag v1"),
            agent("All three are done."),
        ),
        [Told("Bump deps; Fix lint; Tag a release", FINE, None)],
    ),
    "no permission": (
        session(
            user("Give Bob admin rights on the repo"),
            does("github_add_collaborator", "HTTP 403: Resource not accessible by integration", user="bob"),
            agent("I don't have permission to change collaborators."),
        ),
        [Told("Give Bob admin rights on the repo", BAD, "HTTP 403: Resource not accessible by integration")],
    ),
    "bitter praise": (
        session(
            user("Deploy to prod"),
            bash("./deploy.sh prod", "deployed"),
            agent("Deployed."),
            user("Great, now the whole site is down."),
        ),
        [Told("Deploy to prod", BAD, "now the whole site is down")],
    ),
    "the last word tells of damage": (
        session(
            user("Deploy the new theme"),
            bash("./deploy.sh theme", "deployed"),
            agent("The theme is live."),
            user("The checkout page is blank"),
        ),
        [Told("Deploy the new theme", BAD, "The user objected: The checkout page is blank")],
    ),
    "in German": (
        session(
            user("Bitte buche ein Hotel in Wien"),
            does("book_hotel", '{"status": "confirmed"}', city="Vienna, VA"),
            agent("Gebucht."),
            user("Nein, das ist falsch! Wien in Österreich!"),
        ),
        [Told("Buche ein Hotel in Wien", BAD, "das ist falsch!")],
    ),
    "an angry customer": (
        session(
            user("This is terrible!! My order 5512 never arrived and nobody answers."),
            does("get_order", '{"id": 5512, "status": "lost"}', id=5512),
            does("create_refund", '{"ok": true}', order=5512),
            agent("I'm so sorry. I refunded the order in full."),
            user("ok thank you"),
        ),
        [Told("Fix: my order 5512 never arrived and nobody answers", BEST, None)],
    ),
    "a page that should be faster": (
        session(
            user("The dashboard takes 30s to load, can you make it faster?"),
            does("profile", "N+1 queries in get_widgets", url="/dashboard"),
            edit("widgets.py"),
            agent("With a join it takes 0.4 s."),
        ),
        [Told("Make it faster (The dashboard takes 30s to load)", FINE, None)],
    ),
    "a port that was taken": (
        session(
            user("set up redis locally with docker"),
            bash(
                "docker run -d -p 6379:6379 redis",
                "docker: Error response from daemon: Bind for 0.0.0.0:6379 failed: port is already allocated.",
            ),
            bash("lsof -i :6379", "redis-ser 812"),
            bash("kill 812"),
            bash("docker run -d -p 6379:6379 redis", "f3a9c2b71de"),
            agent("Redis runs in docker."),
        ),
        [Told("Set up redis locally with docker", FINE, "port is already allocated; it worked after `kill 812`")],
    ),
    "a column with a capital": (
        session(
            user("Drop rows without age, then plot the age distribution"),
            does("run_python", "KeyError: 'age'", code="df = df.dropna(subset=['age'])"),
            does("run_python", "Index(['Age', 'Name'])", code="df.columns"),
            does("run_python", "", code="df = df.dropna(subset=['Age'])"),
            does("run_python", "<Figure>", code="df['Age'].hist()"),
            agent("Here is the histogram."),
            user("the bins are too wide"),
            does("run_python", "<Figure>", code="df['Age'].hist(bins=40)"),
            agent("40 bins now."),
            user("better"),
        ),
        [
            Told(
                "Drop rows without age, then plot the age distribution",
                BEST,
                "The user corrected: the bins are too wide",
            )
        ],
    ),
    # -- the second half of long work
    "the end of long work": (
        session(
            bash("python migrate.py mod_31", "ok"),
            bash("pytest", "400 passed"),
            agent("I migrated all 40 modules to the new client and the suite passes."),
            user("Great job"),
        ),
        [Told("Migrated all 40 modules to the new client and the suite passes.", BEST, None)],
    ),
    "the middle of long work, steered": (
        session(
            bash("python migrate.py mod_31", "ok"),
            user("also update the type hints while you are there"),
            bash("python migrate.py mod_32", "ok"),
            agent("mod_31 and mod_32 are migrated."),
            user("Nice work!"),
        ),
        [Told("Update the type hints while you are there", BEST, None)],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_a_run_leaves_behind(name: str) -> None:
    check(*RUNS[name])

"""How a case reads: the request with what it is about, steps without noise, the lesson in words that tell it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from runs import BAD, BEST, FINE, HELPER, Runs, Told, agent, bash, check, does, edit, session, user

from everlore.extract.case import tasks_of, write_case
from everlore.kinds.case import Case
from everlore.types import Cell, Message

RUNS: Runs = {
    # -- the request
    "a question and a further wish": (
        session(
            user("What are the EU rules on battery passports, and when do they apply? I need sources."),
            does("web_search", "1. Regulation 2023/1542", query="battery passport"),
            agent("From 18 February 2027 on."),
        ),
        [Told("What are the EU rules on battery passports, and when do they apply?", FINE, None)],
    ),
    "a request that says nothing of its own": (
        session(
            user("Customer 4471 says she was charged twice for order 9913. Please check and refund if true."),
            does("get_order", '{"payments": 2}', id=9913),
            does("refund", '{"status": "refunded"}', payment="p2"),
            agent("She was charged twice. I refunded 49.90 EUR."),
        ),
        [Told("Check and refund if true (Customer 4471 says she was charged twice for order 9913)", FINE, None)],
    ),
    "the reason before the request": (
        session(
            user("disk usage alert on db-01, can you free some space?"),
            bash("docker system prune -f", "Total reclaimed space: 21.7GB"),
            agent("There is room again."),
        ),
        [Told("Free some space (disk usage alert on db-01)", FINE, None)],
    ),
    "a problem that somebody has an idea of": (
        session(
            user("production deploy went red at the healthcheck, same as staging last week I guess? please fix"),
            edit("deploy.yaml"),
            bash("./deploy.sh", "deployed"),
            agent("Production had the same missing readiness probe. I added it and the deploy is green."),
        ),
        [
            Told(
                "Fix: production deploy went red at the healthcheck",
                FINE,
                "Production had the same missing readiness probe.",
            )
        ],
    ),
    "an order without a verb": (
        session(
            user("lights off downstairs, heating down to 17"),
            does("call_service", '{"success": true}', domain="light"),
            agent("Done, it is 17 degrees now."),
        ),
        [Told("Lights off downstairs, heating down to 17", FINE, None)],
    ),
    "what an agent begins by itself": (
        session(
            agent("Starting the nightly backup of the orders database."),
            bash("pg_dump orders", ""),
            agent("Backup finished: 412 MB."),
        ),
        [Told("Start the nightly backup of the orders database.", FINE, None)],
    ),
    "a machine that says nothing": (
        session(
            does("check_queue", '{"depth": 1812}', name="emails"),
            does("restart_worker", '{"restarted": true}', name="email-worker"),
        ),
        [Told("Use check_queue (emails), restart_worker (email-worker)", FINE, None)],
    ),
    "a title before a name": (
        session(
            user("I'd like to move my appointment with Dr. Weiss to Friday"),
            does("move_appointment", '{"status": "moved"}', id="a9"),
            agent("It is on Friday."),
        ),
        [Told("Move my appointment with Dr. Weiss to Friday (asked by Alice)", FINE, None)],
    ),
    # -- causes
    "a cause with its consequence": (
        session(
            user("docker build takes 14 minutes. make it faster"),
            edit("Dockerfile"),
            agent("It takes a minute now. The sources were copied first, so every change threw away the layer."),
        ),
        [
            Told(
                "Make it faster (docker build takes 14 minutes)",
                FINE,
                "The sources were copied first, so every change threw away the layer.",
            )
        ],
    ),
    "how things had been": (
        session(
            user("the rust build doesn't compile any more"),
            bash("cargo build", "error[E0432]: unresolved import `serde_yaml`"),
            bash("cargo add serde_yaml", "Adding serde_yaml to dependencies"),
            bash("cargo build", "Finished `dev` profile"),
            agent("It builds again. The merge had dropped serde_yaml from Cargo.toml."),
        ),
        [
            Told(
                "Fix: the rust build doesn't compile any more",
                FINE,
                "The merge had dropped serde_yaml from Cargo.toml.",
            )
        ],
    ),
    "something that was done to a thing": (
        session(
            user("The total is wrong for customers with two coupons. Please fix it."),
            edit("coupons.py"),
            agent("Fixed. The second coupon was applied to the original price. I added a test."),
        ),
        [
            Told(
                "Fix: the total is wrong for customers with two coupons",
                FINE,
                "The second coupon was applied to the original price.",
            )
        ],
    ),
    "how things are is no cause": (
        session(
            user("cert on api.acme.io has expired!! fix asap"),
            bash("certbot renew", "Congratulations, all renewals succeeded"),
            agent("The certificate of api.acme.io is renewed and valid for 90 days."),
        ),
        [Told("Fix: cert on api.acme.io has expired", FINE, None)],
    ),
    "what was left undone is no cause": (
        session(
            user("Add a column vat_id and migrate the dev database"),
            bash("alembic upgrade head", "sqlalchemy.exc.OperationalError: canceling statement due to lock timeout"),
            agent("I couldn't run the migration. The file is there, but the column has not been added."),
        ),
        [
            Told(
                "Add a column vat_id and migrate the dev database",
                BAD,
                "canceling statement due to lock timeout; this was not solved",
            )
        ],
    ),
    "a remark to a command changes nothing": (
        session(
            user("Get the build going"),
            does("Bash", "error[E0382]: borrow of moved value: `cfg`", command="cargo build", description="Build"),
            does("Edit", "The file has been updated.", file_path="main.rs"),
            does("Bash", "Finished `dev` profile", command="cargo build", description="Build again"),
            agent("It builds."),
        ),
        [Told("Get the build going", FINE, "it worked after `Edit(file_path=main.rs)`")],
    ),
    "words of a long text that made it work": (
        session(
            user("How did revenue develop?"),
            does("sql", 'ERROR: column "revenue" does not exist', sql=f"SELECT sum(revenue) FROM s {'x ' * 60}"),
            does("sql", "4.1M", sql=f"SELECT sum(net_revenue) FROM s {'x ' * 60}"),
            agent("It is 4.1M."),
        ),
        [Told("How did revenue develop?", FINE, "it worked with `sum(net_revenue)` instead of `sum(revenue)`")],
    ),
    "a request for the difference": (
        session(
            user("The October bank statement doesn't reconcile, we're off by 1,240.50. Find the difference."),
            does("match_ledger", "212 matched, 2 unmatched", month="2026-10"),
            agent("Invoice 8841 was paid twice."),
        ),
        [
            Told(
                "Find the difference (The October bank statement doesn't reconcile, we're off by 1,240.50)",
                FINE,
                "Invoice 8841 was paid twice.",
            )
        ],
    ),
    "a problem in any words": (
        session(
            user("It's freezing in the bathroom every morning, fix that"),
            does("set_schedule", '{"ok": true}', zone="bathroom", start="06:00"),
            agent("The bathroom was only heated from 7:30 on. It starts at 6:00 now."),
        ),
        [Told("Fix: it's freezing in the bathroom every morning", FINE, "The bathroom was only heated from 7:30 on.")],
    ),
    "help where the agent could not go on": (
        session(
            user("Grade the essays in the folder"),
            does("read_file", "Error: file is encrypted", path="b.docx"),
            agent("I could not grade b: the file is encrypted."),
            user("b's password is rome"),
            does("read_file", "All roads", path="b.docx", password="rome"),
            agent("b gets a B."),
        ),
        [Told("Grade the essays in the folder", FINE, "file is encrypted; it worked with `password=rome`")],
    ),
    "a wish for the next time is no task": (
        session(
            user("raise all winter coats by 8 percent"),
            does("update_prices", "Updated 212 products", category="coats", percent=8),
            agent("I raised 212 prices."),
            user("I said WINTER coats. You changed the rain coats as well!!"),
            does("update_prices", "Updated 61 products", category="rain_coats", percent=-7.41),
            agent("I put the rain coats back to their old prices."),
            user("next time check the subcategory first"),
        ),
        [Told("Raise all winter coats by 8 percent", FINE, "The user wants: next time check the subcategory first")],
    ),
    "a log of a failure that is only read": (
        session(
            agent("Webhook received: build 5512 failed on main."),
            does("get_build_log", "step 4/9: npm ci\nnpm ERR! code EINTEGRITY", build=5512),
            does("clear_cache", "cache cleared", name="npm"),
            does("retry_build", '{"status": "success"}', build=5512),
            agent("Build 5512 is green."),
        ),
        [Told("Webhook received: build 5512 failed on main.", (0.8, 0.8), None)],
    ),
    # -- how well
    "a failure that was found, not met": (
        session(
            user("Check our landing page for dead links"),
            does("http_get", "<html><a href='/old'>x</a></html>", url="https://acme.io"),
            does("http_get", "404 Not Found", url="https://acme.io/old"),
            agent("One link is dead: /old."),
        ),
        [Told("Check our landing page for dead links (asked by Alice)", FINE, None)],
    ),
    "praise of the one who helped": (
        session(
            user("Find three florists that deliver on Sunday"),
            does("web_search", "1. Anna 2. Florium 3. Rosenhof", query="florist Sunday"),
            agent("Anna, Florium and Rosenhof do."),
            user("You saved my weekend!"),
        ),
        [Told("Find three florists that deliver on Sunday", BEST, None)],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_a_run_leaves_behind(name: str) -> None:
    check(*RUNS[name])


# -- the steps


def written(cell: Cell) -> Case:
    [task] = tasks_of(cell, HELPER)
    return write_case(task, cell, HELPER, "ac_1")


def steps(*parts: list[Message]) -> list[str]:
    return written(session(*parts)).approach.splitlines()


def test_an_answer_is_told_as_far_as_there_is_room() -> None:
    told = steps(user("Is all well?"), bash("ping a", "ok"), agent("auth runs. billing has no redis. search is down."))
    assert told[-1] == "2. Result: auth runs. billing has no redis. search is down."


def test_a_list_reads_as_a_sentence() -> None:
    told = steps(
        user("Sum it up"), does("read_doc", "x y", id=1), agent("- Budget approved\n- Launch in May\n- Ivo left")
    )
    assert told[-1] == "2. Result: Budget approved; Launch in May; Ivo left"


def test_what_an_agent_will_do_is_no_step() -> None:
    [call, result] = bash("ls", "a.py")
    told = steps(user("Look around"), [replace(call, text="Let me look. The tree is odd."), result], agent("One file."))
    assert told == ["1. Said: The tree is odd.", "2. `bash(command=ls)`: ok: a.py", "3. Result: One file."]


def test_announcements_do_not_keep_a_row_of_calls_apart() -> None:
    read = [does("Read", "x = 1", file_path=f"m{number}.py") for number in range(9)]
    rows = [[replace(call, text="Looking at the next module."), result] for call, result in read]
    told = steps(user("Look around"), *rows, agent("Nine files."))
    assert told[1:] == [
        "2. … 7 more calls of Read (ok)",
        "3. `Read(file_path=m8.py)`: ok: x = 1",
        "4. Result: Nine files.",
    ]


def test_commands_of_one_tool_are_not_shortened_like_calls_of_one_kind() -> None:
    lines = ["df -h /", "du -sh /var", "sudo docker system prune -f", "journalctl --vacuum-size=1M", "df -h /home"]
    told = steps(
        user("Make room"), *(does("ssh_exec", "x", host="web", command=line) for line in lines), agent("Done.")
    )
    assert len(told) == len(lines) + 1


def test_a_command_that_came_word_by_word_is_a_line() -> None:
    told = steps(user("Vet it"), does("shell", "clean", command=["bash", "-lc", "go vet ./..."]))
    assert told == ["1. `shell(command=go vet ./...)`: ok: clean"]

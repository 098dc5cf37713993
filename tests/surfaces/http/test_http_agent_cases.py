"""Cases and skills through the API: what agents that really work leave behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from serving import Api

AT = 1_780_000_000_000
DAY = 86_400_000

Turn = tuple[str, str] | tuple[str, str, str]
"""Who speaks and what; for a command also what it printed."""


def work(api: Api, session_id: str, *turns: Turn, at: int = AT, tool: str = "bash") -> None:
    """One session: `("alice", words)`, `("bot", words)`, `("$", command, output)`."""
    messages: list[dict[str, Any]] = []
    for number, (who, text, *output) in enumerate(turns):
        moment = at + 10_000 * number
        if who == "$":
            call = {"name": tool, "arguments": json.dumps({"command": text})}
            calls = [{"id": f"c{number}", "type": "function", "function": call}]
            messages += [
                {"sender_id": "bot", "role": "assistant", "timestamp": moment, "content": "", "tool_calls": calls},
                {
                    "sender_id": "bot",
                    "role": "tool",
                    "timestamp": moment + 1,
                    "content": output[0],
                    "tool_call_id": f"c{number}",
                },
            ]
        else:
            role = "assistant" if who == "bot" else "user"
            messages.append({"sender_id": who, "role": role, "timestamp": moment, "content": text})
    for start in range(0, len(messages), 100):
        api.ok("add", session_id=session_id, messages=messages[start : start + 100])
    api.ok("flush", session_id=session_id)


def cases(api: Api, count: int, **filters: Any) -> list[dict[str, Any]]:
    """In the order in which they were written."""
    ask: dict[str, Any] = {"agent_id": "bot", "memory_type": "agent_case", "page_size": 50}
    if filters:
        ask["filters"] = filters
    found = api.until("get", lambda data: data["count"] == count, **ask)["agent_cases"]
    return sorted(found, key=lambda case: str(case["id"]))


def skills(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.ok("get", agent_id="bot", memory_type="agent_skill")["agent_skills"]
    return found


def _folder(api: Api) -> Path:
    return api.root / api.app_id / api.project_id


MORNING: list[Turn] = [
    ("alice", "Add a --verbose flag to the CLI"),
    ("$", "sed -i s/quiet/verbose/ cli.py", ""),
    ("$", "pytest", "12 passed"),
    ("bot", "I added the --verbose flag."),
    ("alice", "Nice. Now bump the version"),
    ("$", "bump2version minor", ""),
    ("bot", "The version is 1.3.0 now."),
    ("alice", "The docs build is broken, can you look?"),
    ("$", "mkdocs build", "ERROR   -  Config value 'nav': Required configuration not provided."),
    ("$", "cat mkdocs.yml", "site_name: x"),
    ("$", "cp mkdocs.sample.yml mkdocs.yml", ""),
    ("$", "mkdocs build", "INFO    -  Documentation built in 0.30 seconds"),
    ("bot", "The docs build again."),
]


def test_a_session_of_several_tasks_has_a_case_for_each(api: Api) -> None:
    work(api, "morning", *MORNING)
    first, second, third = cases(api, 3, session_id="morning")
    assert first["task_intent"] == "Add a --verbose flag to the CLI"
    assert second["task_intent"] == "Bump the version"
    assert third["task_intent"] == "Fix: the docs build is broken"
    assert first["quality_score"] > second["quality_score"]
    assert "Required configuration not provided" in third["key_insight"]
    assert "after `cp mkdocs.sample.yml mkdocs.yml`" in third["key_insight"]
    assert "mkdocs" not in first["approach"]
    assert "pytest" not in third["approach"]
    assert len({case["id"] for case in (first, second, third)}) == 3
    for asked, case in (("bump the version", second), ("mkdocs documentation build", third), ("verbose flag", first)):
        data = api.until("search", lambda d: len(d["agent_cases"]) == 3, agent_id="bot", query=asked, top_k=5)
        assert data["agent_cases"][0]["id"] == case["id"]


def test_the_same_messages_again_add_no_case(api: Api) -> None:
    work(api, "morning", *MORNING)
    work(api, "morning", *MORNING)
    assert len(cases(api, 3)) == 3


def test_disasters_make_no_skill(api: Api) -> None:
    for number, host in enumerate(("production", "the eu cluster", "the us cluster")):
        work(
            api,
            f"s{number}",
            ("alice", f"Run the pending migrations on {host}"),
            ("$", "alembic upgrade head", "INFO Running upgrade 1a -> 2b"),
            ("bot", "Done!"),
            ("alice", "No, you broke production! The users table is empty!!"),
            ("$", "pg_restore -d prod b.dump", "pg_restore: error: could not read from input file: end of file"),
            ("bot", "The restore did not work."),
            ("alice", "unbelievable. this is terrible"),
            at=AT + number * DAY,
        )
    found = cases(api, 3)
    assert all(case["quality_score"] < 0.5 for case in found)
    assert all(case["key_insight"] is None for case in found), "anger teaches nothing"
    assert all("`bash(command=pg_restore -d prod b.dump)`: error: " in case["approach"] for case in found)
    assert skills(api) == []


def test_a_skill_shows_what_worked_and_nothing_of_what_did_not(api: Api) -> None:
    task = "Rotate the nginx logs on the {} host"
    good: list[Turn] = [
        ("$", "logrotate -f nginx.conf", "rotated 3 files"),
        ("$", "systemctl reload nginx", "exit code: 0"),
        ("bot", "The logs are rotated."),
    ]
    for number, host in enumerate(("staging", "backup")):
        work(api, f"s{number}", ("alice", task.format(host)), *good, at=AT + number * DAY)
    work(
        api,
        "bad",
        ("alice", task.format("production")),
        ("$", "rm -rf /var/log/nginx", ""),
        ("bot", "Done."),
        ("alice", "What have you done?! All the logs are gone!"),
        at=AT + 5 * DAY,
    )
    cases(api, 3)
    [skill] = skills(api)
    assert "1. `logrotate -f nginx.conf`\n2. `systemctl reload nginx`" in skill["content"]
    assert "rm -rf" not in skill["content"]
    assert len(skill["source_case_ids"]) == 2


def test_a_flight_and_a_hotel_are_two_skills(api: Api) -> None:
    for number, city in enumerate(("Rome", "Oslo", "Lisbon")):
        for at, what in enumerate(("flight to", "hotel in")):
            work(
                api,
                f"{what}-{city}",
                ("alice", f"Book a {what} {city} for June {number + 3}"),
                ("$", f"find-{what.split()[0]} {city}", "2 found"),
                ("$", f"book-{what.split()[0]} {city}", "confirmed\nexit code: 0"),
                ("bot", f"Your {what} {city} is booked."),
                at=AT + (2 * number + at) * DAY,
            )
    cases(api, 6)
    names = {skill["name"]: skill for skill in skills(api)}
    assert set(names) == {"book-flight", "book-hotel"}
    assert all(len(skill["source_case_ids"]) == 3 for skill in names.values())


def test_a_problem_makes_a_skill_that_can_be_read(api: Api) -> None:
    for number, repo in enumerate(("crm", "billing")):
        work(
            api,
            f"s{number}",
            ("alice", f"pytest fails in the {repo} repo: ModuleNotFoundError: No module named 'stripe'. fix"),
            ("$", "pytest -x", "E   ModuleNotFoundError: No module named 'stripe'\nexit code 1"),
            ("$", "pip install stripe", "Successfully installed stripe-5.0"),
            ("$", "pytest -x", "40 passed in 2.1s"),
            ("bot", "All tests pass."),
            at=AT + number * DAY,
        )
    for case in cases(api, 2):
        assert case["task_intent"].startswith("Fix: pytest fails in the ")
        assert case["key_insight"] == (
            "`pytest -x` failed with ModuleNotFoundError: No module named 'stripe'; "
            "it worked after `pip install stripe`"
        )
    [skill] = skills(api)
    assert skill["description"] == "How to fix: pytest fails (from 2 runs)"


def test_a_long_task_that_is_cut_keeps_a_task_on_both_sides(api: Api) -> None:
    modules: list[Turn] = [("$", f"python migrate.py mod_{number}", "ok") for number in range(90)]
    work(
        api,
        "long",
        ("alice", "Migrate all modules to the new client"),
        *modules,
        ("bot", "I migrated all 90 modules to the new client."),
        ("alice", "Great job"),
    )
    first, second = cases(api, 2)
    assert first["task_intent"] == "Migrate all modules to the new client"
    assert second["task_intent"] == "Migrated all 90 modules to the new client."


@pytest.mark.parametrize(
    "output",
    [
        "npm ERR! code ERESOLVE",
        "Killed",
        "BUILD FAILED",
        "make: *** [all] Error 2",
        "curl: (6) Could not resolve host: x",
    ],
)
def test_a_failure_is_told_as_one(api: Api, output: str) -> None:
    work(api, "s", ("alice", "Build the app"), ("$", "make all", output), ("bot", "It does not build yet."))
    [case] = cases(api, 1)
    assert case["approach"].startswith("1. `bash(command=make all)`: error: ")
    assert case["key_insight"] is None, "nobody knows yet how it is solved"
    assert case["quality_score"] < 0.5


DEPLOYED: tuple[Turn, ...] = (
    ("alice", "Please deploy the shop to production."),
    ("$", "deploy --prod", "deployed v1.2.3"),
    ("bot", "Done: version v1.2.3 is live."),
)


def test_forgetting_a_talk_takes_what_the_agent_did_in_it(api: Api) -> None:
    work(api, "run", *DEPLOYED)
    work(api, "other", ("alice", "Clean up"), ("$", "clean", "removed 3 files"), at=AT + DAY)
    (talk,) = api.ok("get", user_id="alice", memory_type="episode", filters={"session_id": "run"})["episodes"]
    cases(api, 2)
    api.ok("delete", user_id="alice", id=talk["id"])
    assert [case["session_id"] for case in cases(api, 1)] == ["other"]
    assert "deploy --prod" not in "".join(file.read_text("utf-8") for file in _folder(api).rglob("*.md"))
    work(api, "run", *DEPLOYED)  # nothing of it is left, so it is new
    assert [found["id"] for found in cases(api, 1, session_id="run")] == ["bot_ac_20260528_00000002"]
    assert api.ok("get", user_id="alice", memory_type="episode")["total_count"] == 2


def test_forgetting_a_talk_takes_what_a_skill_says_because_of_it(api: Api) -> None:
    def renew(number: int) -> None:
        tried = ("$", "certbot renew", "Error: port 80 is taken\nexit code 1")
        stop, worked = ("$", "systemctl stop nginx", ""), ("$", "certbot renew", "renewed\nexit code: 0")
        lesson: tuple[Turn, ...] = (tried, stop, worked) if number == 1 else (stop, worked)
        asked = ("alice", f"Renew the certificate of host {number}")
        work(api, f"s{number}", asked, *lesson, ("bot", "Renewed."), at=AT + number * DAY)

    for number in range(3):
        renew(number)
    cases(api, 3)
    (skill,) = skills(api)
    assert "port 80 is taken" in skill["content"]
    for number, left in ((1, 2), (0, 0)):
        ask = {"user_id": "alice", "memory_type": "episode", "filters": {"session_id": f"s{number}"}}
        (talk,) = api.ok("get", **ask)["episodes"]
        api.ok("delete", user_id="alice", id=talk["id"])
        found = skills(api)
        assert [len(one["source_case_ids"]) for one in found] == ([left] if left else [])
        assert all("port 80" not in one["content"] for one in found)
    assert list(_folder(api).rglob("SKILL.md")) == []


def test_what_only_an_agent_did_can_be_told_again_once_all_its_cases_are_deleted(api: Api) -> None:
    run = (
        *DEPLOYED[1:],
        ("bot", "Next I clean up the logs."),
        ("$", "clean", "removed 3 files"),
        ("bot", "All clean."),
    )
    work(api, "run", *run)
    for case in api.ok("get", agent_id="bot", memory_type="agent_case")["agent_cases"]:
        api.ok("delete", agent_id="bot", id=case["id"])
    work(api, "run", *run)
    assert api.ok("get", agent_id="bot", memory_type="agent_case")["total_count"] >= 1

"""What a tool call does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from everlore.extract.agent.action import Action, action_of


def command(line: str) -> Action:
    return action_of("bash", json.dumps({"command": line}))


@pytest.mark.parametrize(
    ("line", "kind", "manner"),
    [
        ("pytest -x", "pytest", "runs"),
        ("cd /app && python -m pytest -x 2>&1 | tail -20", "pytest", "runs"),
        ("FOO=1 uv run pytest tests/a.py", "pytest", "runs"),
        ("timeout 60 python train.py --lr 3", "train.py", "runs"),
        ("pip3 install stripe", "pip install", "runs"),
        ("sudo apt-get install -y jq", "apt install", "runs"),
        ("git add . && git commit -m 'fix; now && then' && git push origin main", "git push", "runs"),
        ("git log --oneline", "git log", "looks"),
        ("docker compose up -d", "docker compose up", "runs"),
        ("docker ps", "docker ps", "looks"),
        ("docker exec -it app python manage.py migrate", "manage.py migrate", "runs"),
        ("kubectl exec web-1 -- ls /tmp", "ls", "looks"),
        ("ssh web1 sudo systemctl restart nginx", "systemctl restart", "runs"),
        ("bash -lc 'alembic upgrade head'", "alembic upgrade", "runs"),
        ("npm run build", "npm run build", "runs"),
        ("NODE_ENV=test npx jest src", "jest", "runs"),
        ("cat a.py | grep foo", "cat", "looks"),
        ("cat > a.py <<'EOF'\nerror: x\nEOF", "cat", "runs"),
        ("sed -n 1,10p f.py", "sed", "looks"),
        ("sed -i s/a/b/ f.py", "sed", "runs"),
        ("ls -la; cat x", "cat", "looks"),
        ("curl -s http://x/y", "curl", "answers"),
        ("./gradlew build", "gradlew build", "runs"),
        ("", "bash", "runs"),
    ],
)
def test_the_program_of_a_command_line(line: str, kind: str, manner: str) -> None:
    found = command(line)
    assert (found.kind, found.manner) == (kind, manner)


@pytest.mark.parametrize(
    "line", ["'unbalanced && \"quotes", "&& ||", "| |", "sudo", "ssh", "cd /x", "\x00\x00", "a <<", ">"]
)
def test_no_command_line_breaks_it(line: str) -> None:
    assert command(line).kind


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "manner"),
    [
        ("search_flights", {"to": "LIS"}, "search_flights", "looks"),
        ("Read", {"file_path": "a"}, "Read", "looks"),
        ("getUser", {"id": 1}, "getUser", "looks"),
        ("book_flight", {"id": 1}, "book_flight", "answers"),
        ("get_or_create_user", {}, "get_or_create_user", "answers"),
        ("run_tests", {}, "run_tests", "runs"),
        ("run_sql", {"sql": "select 1"}, "run_sql", "looks"),
        ("editor", {"command": "view", "path": "a.py"}, "editor view", "looks"),
        ("editor", {"command": "create", "path": "a.py"}, "editor create", "answers"),
        ("shell", {"command": ["bash", "-lc", "npm test"]}, "npm test", "runs"),
        ("bash", "pg_restore -d prod x.dump", "pg_restore", "runs"),
        ("tool", None, "tool", "answers"),
        ("tool", [1, None, "x"], "tool", "answers"),
        ("tool", "{broken", "tool", "answers"),
    ],
)
def test_the_kind_of_a_tool_call(tool: str, arguments: Any, kind: str, manner: str) -> None:
    found = action_of(tool, arguments)
    assert (found.kind, found.manner) == (kind, manner)
    assert action_of(tool, json.dumps(arguments) if not isinstance(arguments, str) else arguments) == found


@pytest.mark.parametrize(
    ("line", "checks"),
    [
        ("pytest -x", True),
        ("npm test", True),
        ("npm run build", True),
        ("cargo clippy", True),
        ("go test ./...", True),
        ("make lint", True),
        ("npx tsc --noEmit && echo done", True),
        ("ruff check .", True),
        ("ruff check --fix .", False),
        ("ruff format .", False),
        ("pytest --collect-only", False),
        ("npm ci", False),
        ("docker build .", False),
        ("python train.py", False),
        ("git commit -m test", False),
    ],
)
def test_what_checks_something(line: str, checks: bool) -> None:
    assert command(line).checks == checks


def test_what_changes_nothing_that_is_checked() -> None:
    assert command("git commit -am x").keeps
    assert not command("git checkout x").keeps
    assert action_of("edit_file", {"path": "CHANGELOG.md"}).keeps
    assert not action_of("edit_file", {"path": "app.py"}).keeps
    assert action_of("validate_form", {"id": 1}).checks

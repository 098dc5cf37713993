"""What a tool call does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from everlore.extract.action import Action, action_of


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
    ("one", "two", "again"),
    [
        ("pytest -x", "python -m pytest", True),
        ("pytest tests/test_a.py", "pytest", True),
        ("pytest tests/test_a.py", "pytest tests/test_b.py", False),
        ("git push", "git push --force-with-lease", True),
        ("git push", "git pull --rebase", False),
        ("python a.py", "python b.py", False),
        ("pip install stripe", "pip install stripe==5.0", True),
        ("curl http://a/x", "curl http://b/y", False),
        ("cat requirements.txt", "pytest -x", False),
    ],
)
def test_whether_a_command_tries_the_same(one: str, two: str, again: bool) -> None:
    assert command(one).again(command(two)) == again


@pytest.mark.parametrize(
    ("one", "two", "again"),
    [
        ({"from": "BER", "to": "LIS"}, {"from": "BER", "to": "LIS", "date": "2026-05-29"}, True),
        ({"path": "a.py", "old": "x"}, {"path": "b.py", "old": "y"}, False),
        ({"path": "a.py", "old": "x"}, {"path": "a.py", "old": "y"}, True),
        ({"sql": "select * from user where id = 1"}, {"sql": "select * from users where id = 1"}, True),
        ({"code": "pd.read_csv('s.csv')"}, {"code": "pd.read_csv('s.csv', encoding='latin-1').sum()"}, True),
        ({"code": "pd.read_csv('s.csv')"}, {"code": "print('hello world', 1 + 1)"}, False),
        ({"id": 1}, {"id": 12}, False),
    ],
)
def test_whether_a_call_tries_the_same(one: Any, two: Any, again: bool) -> None:
    assert action_of("do", one).again(action_of("do", two)) == again

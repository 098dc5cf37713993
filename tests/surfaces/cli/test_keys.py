"""`everlore keys` as scripts and people use it: envelope, formats, exit codes, streams, and one secret once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from serving import clean_env


def keys(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everlore", "keys", *args],
        env=clean_env(root),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def test_a_key_is_shown_once_listed_by_its_prefix_and_revoked(tmp_path: Path) -> None:
    made = keys(tmp_path, "create", "--name", "Ålice", "--format", "json")
    assert made.returncode == 0
    answer = json.loads(made.stdout)
    assert answer["ok"] is True
    secret = answer["data"].pop("key")
    assert re.fullmatch(r"emk_[0-9a-f]{32}", secret)
    assert answer["data"]["name"] == "Ålice"
    assert "owns the memories" in made.stderr
    listed = keys(tmp_path, "list")
    assert listed.stderr == ""
    envelope = json.loads(listed.stdout)
    assert envelope["meta"].pop("requestId").startswith("req_")
    assert envelope == {"ok": True, "data": {"items": [answer["data"]]}, "meta": {"count": 1}}
    assert secret not in listed.stdout
    gone = keys(tmp_path, "revoke", secret, "--format", "yaml")
    assert yaml.safe_load(gone.stdout)["data"]["items"][0]["revokedAt"]
    assert secret not in gone.stdout
    assert secret not in gone.stderr
    text = keys(tmp_path, "list", "--format", "text").stdout
    assert text.split("\t")[1] == secret[:8]
    assert "revoked" in text
    events = json.loads(keys(tmp_path, "audit").stdout)["data"]["items"]
    assert [event["action"] for event in events] == ["key.revoke", "key.create"]
    if sys.platform != "win32":
        assert (tmp_path / ".everlore" / "accounts.db").stat().st_mode & 0o077 == 0


def test_the_other_formats_show_the_new_key_too(tmp_path: Path) -> None:
    as_yaml = yaml.safe_load(keys(tmp_path, "create", "--name", "a", "--format", "yaml").stdout)
    as_text = keys(tmp_path, "create", "--name", "b", "--format", "text", "--expires-days", "3").stdout
    assert re.fullmatch(r"emk_[0-9a-f]{32}", as_yaml["data"]["key"])
    assert re.fullmatch(r"emk_[0-9a-f]{32}", as_text.splitlines()[0])


@pytest.mark.parametrize(
    ("args", "kind", "code"),
    [
        (["create"], "invalid_args", 2),
        (["create", "--name", " "], "invalid_args", 2),
        (["create", "--name", "a", "--scopes", "root"], "invalid_args", 2),
        (["create", "--name", "a", "--expires-days", "-1"], "invalid_args", 2),
        (["create", "--name", "a", "--expires-days", "soon"], "invalid_args", 2),
        (["create", "--name", "a", "--account", "acc_nobody"], "not_found", 1),
        (["create", "--name", "a", "--nonsense"], "invalid_args", 2),
        (["revoke"], "invalid_args", 2),
        (["revoke", "nobody"], "not_found", 1),
        (["audit", "--limit", "0"], "invalid_args", 2),
        (["nothing"], "invalid_args", 2),
    ],
)
def test_failures_have_the_envelope_and_the_exit_code(tmp_path: Path, args: list[str], kind: str, code: int) -> None:
    done = keys(tmp_path, *args, "--format", "json")
    assert done.returncode == code
    answer = json.loads(done.stdout)
    assert answer["ok"] is False
    assert set(answer["error"]) == {"type", "code", "message", "hint", "detail"}
    assert (answer["error"]["type"], answer["error"]["code"]) == (kind, 0)
    assert "Traceback" not in done.stderr


def test_in_text_a_failure_leaves_stdout_empty(tmp_path: Path) -> None:
    done = keys(tmp_path, "create", "--format", "text")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == ["error: --name is missing", "hint: Use everlore keys create --name <name>"]
    bad = keys(tmp_path, "list", "--format", "xml")
    assert bad.returncode == 2
    assert json.loads(bad.stdout)["error"]["detail"] == {"flag": "format"}


def test_a_damaged_store_and_a_bad_vault_are_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = keys(tmp_path / "file", "list")
    assert done.returncode == 5
    assert json.loads(done.stdout)["error"]["type"] == "io"
    (tmp_path / "root" / ".everlore").mkdir(parents=True)
    (tmp_path / "root" / ".everlore" / "accounts.db").write_bytes(b"no database" * 1000)
    broken = keys(tmp_path / "root", "list")
    assert broken.returncode == 5
    assert "accounts.db" in json.loads(broken.stdout)["error"]["message"]

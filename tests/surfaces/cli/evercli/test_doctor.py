"""`evercli doctor`."""

from __future__ import annotations

import socket

import pytest
from evercli import Evercli
from serving import Server


@pytest.fixture
def cli(evercli: Evercli, server: Server) -> Evercli:
    evercli.env["EVERCLI_API_BASE_URL"] = server.url
    return evercli


def test_doctor_on_a_healthy_machine(cli: Evercli) -> None:
    checks = {one["name"]: one for one in cli("doctor").data["checks"]}
    assert checks["server"]["ok"]
    assert checks["server version"]["ok"]
    assert checks["clock"]["ok"]
    assert checks["login"]["ok"]
    assert "server" in cli("doctor", "--format", "text").out


def test_doctor_says_what_is_wrong_and_what_to_do(cli: Evercli) -> None:
    private = cli.home / ".local" / "share" / "evercli"
    private.mkdir(parents=True)
    (private / "credentials.json").write_text("{}", encoding="utf-8")
    (private / "credentials.json").chmod(0o644)
    (cli.home / ".cursor").mkdir()
    (cli.home / ".cursor" / "mcp.json").write_text(
        '{"mcpServers": {"everme-memory": {"command": "/gone/everlore", "args": []}}}', encoding="utf-8"
    )
    (private / "evercli.log").write_text("2026-01-01T00:00:00Z hook stop: network: no server\n", encoding="utf-8")
    places = {"XDG_DATA_HOME": str(private.parent)}
    done = cli("doctor", env=places)
    assert (done.code, done.error["type"]) == (5, "io"), "the worst finding decides"
    checks = {one["name"]: one for one in done.error["detail"]["checks"]}
    assert checks["plugin cursor"]["severity"] == "error"
    assert checks["plugin cursor"]["type"] == "not_found"
    assert "plugin install cursor" in checks["plugin cursor"]["hint"]
    assert checks["hooks"]["severity"] == "warning"
    assert all(one["hint"] for one in checks.values() if not one["ok"])
    (private / "credentials.json").chmod(0o600)
    assert cli("doctor", env=places).code == 1
    text = cli("doctor", "--format", "text", env=places)
    assert text.out == ""
    assert "error: its command is gone" in text.err


def test_doctor_without_a_server(evercli: Evercli) -> None:
    done = evercli("doctor", env={"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"})
    assert (done.code, done.error["type"]) == (4, "network")


def test_doctor_where_nobody_spoke_of_a_server(evercli: Evercli) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 8000)) == 0:
            pytest.skip("somebody answers at the default address")
    checks = {one["name"]: one for one in evercli("doctor").data["checks"]}
    assert (checks["server"]["severity"], "when it is needed" in checks["server"]["message"]) == ("ok", True)


def test_doctor_goes_on_with_a_damaged_login(cli: Evercli) -> None:
    path = cli.home / "data" / "evercli" / "credentials.json"
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    path.chmod(0o644)
    done = cli("doctor", env={"XDG_DATA_HOME": str(cli.home / "data")})
    assert (done.code, done.error["type"]) == (5, "io")
    checks = done.error["detail"]["checks"]
    assert [one["severity"] for one in checks if one["name"] == "login"] == ["error"]
    assert [one["severity"] for one in checks if one["name"] == "files"] == ["error"]
    assert {"server", "plugins"} <= {one["name"] for one in checks if one["ok"]}

"""Where the address of the server comes from."""

from __future__ import annotations

from evercli import NOWHERE, Evercli


def test_where_the_address_comes_from(evercli: Evercli) -> None:
    def asked(env: dict[str, str] | None = None, *args: str) -> str:
        server: str = evercli("memory", "search", "x", *args, env=env).error["detail"]["server"]
        return server

    config = evercli.home / "other.yaml"
    config.write_text("api_base_url: http://127.0.0.1:3/api/v1/\ntimeout: 5s\n", encoding="utf-8")
    plugins = {"EVERME_API_BASE": "http://127.0.0.1:2"}
    assert asked(plugins) == "http://127.0.0.1:2"
    assert asked(plugins, "--config", str(config)) == "http://127.0.0.1:3"
    assert asked(plugins | NOWHERE, "--config", str(config)) == "http://127.0.0.1:1"
    for wrong in ("ftp://x", "http://[::1", "http://127.0.0.1:99999"):
        done = evercli("memory", "search", "x", env={"EVERCLI_API_BASE_URL": wrong})
        assert (done.code, done.error["type"]) == (2, "invalid_args")
    for password in ("s3cret", "s3cret@x", "s3cret/x"):
        done = evercli("doctor", env={"EVERCLI_API_BASE_URL": f"http://me:{password}@127.0.0.1:1"})
        assert done.code == 2
        assert "s3cret" not in done.out + done.err

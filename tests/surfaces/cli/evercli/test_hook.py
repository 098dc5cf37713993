"""Hooks that have nothing to say."""

from __future__ import annotations

from typing import Any

import pytest
from evercli import Evercli


@pytest.mark.parametrize("said", ["", "{", "[]", '{"transcript_path": "/nowhere"}', '{"prompt": 7}'])
def test_a_hook_never_gets_in_the_way(evercli: Evercli, said: str) -> None:
    event = "prompt" if "prompt" in said else "stop"
    done = evercli("hook", event, stdin=said, env={"EVERCLI_API_BASE_URL": "http://no-such-host.invalid"})
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_hook_gives_up_in_silence(evercli: Evercli, listener: Any) -> None:
    """A server that takes the question and says nothing."""
    env = {"EVERCLI_API_BASE_URL": f"http://127.0.0.1:{listener.getsockname()[1]}"}
    done = evercli("hook", "prompt", stdin='{"prompt": "hello"}', env=env, seconds=30)
    assert (done.code, done.out, done.err) == (0, "", "")
    log = (evercli.home / ".local" / "share" / "evercli" / "evercli.log").read_text(encoding="utf-8")
    assert "hook claude-code prompt" in log


def test_hooks_are_off_for_what_memory_itself_has_an_agent_do(evercli: Evercli) -> None:
    done = evercli("hook", "session-start", stdin="{}", env={"EVERLORE_HOOKS": "off"})
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not list(evercli.home.iterdir())

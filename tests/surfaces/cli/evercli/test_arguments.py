"""Flags and arguments, and what is said of wrong ones."""

from __future__ import annotations

import pytest
import yaml
from evercli import KEY, NOWHERE, Evercli

from everlore import __version__


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["nonsense"],
        ["auth"],
        ["auth", "status", "--nonsense"],
        ["auth", "status", "extra"],
        ["plugin", "install"],
        ["plugin", "install", "no-such-host"],
        ["memory", "search"],
        ["memory", "search", "x", "--top-k", "many"],
        ["import", "run", "markdown"],
        ["completion", "tcsh"],
        ["--timeout", "soon", "doctor"],
        ["doctor", "--timeout"],
        ["auth", "login", "--api-key", "nonsense"],
        ["auth", "login", "--api-key", KEY, "--no-wait"],
        ["memory", "add", "   "],
        ["auth", "status", "--form", "json"],
        ["auth", "status", ""],
    ],
)
def test_argument_errors_have_the_envelope(evercli: Evercli, args: list[str]) -> None:
    done = evercli(*args, "--format", "json")
    assert done.code == 2
    assert done.error["type"] == "invalid_args"
    assert done.error["message"]
    assert done.error["hint"]
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("args", "flag", "command"),
    [
        (["--bogus"], "--bogus", "evercli"),
        (["-V"], "-V", "evercli"),
        (["auth", "--bogus"], "--bogus", "evercli auth"),
        (["auth", "login", "--bogus"], "--bogus", "evercli auth login"),
    ],
)
def test_an_unknown_flag_is_named_with_the_help_of_its_command(
    evercli: Evercli, args: list[str], flag: str, command: str
) -> None:
    error = evercli(*args).error
    assert error["message"] == f"unknown flag {flag}"
    assert f"`{command} --help`" in error["hint"]


def test_argument_errors_in_text_and_yaml(evercli: Evercli) -> None:
    done = evercli("--format", "text", "plugin", "install", "--nonsense")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert "\nhint: " in done.err
    answer = yaml.safe_load(evercli("bogus", "--format", "yaml").out)
    assert answer["error"]["type"] == "invalid_args"


def test_global_flags_work_anywhere_and_not_behind_two_dashes(evercli: Evercli) -> None:
    assert evercli("auth", "--format", "text", "status").out == ""
    assert evercli("auth", "status", "--format=text").out == ""
    done = evercli("memory", "search", "--", "--format", env=NOWHERE)
    assert done.error["type"] == "network", "what stands behind -- is the query"


def test_format_and_prompting_from_the_environment(evercli: Evercli) -> None:
    assert evercli("--version", env={"EVERCLI_FORMAT": "text"}).out == f"evercli {__version__}\n"
    assert evercli("--version", env={"EVERCLI_FORMAT": "xml"}).code == 2
    assert evercli("--version", "--no-prompt", "-v").code == 0

"""What hosts tell us and what they take: their events, one table for all of them.

`start` and `prompt` bring memory in, where the host takes a context; the others save. `said` saves the one message that
the event itself holds, of hosts that keep no transcript which others can read.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Events(NamedTuple):
    of: dict[str, str]
    """The host's names, each with the word that we are called with."""
    takes: str = "hookSpecificOutput"
    """How the host takes a context; empty when it takes none."""
    grouped: bool = True
    """Its hooks stand in groups, as Claude Code has them; else each for itself."""
    seconds: str = "timeout"
    """Its name for how long it waits."""
    unit: int = 1
    """How many of its own make a second."""
    version: int = 0
    """Of its file, where it wants one."""
    commands: tuple[str, ...] = ("command",)
    """Its names for what is to be started."""


WORDS: Final = {"session-start": 5, "prompt": 5, "stop": 10, "said": 5, "session-end": 10}
"""What we are called with, and how many seconds a host may wait; we are gone sooner."""
_CLAUDE: Final = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "SubagentStop": "stop",
    "PreCompact": "stop",
    "SessionEnd": "session-end",
}
_CODEX: Final = {name: _CLAUDE[name] for name in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact")}
_GEMINI: Final = {
    "SessionStart": "session-start",
    "BeforeAgent": "prompt",
    "AfterAgent": "stop",
    "PreCompress": "stop",
    "SessionEnd": "session-end",
}
_CURSOR: Final = {
    "sessionStart": "session-start",
    "beforeSubmitPrompt": "said",
    "afterAgentResponse": "said",
    "sessionEnd": "session-end",
}
_COPILOT: Final = {
    "sessionStart": "session-start",
    "agentStop": "stop",
    "subagentStop": "stop",
    "preCompact": "stop",
    "sessionEnd": "session-end",
}
_WINDSURF: Final = {"pre_user_prompt": "said", "post_cascade_response": "said"}
_OPENCODE: Final = {"session.created": "session-start", "chat.message": "prompt", "session.idle": "stop"}
EVENTS: Final = {
    "claude-code": Events(_CLAUDE),
    "codex": Events(_CODEX),
    "gemini": Events(_GEMINI, unit=1000),
    "cursor": Events(_CURSOR, takes="additional_context", grouped=False, version=1),
    "copilot": Events(
        _COPILOT,
        takes="additionalContext",
        grouped=False,
        seconds="timeoutSec",
        version=1,
        commands=("bash", "powershell"),
    ),
    "windsurf": Events(_WINDSURF, takes="", grouped=False, seconds=""),
    "opencode": Events(_OPENCODE, takes="additionalContext"),
}
"""By host. Documentation: docs/guides/hosts.md."""

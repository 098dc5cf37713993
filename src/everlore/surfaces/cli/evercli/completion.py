"""`evercli completion`: a script for bash, zsh or fish, made from the same tree of commands that parses them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from everlore.surfaces.cli.evercli.arguments import GLOBAL_FLAGS, Parser, tree
from everlore.surfaces.cli.evercli.commands import subcommands
from everlore.surfaces.cli.evercli.hosts import HOSTS
from everlore.surfaces.cli.evercli.output import FORMATS, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlore.surfaces.cli.evercli.commands import Call

PLATFORMS = ("claude-code", "codex", "chatgpt", "claude", "markdown")


def script(call: Call) -> Result:
    shell = call.given.shell
    table = dict(words(tree(), ()))
    text = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](table)
    return Result({"shell": shell, "script": text}, text, raw=True)


def words(parser: Parser, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """For each command, what may follow it."""
    below = {name: inner for name, inner in subcommands(parser).items() if name != "hook"}
    flags = [flag for action in parser._actions for flag in action.option_strings]
    values = [
        str(choice)
        for action in parser._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
        for choice in action.choices or ()
    ]
    if path[:1] == ("plugin",) and path[1:] in (("install",), ("uninstall",)):
        values += [*HOSTS, "all"]
    if path[:1] == ("import",) and len(path) == 2:
        values += PLATFORMS
    yield path, [*below, *values, *flags]
    for name, inner in below.items():
        yield from words(inner, (*path, name))


def _globals() -> list[str]:
    return [name.strip() for names in GLOBAL_FLAGS for name in names.split(",")]


def _bash(table: dict[tuple[str, ...], list[str]]) -> str:
    cases = "\n".join(f'    "{" ".join(path)}") words="{" ".join(found)}" ;;' for path, found in table.items())
    return f"""# bash completion for evercli: source <(evercli completion bash)
_evercli() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" path="" words="" word
  if [[ "$previous" == "--format" ]]; then
    COMPREPLY=($(compgen -W "{" ".join(FORMATS)}" -- "$current"))
    return
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ "$word" == -* ]] && continue
    case "${{path:+$path }}$word" in
      {"|".join(f'"{" ".join(path)}"' for path in table if path)}) path="${{path:+$path }}$word" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words {" ".join(_globals())}" -- "$current"))
}}
complete -F _evercli evercli
"""


def _zsh(table: dict[tuple[str, ...], list[str]]) -> str:
    header = "#compdef evercli\n# zsh completion for evercli: source <(evercli completion zsh)\n"
    return header + "autoload -U +X bashcompinit && bashcompinit\n" + _bash(table)


def _fish(table: dict[tuple[str, ...], list[str]]) -> str:
    lines = ["# fish completion for evercli: evercli completion fish | source", "complete -c evercli -f"]
    for path, found in table.items():
        seen = " ".join(path)
        below = [word for word in found if not word.startswith("-")]
        condition = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in path) or "__fish_use_subcommand"
        if below and len(path) == 1 and (*path, below[0]) in table:
            condition += f"; and not __fish_seen_subcommand_from {' '.join(below)}"
        if below:
            lines.append(f"complete -c evercli -n '{condition}' -a '{' '.join(below)}'")
        lines += [
            f"complete -c evercli -n '{condition}' -l {flag[2:]}" for flag in found if flag.startswith("--") and seen
        ]
    lines.append(f"complete -c evercli -l format -x -a '{' '.join(FORMATS)}'")
    lines += [
        f"complete -c evercli -l {flag[2:]}" for flag in _globals() if flag.startswith("--") and flag != "--format"
    ]
    return "\n".join(lines) + "\n"

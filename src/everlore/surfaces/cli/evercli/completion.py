"""`evercli completion`: a script for bash, zsh or fish, made from the same table of commands that parses them."""

from __future__ import annotations

from everlore.surfaces.cli.evercli.arguments import COMMANDS, GLOBAL_FLAGS, HIDDEN, below
from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.hosts import HOSTS
from everlore.surfaces.cli.evercli.output import FORMATS, Result
from everlore.surfaces.cli.evercli.sources import SOURCES

PLATFORMS = {"plugin install": [*HOSTS, "all"], "plugin uninstall": [*HOSTS, "all"]}
PLATFORMS |= {"import scan": [*SOURCES], "import run": [*SOURCES]}


def script(call: Call) -> Result:
    shell = call.given.shell
    table = {path: words(path) for path in COMMANDS if path != HIDDEN}
    text = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](table)
    return Result({"shell": shell, "script": text}, text, raw=True)


def words(path: str) -> list[str]:
    """What may follow a command: commands below it, values, flags."""
    arguments = COMMANDS[path].arguments
    flags = [name for names, _ in arguments for name in names if name.startswith("-")]
    values = [value for names, options in arguments if names[0][0] != "-" for value in options.get("choices", ())]
    return [*below(path), *values, *PLATFORMS.get(path, ()), *flags]


def _globals() -> list[str]:
    return [name.strip() for names in GLOBAL_FLAGS for name in names.split(",")]


def _bash(table: dict[str, list[str]]) -> str:
    cases = "\n".join(f'    "{path}") words="{" ".join(found)}" ;;' for path, found in table.items())
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
      {"|".join(f'"{path}"' for path in table if path)}) path="${{path:+$path }}$word" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words {" ".join(_globals())}" -- "$current"))
}}
complete -F _evercli evercli
"""


def _zsh(table: dict[str, list[str]]) -> str:
    header = "#compdef evercli\n# zsh completion for evercli: source <(evercli completion zsh)\n"
    return header + "autoload -U +X bashcompinit && bashcompinit\n" + _bash(table)


def _fish(table: dict[str, list[str]]) -> str:
    lines = ["# fish completion for evercli: evercli completion fish | source", "complete -c evercli -f"]
    for path, found in table.items():
        condition = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in path.split())
        condition = condition or "__fish_use_subcommand"
        if path and below(path):
            condition += f"; and not __fish_seen_subcommand_from {' '.join(below(path))}"
        plain = [word for word in found if not word.startswith("-")]
        if plain:
            lines.append(f"complete -c evercli -n '{condition}' -a '{' '.join(plain)}'")
        lines += [f"complete -c evercli -n '{condition}' -l {flag[2:]}" for flag in found if flag.startswith("--")]
    lines.append(f"complete -c evercli -l format -x -a '{' '.join(FORMATS)}'")
    lines += [
        f"complete -c evercli -l {flag[2:]}" for flag in _globals() if flag.startswith("--") and flag != "--format"
    ]
    return "\n".join(lines) + "\n"

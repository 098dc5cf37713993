"""The picture of the README: a real session in a terminal, on a vault that is thrown away, written as an SVG.

    python docs/picture.py

Nothing in it is typed by hand but the commands. No font and no address of anybody else is in the file.
"""

from __future__ import annotations

import io
import os
import pty
import shlex
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE = Path(__file__).parent / "images" / "terminal.svg"
COLUMNS = 92
SESSION = (
    "everlore add 'I live in Vienna. My sister Lena is a vet.'",
    "everlore add 'I moved to Graz last week. Never use tabs in my Python files.'",
    "everlore search 'where do I live?'",
    "everlore people Lena",
    "everlore rules",
    "everlore history",
)
FORMAT = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A session in a terminal</title>
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, Menlo, Consolas, monospace; line-height: {line_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def shown(command: str, env: dict[str, str]) -> str:
    """What a terminal shows of it, colours and all."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", *shlex.split(command)]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=env, cwd=env["HOME"])
    os.close(theirs)
    said = b""
    with suppress(OSError):
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    process.wait()
    return said.decode().replace("\r\n", "\n")


def main() -> None:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    with tempfile.TemporaryDirectory() as home:
        own = {
            "HOME": home,
            "TERM": "xterm-256color",
            "EVEROS_MCP__USER_NAME": "Anna",
            "EVEROS_BACKGROUND__START": "false",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("EVEROS_")}
        env = kept | own | {"COLUMNS": str(COLUMNS)}
        for command in SESSION:
            console.print(Text.assemble(("$ ", "bold cyan"), (command, "bold")))
            console.print(Text.from_ansi(shown(command, env).rstrip()))
            console.print()
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(console.export_svg(title="", theme=MONOKAI, code_format=FORMAT, unique_id="t"), encoding="utf-8")


if __name__ == "__main__":
    main()

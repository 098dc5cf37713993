"""The documentation agrees with the code."""

from __future__ import annotations

import dataclasses
import html
import importlib.util
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from serving import clean_env

from everlore.search import Passage, rank, recipes, rounds, supersede
from everlore.surfaces.cli import commands, main
from everlore.surfaces.cli.evercli.arguments import parsers, read_line
from everlore.surfaces.cli.main import app

ROOT = Path(__file__).parent.parent
recall = import_module("everlore.search.recall")  # whose name in its package is the function
_spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
assert _spec is not None
assert _spec.loader is not None
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


@pytest.mark.parametrize("path", sorted(generate.WRITTEN), ids=lambda path: path.name)
def test_what_is_made_from_the_code_is_what_it_says(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generate.WRITTEN[path](), "run `make docs`"


@pytest.mark.parametrize("page", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")))
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def documented() -> list[tuple[str, str]]:
    """Every command of ours in the blocks of a shell, with the page it is on."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    blocks = [
        (page, block)
        for page in pages
        for block in re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    ]
    lines = [(page.relative_to(ROOT).as_posix(), line) for page, block in blocks for line in block.splitlines()]
    commands = [(page, part.strip()) for page, line in lines for part in re.split(r"\s#\s.*|; |\|| && ", line)]
    ours = [(page, re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command)) for page, command in commands]
    return [(page, command) for page, command in ours if re.match(r"(everlore|everos|evercli)\b", command)]


@pytest.mark.parametrize(("page", "command"), documented())
def test_documented_commands_are_understood(page: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, options and arguments, by the parser itself; what they do is done by their own tests."""
    program, *words = shlex.split(command.replace("<id>", "x"))
    if program == "evercli":
        line = read_line(words)
        assert not line.failure
        parsers()[""].parse_args(list(line.rest))
        return
    for module in (main, commands):
        monkeypatch.setattr(module, "load", lambda _: lambda *_, **__: None)
    app(words, standalone_mode=False)


RUN = ("README.md", "docs/guides/terminal.md")


@pytest.mark.parametrize("page", RUN)
def test_documented_commands_do_what_they_should(page: str, tmp_path: Path) -> None:
    """One after the other, as a new user copies them, in a home of their own."""
    home = tmp_path / "home"
    home.mkdir()
    env = clean_env(home / ".everos", {"HOME": str(home), "USERPROFILE": str(home), "EVERCLI_NO_PROMPT": "1"})
    said = ""
    for where, command in documented():
        if where == page:
            words = [sys.executable, "-m", *shlex.split(command)]
            words[2] = "everlore.surfaces.cli.evercli" if words[2] == "evercli" else words[2]
            done = subprocess.run(
                words, env=env, cwd=home, capture_output=True, encoding="utf-8", check=False, timeout=300
            )
            assert done.returncode in (0, 1), (command, done.stdout, done.stderr)
            assert "error:" not in done.stderr, (command, done.stderr)
            said += done.stdout
    assert "Here is what I know of you" in said
    assert "Lena is a vet" in said if "terminal" in page else "I moved to Graz last week.\n    User · " in said


def test_the_picture_of_the_readme_is_what_its_script_shows() -> None:
    """Commands as they are written there, and nothing that is loaded from anywhere."""
    script = (ROOT / "docs" / "picture.py").read_text(encoding="utf-8")
    session = re.findall(r'^    "(everlore .*)",$', script, re.MULTILINE)
    picture = (ROOT / "docs" / "images" / "terminal.svg").read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<[^>]+>", "", picture)).replace("\xa0", " ")
    assert session
    for command in session:
        assert f"$ {command}" in re.sub(r"\s+", " ", shown), command
    assert set(re.findall(r"https?://[^\s\"]+", picture)) == {"http://www.w3.org/2000/svg"}


def test_the_readme_names_only_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b", readme))
    assert {"run", "test", "bench"} <= named <= targets


def test_the_readme_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / target).exists(), target


def test_there_is_one_version() -> None:
    from everlore import __version__

    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_guide_has_every_recipe_with_its_weights() -> None:
    text = (ROOT / "docs" / "guides" / "search.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]+\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| (one|the|everybody)", text, re.MULTILINE
    )
    written = {name: (float(words), float(meaning), float(graph)) for name, words, meaning, graph, _ in rows}
    known = [value for value in vars(recipes).values() if isinstance(value, recipes.Recipe)]
    assert written == {one.name: (one.words, one.meaning, one.graph) for one in known}
    alone = {one.name for one in known if one.groups is recipes.by_track}
    assert {name for name, *_, whom in rows if whom != "everybody"} == alone


def test_the_guide_tells_every_reason_and_field_of_a_search() -> None:
    text = (ROOT / "docs" / "guides" / "search.md").read_text(encoding="utf-8")
    reasons = (rank.SHARED_NAMES, rank.IN_TIME, supersede.ENDED, supersede.TAKES_OVER, recall.WENT)
    for why in (*reasons, rounds.FURTHER_QUERY, rounds.REORDERED):
        assert f"| {why} |" in text
    for start in (rank.TURNS_TOGETHER, rank.PARTS_TOGETHER):
        assert start in text
    for field in dataclasses.fields(Passage):
        assert re.search(rf"^\| .*`{field.name}`.* \|", text, re.MULTILINE), field.name
    assert f"| {supersede.ENDED} | {supersede.PAST} of the score is left |" in text
    assert f"{rounds.FOLLOWED} of what it is worth for a query" in text
    assert f"less than {recall.LEAST_SHARE} of the best" in text

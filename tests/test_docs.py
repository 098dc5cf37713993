"""The documentation agrees with the code."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from importlib import import_module
from pathlib import Path

import pytest

from everlore.search import Passage, rank, recipes, rounds, supersede

ROOT = Path(__file__).parent.parent
recall = import_module("everlore.search.recall")  # whose name in its package is the function
_spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
assert _spec is not None
assert _spec.loader is not None
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


@pytest.mark.parametrize("name", sorted(generate.PAGES))
def test_the_reference_is_what_the_code_says(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("page", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")))
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


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

"""Every surface ranks by a recipe of this one module, and the weights of each add up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import everlore
from everlore.search import METHODS, Method, Recipe, recipes

SRC = Path(everlore.__file__).parent
RECIPES = {name: value for name, value in vars(recipes).items() if isinstance(value, Recipe)}


@pytest.mark.parametrize("name", RECIPES)
def test_weights_add_up(name: str) -> None:
    recipe = RECIPES[name]
    # by turns, shared names raise a score further; else they are one of its parts
    parts = recipe.words + recipe.meaning + (0.0 if recipe.by_turns else recipe.graph)
    assert parts == pytest.approx(1.0)


@pytest.mark.parametrize("name", RECIPES)
def test_what_counts_is_looked_for(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.by_words or not recipe.words
    assert recipe.by_meaning or not recipe.meaning
    assert recipe.by_words or recipe.by_meaning


def test_names_tell_recipes_apart() -> None:
    assert [recipe.name for recipe in RECIPES.values()] == [name.lower() for name in RECIPES]
    assert list(METHODS) == list(get_args(Method)) == [recipe.name for recipe in METHODS.values()]


def test_every_recipe_for_memories_puts_the_past_behind_and_shows_passages() -> None:
    memories = [recipe for recipe in RECIPES.values() if recipe is not recipes.CODE]  # code has no past
    assert all(recipe.supersede and recipe.passages and recipe.time for recipe in memories)


def test_a_recipe_that_differs_in_one_thing_has_the_rest() -> None:
    deeper = recipes.HYBRID.but("deeper", candidates=99)
    assert deeper.but("hybrid", candidates=recipes.HYBRID.candidates) == recipes.HYBRID


def names_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in ("everlore.search.recipes", "everlore.search"):
            yield from (alias.name for alias in node.names)


def test_surfaces_use_each_recipe_and_make_none_of_their_own() -> None:
    files = sorted([*(SRC / "surfaces").rglob("*.py"), SRC / "code" / "search.py"])
    used = {name for path in files for name in names_in(path)}
    by_method = {name for name, recipe in RECIPES.items() if recipe in METHODS.values()}
    assert "METHODS" in used
    assert set(RECIPES) - by_method <= used
    made = [path for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if _makes(node)]
    assert made == []


def _makes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Recipe"

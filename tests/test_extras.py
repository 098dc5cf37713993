"""An extra that is missing is named, with the command that installs it."""

from __future__ import annotations

import contextlib
import sys
import tomllib
from pathlib import Path

import pytest

from everlore import config
from everlore.engine import open_engine
from everlore.errors import Misconfigured
from everlore.extras import EXTRAS, extra_of, installed, load, require
from everlore.surfaces.contracts.emcp import toolset

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_installed_extra_is_no_reason_to_stop(extra: str) -> None:
    require(extra)


@pytest.mark.parametrize(("extra", "module"), [(name, module) for name in EXTRAS for module in EXTRAS[name].modules])
def test_each_module_of_an_extra_is_required(extra: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    assert not installed(extra)
    with pytest.raises(Misconfigured) as caught:
        require(extra)
    assert str(caught.value) == (
        f'{EXTRAS[extra].what} needs packages that are not installed: pip install "everlore[{extra}]"'
    )
    assert extra_of(f"{module}.part") == extra


def test_what_no_extra_brings_belongs_to_none() -> None:
    assert extra_of("numpy") is None


def test_the_tools_of_a_site_need_their_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with (
        contextlib.closing(open_engine(config.load(memory={"root": tmp_path}))) as engine,
        pytest.raises(Misconfigured, match=r'pip install "everlore\[cms\]"'),
    ):
        toolset.call(engine, 0, "evo.content.search", {"limit": 5})


def test_every_extra_is_declared_and_all_means_all() -> None:
    declared = PROJECT["optional-dependencies"]
    (everything,) = declared["all"]
    assert {*EXTRAS, "llm"} == set(everything.removeprefix("everlore[").removesuffix("]").split(","))
    assert set(EXTRAS) <= set(declared)


def test_a_target_is_what_it_names() -> None:
    assert load("everlore.engine:open_engine") is open_engine

"""Words and patterns that are data."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from everlore.extract import vocabulary
from everlore.extract.vocabulary import Vocabulary


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vocabulary:
    (tmp_path / "kin.toml").write_text(
        "[words]\nkin = 'aunt step_mother'\n[patterns]\nvisit = '''my (?:<<kin>>) <<came>>'''\ncame = 'came'\n"
        "visits = ['<<visit>>', '''drops\n  | in''']\n",
        "utf-8",
    )
    monkeypatch.setattr(vocabulary, "DATA", tmp_path)
    return Vocabulary("kin")


def test_words_may_have_blanks(known: Vocabulary) -> None:
    assert known.words("kin") == {"aunt", "step mother"}
    assert known.in_order("kin") == ("aunt", "step mother")


def test_a_pattern_names_words_and_patterns(known: Vocabulary) -> None:
    assert known.text("visit") == r"my (?:step\ mother|aunt) came"
    assert known["visit"].search("Yesterday MY Step Mother came")
    with pytest.raises(KeyError):
        known["nowhere"]


def test_a_pattern_may_be_any_of_several_on_several_lines(known: Vocabulary) -> None:
    assert known.text("visits") == r"my (?:step\ mother|aunt) came|drops| in"


def test_a_file_names_what_another_one_has(known: Vocabulary, tmp_path: Path) -> None:
    told = """
uses = ["kin"]
rows = [["<<came>> in"]]
[patterns]
came = '''<<visit>>
  too'''
[exact]
name = ["[A-Z]+", "de"]
[meant]
mother = "mum step_mum"
"""
    (tmp_path / "visits.toml").write_text(told, "utf-8")
    visits = Vocabulary("visits")
    assert visits.text("came") == r"my (?:step\ mother|aunt) cametoo", "each file by its own names"
    assert visits["name"].fullmatch("ANN")
    assert not visits["name"].fullmatch("ann")
    assert visits["came"] is visits["came"]
    assert visits.table("meant") == {"mother": "mum step_mum"}


FILES = [file.stem for file in vocabulary.DATA.glob("*.toml")]


@pytest.mark.parametrize("name", FILES)
def test_every_pattern_compiles_and_is_used(name: str) -> None:
    here = vocabulary.DATA
    data = tomllib.loads((here / f"{name}.toml").read_text("utf-8"))
    asked = "".join(file.read_text("utf-8") for file in here.parent.glob("*.py"))
    told = "".join(file.read_text("utf-8") for file in here.glob("*.toml"))
    known = Vocabulary(name)
    for one in (*data.get("patterns", {}), *data.get("exact", {}), *data.get("words", {})):
        assert known[one]
        assert f'"{one}"' in asked or f"<<{one}>>" in told, one


@pytest.mark.parametrize("module", [file.name for file in vocabulary.DATA.parent.glob("*.py")])
def test_every_name_that_a_module_asks_for_is_known(module: str) -> None:
    source = (vocabulary.DATA.parent / module).read_text("utf-8")
    if found := re.search(r'^_KNOWN = Vocabulary\("(\w+)"\)', source, re.MULTILINE):
        known = Vocabulary(found[1])
        assert all(known[name] for name in re.findall(r'_KNOWN\["(\w+)"\]', source))

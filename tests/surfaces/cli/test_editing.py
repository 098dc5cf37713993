"""A memory in the person's own editor, and what somebody else wrote meanwhile."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commanding import about
from serving import everlore


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("people") / "root"
    assert everlore("add", "My dentist is Dr. Huber in the Herrengasse.", root=root).returncode == 0
    return root


def editor(folder: Path, program: str) -> dict[str, str]:
    """An editor that does what a small program does with the text."""
    script = folder / "editor.py"
    script.write_text(f"import sys\nfile = sys.argv[1]\ntext = open(file).read()\n{program}\n", encoding="utf-8")
    return {"EDITOR": f"{sys.executable} {script}", "TMPDIR": str(folder)}


def test_a_memory_is_changed_in_an_editor(vault: Path, tmp_path: Path) -> None:
    fact = about(vault, "dentist", "history")
    env = editor(tmp_path, "open(file, 'w').write(text.replace('Huber', 'Gruber'))")
    done = everlore("edit", fact, root=vault, env=env)
    assert (done.returncode, done.stdout[:9], done.stderr) == (0, "Changed: ", "")
    assert "Dr. Gruber" in everlore("history", root=vault).stdout
    same = everlore("edit", fact, root=vault, env=editor(tmp_path, ""))
    assert "Nothing was changed" in same.stderr
    assert not list(tmp_path.glob("everlore-edit-*"))


def test_what_somebody_else_changed_meanwhile_is_shown_and_stays(vault: Path, tmp_path: Path) -> None:
    fact = about(vault, "dentist", "history")
    [path] = [path for path in vault.rglob("fact-*.md") if "dentist" in path.read_text(encoding="utf-8")]
    elsewhere = f"p = {str(path)!r}; t = open(p).read(); open(p, 'w').write(t.replace('Herrengasse', 'Ring'))\n"
    env = editor(tmp_path, elsewhere + "open(file, 'w').write(text.replace('Herrengasse', 'Gasse'))")
    done = everlore("edit", fact, root=vault, env=env)
    assert done.returncode == 1
    assert "changed meanwhile" in done.stderr
    assert any(line.startswith("+") and "Ring" in line for line in done.stdout.splitlines())
    assert "Ring" in path.read_text(encoding="utf-8")
    [mine] = tmp_path.glob("everlore-edit-*/*.md")
    assert "Gasse" in mine.read_text(encoding="utf-8")
    assert str(mine) in done.stderr


@pytest.mark.parametrize(
    ("program", "says"),
    [("sys.exit(3)", "exit code 3"), ("open(file, 'w').write('')", "forget it"), ("import x_y", "exit code 1")],
)
def test_an_edit_that_fails_changes_nothing(vault: Path, tmp_path: Path, program: str, says: str) -> None:
    fact = about(vault, "dentist", "history")
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    done = everlore("edit", fact, root=vault, env=editor(tmp_path, program))
    assert (done.returncode, says in done.stderr) == (1, True)
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
    missing = everlore("edit", fact, root=vault, env={"EDITOR": "no-such-editor"})
    assert "set EDITOR" in missing.stderr

"""Projects by git's own files, with repositories that git made."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from everlore.project import project_of


def git(folder: Path, *args: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    given = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *given, *args], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, remote: str = "") -> Path:
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def id_of(folder: Path) -> str:
    project = project_of(folder)
    assert project is not None
    assert re.fullmatch(r"[a-zA-Z0-9_.-]{1,128}", project.id)
    return project.id


@pytest.mark.parametrize(
    "remote",
    [
        "git@github.com:Anna/Tool.git",
        "https://github.com/anna/tool",
        "https://anna:ghp_secret@github.com/anna/tool.git/",
        "ssh://git@github.com:22/anna/tool.git",
        "ssh://git@ssh.github.com:443/anna/tool.git",
        "git://github.com/anna/tool.git",
        "github.com:anna/tool",
    ],
)
def test_all_addresses_of_a_repository_are_one_project(tmp_path: Path, remote: str) -> None:
    project = project_of(repository(tmp_path / "here", remote))
    assert project is not None
    assert project.id == "github.com--anna--tool"
    assert project.name.lower() == "tool"


def test_groups_in_groups_and_odd_names(tmp_path: Path) -> None:
    nested = id_of(repository(tmp_path / "a", "https://gitlab.example/team/sub/my_tool.git"))
    assert nested == "gitlab.example--team--sub--my_tool"
    odd = id_of(repository(tmp_path / "b", "https://git.example/~anna/näh maschine.git"))
    assert odd.startswith("git.example---anna--n-h-maschine-")
    ambiguous = {
        id_of(repository(tmp_path / "c", "https://git.example/a--b/c")),
        id_of(repository(tmp_path / "d", "https://git.example/a/b--c")),
    }
    assert len(ambiguous) == 2
    assert len(id_of(repository(tmp_path / "e", "https://git.example/" + "x" * 200))) <= 128


def test_a_folder_below_belongs_to_its_root(tmp_path: Path) -> None:
    root = repository(tmp_path / "tool")
    (root / "src" / "deep").mkdir(parents=True)
    assert id_of(root / "src" / "deep") == id_of(root)
    assert project_of(root / "not" / "there") == project_of(root)


def test_without_a_remote_the_folder_tells(tmp_path: Path) -> None:
    one, other = repository(tmp_path / "x" / "notes"), repository(tmp_path / "y" / "notes")
    assert re.fullmatch(r"notes-[0-9a-f]{8}", id_of(one))
    assert id_of(one) == id_of(one) != id_of(other)
    link = tmp_path / "link"
    link.symlink_to(one)
    assert id_of(link) == id_of(one)


def test_a_clone_of_a_folder_goes_by_its_own(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", str(origin), "copy")
    assert id_of(tmp_path / "copy").startswith("copy-")
    git(tmp_path / "copy", "remote", "set-url", "origin", f"file://{origin}")
    assert id_of(tmp_path / "copy").startswith("copy-")


def test_origin_before_other_remotes(tmp_path: Path) -> None:
    root = repository(tmp_path / "tool")
    git(root, "remote", "add", "upstream", "https://github.com/org/tool")
    assert id_of(root) == "github.com--org--tool"
    git(root, "remote", "add", "origin", "https://github.com/anna/tool")
    assert id_of(root) == "github.com--anna--tool"


@pytest.mark.parametrize("remote", ["", "https://github.com/anna/tool"])
def test_worktrees_are_their_repository(tmp_path: Path, remote: str) -> None:
    root = repository(tmp_path / "tool", remote)
    git(root, "worktree", "add", "-q", str(tmp_path / "elsewhere"))
    assert project_of(tmp_path / "elsewhere") == project_of(root)


def test_worktrees_of_a_bare_repository(tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository(tmp_path / "origin")), "tool.git")
    for name in ("one", "two"):
        git(tmp_path / "tool.git", "worktree", "add", "-q", str(tmp_path / name), "-b", name)
    assert project_of(tmp_path / "one") == project_of(tmp_path / "two")
    assert id_of(tmp_path / "one").startswith("tool-")


@pytest.mark.parametrize("remote", ["", "https://github.com/anna/part"])
def test_a_submodule_is_a_project_of_its_own(tmp_path: Path, remote: str) -> None:
    part = repository(tmp_path / "origin")
    root = repository(tmp_path / "tool", "https://github.com/anna/tool")
    git(root, "submodule", "add", "-q", str(part), "part")
    git(root / "part", "remote", "set-url", "origin", remote or str(part))
    assert id_of(root / "part") == "github.com--anna--part" if remote else id_of(root / "part").startswith("part-")
    assert id_of(root) == "github.com--anna--tool"


def test_what_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(repository(tmp_path / "home", "https://github.com/anna/dotfiles")))
    monkeypatch.setattr("tempfile.tempdir", str(repository(tmp_path / "temporary")))
    (tmp_path / "home" / "plain").mkdir()
    for folder in ("/", "/tmp", tmp_path / "home", tmp_path / "home" / "plain", tmp_path / "temporary", "~", "a\0b"):
        assert project_of(folder) is None, folder
    assert id_of(repository(tmp_path / "home" / "tool")).startswith("tool-")
    assert id_of(repository(tmp_path / "temporary" / "tool")).startswith("tool-")


@pytest.mark.parametrize("text", ["", "gitdir: /nowhere/at/all", "nonsense", "gitdir:"])
def test_a_broken_git_file_is_a_root_all_the_same(tmp_path: Path, text: str) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / ".git").write_text(text)
    assert id_of(tmp_path / "tool").startswith("tool-")


def test_settings_as_git_lets_one_write_them(tmp_path: Path) -> None:
    root = repository(tmp_path / "tool")
    config = '[REMOTE "origin"] url = "https://github.com/anna/tool" ; mine\n[remote "a\\"b"]\n\turl=x#y\n'
    (root / ".git" / "config").write_text(config)
    assert id_of(root) == "github.com--anna--tool"

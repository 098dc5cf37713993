"""Files that must never be half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from evercli import POSIX, Evercli

from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.files import replace_file


@pytest.fixture
def bare(evercli: Evercli) -> Evercli:
    """No host's program on the path, so that only folders count."""
    evercli.env["PATH"] = "/usr/bin:/bin"
    return evercli


def test_io_errors(evercli: Evercli, tmp_path: Path) -> None:
    done = evercli("--config", str(tmp_path / "none.yaml"), "auth", "status")
    assert (done.code, done.error["type"]) == (5, "io")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [", encoding="utf-8")
    assert evercli("--config", str(broken), "auth", "status").error["type"] == "io"
    folder = evercli.home / ".local" / "share" / "evercli"
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text("{", encoding="utf-8")
    assert evercli("auth", "status", env={"XDG_DATA_HOME": str(folder.parent)}).error["type"] == "io"


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(evercli: Evercli) -> None:
    (evercli.home / ".cursor").mkdir()
    (evercli.home / ".cursor").chmod(0o500)
    done = evercli("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (5, "io")


def test_a_folder_where_a_file_should_be(evercli: Evercli) -> None:
    (evercli.home / ".cursor" / "mcp.json").mkdir(parents=True)
    done = evercli("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (5, "io")
    assert "Traceback" not in done.err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make files")
def test_a_file_that_cannot_be_written_is_named_and_not_the_one_beside_it() -> None:
    with pytest.raises(Failure) as failed:
        replace_file(Path("/proc/config.json"), None, b"{}", private=True)
    assert failed.value.message.startswith("cannot write: /proc/config.json: ")
    assert failed.value.detail == {"path": "/proc/config.json"}


def test_a_link_stays_a_link(bare: Evercli) -> None:
    real = bare.home / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    (bare.home / ".cursor").mkdir()
    (bare.home / ".cursor" / "mcp.json").symlink_to(real)
    bare("plugin", "install", "cursor")
    assert (bare.home / ".cursor" / "mcp.json").is_symlink()
    assert "everme-memory" in real.read_text(encoding="utf-8")


def test_a_file_changed_in_the_meantime_is_left_alone(tmp_path: Path) -> None:
    from everlore.surfaces.cli.evercli.failure import Failure
    from everlore.surfaces.cli.evercli.files import replace_file

    path = tmp_path / "config.json"
    path.write_bytes(b"theirs")
    with pytest.raises(Failure) as refused:
        replace_file(path, b"what we read", b"ours", private=False)
    assert refused.value.kind == "conflict"
    assert path.read_bytes() == b"theirs"
    assert not list(tmp_path.glob(".config.json.*")), "no temporary file is left"

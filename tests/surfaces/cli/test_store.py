"""`everlore export` and `everlore import`: whole vaults out and in; the exit code says whether all is there."""

from __future__ import annotations

from pathlib import Path

from serving import everlore

NOTE = "default_app/default_project/users/alice/user.md"


def test_out_and_in_again_and_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    root, copy, other = (tmp_path / name for name in ("root", "copy", "other"))
    (root / NOTE).parent.mkdir(parents=True)
    (root / NOTE).write_text("# Alice\n\nShe likes tea.\n", encoding="utf-8")
    would = everlore("export", str(copy), "--dry-run", root=root)
    assert would.stdout.startswith("would be exported: 1 files"), would.stderr
    assert not copy.exists()
    assert everlore("export", str(copy), root=root).returncode == 0
    assert (copy / NOTE).read_bytes() == (root / NOTE).read_bytes()
    taken = everlore("import", str(copy), root=other)
    assert (taken.returncode, taken.stdout.splitlines()[0]) == (0, "imported: 1 files, 0 equal already, 0 messages")
    (copy / NOTE).write_text("# Alice\n\nShe likes coffee.\n", encoding="utf-8")
    refused = everlore("import", str(copy), root=other)
    assert refused.returncode == 1
    assert f"differs\t{NOTE}" in refused.stdout
    assert "tea" in (other / NOTE).read_text(encoding="utf-8")
    assert everlore("import", str(copy), "--force", root=other).returncode == 0
    assert "coffee" in (other / NOTE).read_text(encoding="utf-8")


def test_what_is_no_vault_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, told in (("none", "there is no folder"), ("empty", "no memories in")):
        done = everlore("import", str(tmp_path / folder), root=tmp_path / "root")
        assert done.returncode == 1
        assert told in done.stderr
    assert "only a PostgreSQL" in everlore("store", "distribute", root=tmp_path / "root").stderr
    assert "nothing is left" in everlore("store", "tidy", root=tmp_path / "root").stdout

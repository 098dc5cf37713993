"""Payloads that are not fetched: inline, and files of the server's own disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia
from everlore.models.media.sources import from_base64, from_file


def test_base64_may_have_line_breaks_and_nothing_else() -> None:
    assert from_base64("x", "aGVs\nbG8=") == b"hello"
    with pytest.raises(UnsupportedMedia, match="not plain base64"):
        from_base64("x", "data:text/plain;base64,aGVsbG8=")


def test_a_file_is_read_inside_its_guardrails(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.txt").write_bytes(b"words")
    (tmp_path / "b.txt").write_bytes(b"secret")
    (inside / "link.txt").symlink_to(tmp_path / "b.txt")
    settings = MultimodalSection(file_uri_allow_dirs=[inside], file_uri_max_bytes=5)
    assert from_file("x", (inside / "a.txt").as_uri(), settings) == (b"words", ".txt")
    for name in (inside / "link.txt", tmp_path / "b.txt", tmp_path / "none.txt"):
        with pytest.raises(UnsupportedMedia, match="outside the folders"):
            from_file("x", name.as_uri(), settings)
    (inside / "a.txt").write_bytes(b"longer")
    with pytest.raises(UnsupportedMedia, match="more than the 5 bytes"):
        from_file("x", (inside / "a.txt").as_uri(), settings)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("file:///dev/zero", "no such regular"),
        ("file:///proc/self/environ", "no such regular"),
        ("file://host/a", "on"),
    ],
)
def test_what_is_no_file_of_this_machine_is_refused(uri: str, reason: str) -> None:
    with pytest.raises(UnsupportedMedia, match=reason):
        from_file("x", uri, MultimodalSection())


def test_a_server_may_read_no_files_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"words")
    with pytest.raises(UnsupportedMedia, match="reads no files"):
        from_file("x", (tmp_path / "a.txt").as_uri(), MultimodalSection(file_uri_enabled=False))

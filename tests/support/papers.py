"""Real files of every type that content items may have, made on the spot."""

from __future__ import annotations

import base64
import io
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia
from everlore.models.chat import Meter
from everlore.models.media.reader import MediaReader


def pdf(text: str) -> bytes:
    """One page with one line, written by hand."""
    stream = f"BT /F1 18 Tf 72 700 Td ({text}) Tj ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def picture(text: str, form: str = "PNG") -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (900, 120), "white")
    ImageDraw.Draw(image).text((20, 35), text, fill="black", font=ImageFont.load_default(32))
    out = io.BytesIO()
    image.save(out, form)
    return out.getvalue()


def word(text: str, extra: dict[str, bytes] | None = None) -> bytes:
    space = "http://schemas.openxmlformats.org"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" Type='
        f'"{space}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{text}'
        "</w:t></w:r></w:p></w:body></w:document>",
    }
    return archive({name: body.encode() for name, body in parts.items()} | (extra or {}))


def archive(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, body in members.items():
            made.writestr(name, body)
    return out.getvalue()


def sheet(*rows: list[Any]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def slides(title: str) -> bytes:
    from pptx import Presentation

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    assert slide.shapes.title is not None
    slide.shapes.title.text = title
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def letter(subject: str, text: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Marta <marta@example.org>", "alice@example.org", subject
    message.set_content(text)
    return message


def recording(text: str, path: Path) -> bytes | None:
    """Spoken by a machine; None where there is no voice on this machine."""
    voice = shutil.which("espeak-ng") or shutil.which("espeak")
    if voice is None:
        return None
    subprocess.run([voice, "-v", "en-us", "-s", "140", "-w", str(path), text], check=True, capture_output=True)
    return path.read_bytes()


def inline(kind: str, ext: str, raw: bytes, **more: Any) -> dict[str, Any]:
    """A content item that carries its payload."""
    return {"type": kind, "ext": ext, "base64": base64.b64encode(raw).decode()} | more


def read(item: Mapping[str, Any], **settings: Any) -> str:
    """What a message with this item says."""
    return MediaReader(MultimodalSection(**settings)).read([item], Meter(10))


def refused(item: Mapping[str, Any], **settings: Any) -> str:
    with pytest.raises(UnsupportedMedia) as caught:
        read(item, **settings)
    return str(caught.value)

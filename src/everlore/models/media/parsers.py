"""Payload to text, format by format. Runs in the parser's process, under its limits, which the libraries that
read a format come under too: they are imported when one is read.

Converters are called directly, never through a guess at the content: what a payload claims to be decides which code
may look at it.
"""

from __future__ import annotations

import codecs
import email
import email.policy
import io
import re
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

from everlore.models.media.formats import Format, Refusal
from everlore.models.media.pictures import Reader, read_picture
from everlore.models.media.sound import read_sound

ARCHIVE_MEMBERS = 10_000
ARCHIVE_BYTES = 300 * 2**20
ARCHIVE_RATIO = 200
ARCHIVE_SMALL = 10 * 2**20
"""Archives that unpack to less may pack as well as they like: tables of numbers do."""
HTML_DEPTH = 2_000
_UNCLOSED = frozenset(
    {"area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "p", "source", "td"}
    | {"th", "tr", "track", "wbr"}
)
"""Elements that need no end tag, and so say nothing of depth."""
MAIL_DEPTH = 5
_SLIDE = re.compile(r"<!-- Slide number: \d+ -->")
SCANNED_PAGES = 20
"""Pages without text of one PDF that are read as pictures."""
SCAN_SCALE = 3.0
"""Of 72 dots an inch: enough for small print."""


def read(form: Format, raw: bytes, pixels: int, characters: int) -> str:
    match form.kind:
        case "text":
            return decode(raw)
        case "html":
            return _html(raw)
        case "email":
            return _mail(raw)
        case "pdf":
            return _pdf(raw, pixels, characters)
        case "office":
            return _office(form.name, raw)
        case "image":
            return read_picture(form.name, raw, pixels)
        case "audio":
            return read_sound(form.name, raw)


def decode(raw: bytes, charset: str = "") -> str:
    """Text in the encoding it names or begins with; else UTF-8, else Latin-1, which reads any bytes."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace")
    for name in (charset, "utf-8-sig"):
        try:
            if name:
                return raw.decode(name)
        except (LookupError, UnicodeDecodeError):
            continue
    return raw.decode("cp1252", "replace")


def _html(raw: bytes) -> str:
    _check_depth(raw)
    markdown = _convert("HtmlConverter", raw, ".html")
    if not markdown.strip():
        raise Refusal("there is no text in the page")
    return markdown


def _check_depth(raw: bytes) -> None:
    """Refuse what only an attack nests so deeply: a tree of it costs more memory than its bytes tell."""
    from html.parser import HTMLParser

    class Depth(HTMLParser):
        depth = deepest = 0

        def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
            if tag not in _UNCLOSED:
                self.depth += 1
                self.deepest = max(self.deepest, self.depth)
                if self.deepest > HTML_DEPTH:
                    raise Refusal("the page is nested too deeply")

        def handle_endtag(self, tag: str) -> None:
            if tag not in _UNCLOSED:
                self.depth -= 1

    Depth().feed(decode(raw))


def _convert(converter: str, raw: bytes, extension: str) -> str:
    from markitdown import StreamInfo, converters

    made = getattr(converters, converter)().convert(io.BytesIO(raw), StreamInfo(extension=extension))
    return str(made.markdown)


def _office(name: str, raw: bytes) -> str:
    check_archive(raw)
    converter = {"docx": "DocxConverter", "pptx": "PptxConverter", "xlsx": "XlsxConverter"}[name]
    markdown = _convert(converter, raw, f".{name}")
    # a cell that pandas found empty
    return markdown.replace("| NaN ", "|  ") if name == "xlsx" else _SLIDE.sub("", markdown)


def check_archive(raw: bytes) -> None:
    """Refuse an archive that unpacks to far more than it is."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, EOFError):
        raise Refusal("the file is damaged: it is not the archive that such a document is") from None
    size = sum(member.file_size for member in members)
    packed = max(1, sum(member.compress_size for member in members))
    if len(members) > ARCHIVE_MEMBERS or size > ARCHIVE_BYTES:
        raise Refusal("the file unpacks to more than is allowed")
    if size > ARCHIVE_SMALL and size / min(packed, len(raw)) > ARCHIVE_RATIO:
        raise Refusal("the file unpacks to so much more than it is that it looks like an archive bomb")
    if any(member.flag_bits & 1 for member in members):
        raise Refusal("the file is protected by a password")


def _pdf(raw: bytes, pixels: int, characters: int) -> str:
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    try:
        text = _convert("PdfConverter", raw, ".pdf")
    except PDFPasswordIncorrect:
        raise Refusal("the PDF is protected by a password") from None
    return text if text.strip() else "\n\n".join(_scanned(raw, pixels, characters))


def _scanned(raw: bytes, pixels: int, characters: int) -> Iterator[str]:
    """The pages of a PDF that is only pictures."""
    import pypdfium2

    document = pypdfium2.PdfDocument(raw)
    read = 0
    with Reader() as reader:
        for number in range(min(len(document), SCANNED_PAGES)):
            page = document[number]
            width, height = page.get_size()
            scale = min(SCAN_SCALE, (pixels / max(1.0, width * height)) ** 0.5)
            text = reader.text(page.render(scale=scale).to_pil())
            read += len(text)
            yield text
            if read > characters:
                return


def _mail(raw: bytes) -> str:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    if not any(message[name] for name in ("from", "to", "subject", "date", "message-id")):
        raise Refusal("it has none of the headers of an email")
    return "\n\n".join(_letter(message, 0))


def _letter(message: EmailMessage, depth: int) -> Iterator[str]:
    """Head and body, then what is attached: letters in full, other files by their names."""
    if depth > MAIL_DEPTH:
        raise Refusal("the email has letters inside letters beyond what is allowed")
    heads = [(name, _head(message, name)) for name in ("From", "To", "Cc", "Date", "Subject")]
    yield "\n".join(f"{name}: {text}" for name, text in heads if text)
    body = message.get_body(("plain", "html"))
    if isinstance(body, EmailMessage):
        content = decode(body.get_payload(decode=True) or b"", str(body.get_content_charset() or ""))  # type: ignore[arg-type]
        yield _html(content.encode()) if body.get_content_subtype() == "html" and content.strip() else content.strip()
    for part in message.iter_attachments():
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload(0) if part.is_multipart() else None
            if isinstance(inner, EmailMessage):
                yield from _letter(inner, depth + 1)
        elif part.get_filename():
            yield f"Attachment: {' '.join(str(part.get_filename()).split())}"


def _head(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message[name] or "").split())
    except Exception:  # the header parser fails on some broken headers; the rest of the letter is fine
        return ""

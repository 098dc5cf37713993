"""Pictures and sound through a multimodal model, and what is said where a part is missing."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator
from typing import Any

import papers
import pytest
from llm import Llm, Said, scripted
from papers import inline

from everlore.config import MultimodalSection
from everlore.errors import Unavailable, UnsupportedMedia
from everlore.models.chat import Meter
from everlore.models.choose import make_seer
from everlore.models.media.reader import MediaReader


@pytest.fixture
def llm() -> Iterator[Llm]:
    with scripted() as served:
        yield served


def reader(llm: Llm) -> MediaReader:
    settings = MultimodalSection(base_url=llm.url, model="eyes", timeout_seconds=2, price_input=1)
    return MediaReader(settings, make_seer(settings))


def read(llm: Llm, item: dict[str, Any], meter: Meter | None = None) -> str:
    opened = reader(llm)
    try:
        return opened.read([item], meter or Meter(10))
    finally:
        opened.close()


def test_a_picture_is_shown_to_the_model_with_what_the_client_says_of_it(llm: Llm) -> None:
    raw = papers.picture("x")
    meter = Meter(10)
    text = read(llm, inline("image", "png", raw, name="bike.png", extras={"caption": "our trip"}), meter)
    assert text == "[image: bike.png]\n\n> A red bicycle leans on a wall."
    shown, said = llm.asked[0].body["messages"][1]["content"]
    assert shown["image_url"]["url"] == f"data:image/png;base64,{base64.b64encode(raw).decode()}"
    assert '"caption": "our trip"' in said["text"]
    assert "our trip" not in llm.asked[0].system
    assert meter.usage.prompt_tokens == 100


def test_a_recording_is_played_to_the_model(llm: Llm) -> None:
    llm.script = [Said("I will be late on Friday.")]
    raw = b"RIFF\x00\x00\x00\x00WAVEfmt "
    assert read(llm, inline("audio", "wav", raw)) == "[audio]\n\nI will be late on Friday."
    (played,) = llm.asked[0].body["messages"][1]["content"]
    assert played["input_audio"] == {"data": base64.b64encode(raw).decode(), "format": "wav"}


def test_documents_are_read_locally(llm: Llm) -> None:
    assert "walnut" in read(llm, inline("email", "eml", papers.letter("Tree", "The walnut fell.").as_bytes()))
    assert llm.asked == []


@pytest.mark.parametrize("said", [Said(status=400, raw=b'{"error": "no images here"}'), Said(""), Said(status=404)])
def test_what_the_model_does_not_take_is_read_locally(llm: Llm, said: Said) -> None:
    llm.otherwise = said
    assert "Ticket 8812" in read(llm, inline("image", "png", papers.picture("Ticket 8812 to Bergen")))


def test_without_a_local_parser_the_reason_is_told(llm: Llm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tesserocr", None)  # as if it were not installed
    llm.otherwise = Said(status=400, raw=b'{"error": "no images here"}')
    with pytest.raises(UnsupportedMedia, match=r"does not take this content.*no images here"):
        read(llm, inline("image", "png", papers.picture("x")))
    llm.otherwise = Said("")
    with pytest.raises(Unavailable):
        read(llm, inline("image", "png", papers.picture("x")))


@pytest.mark.parametrize(
    ("module", "item", "extra"),
    [
        ("markitdown", inline("pdf", "pdf", papers.pdf("x")), "docs"),
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

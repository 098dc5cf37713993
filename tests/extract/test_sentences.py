from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.extract.sentences import clip, content_words, is_question, prose, split


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith paid $3.50 at 5 p.m. Then he left.", ["Dr. Smith paid $3.50 at 5 p.m.", "Then he left."]),
        ("He left... and came back. Fine.", ["He left... and came back.", "Fine."]),
        ("See https://a.b/c?d=e. Mail a.b@c.com! Ok", ["See https://a.b/c?d=e.", "Mail a.b@c.com!", "Ok"]),
        ("Great 😀 I like it.", ["Great 😀", "I like it."]),
        ("I like it! 🎉", ["I like it! 🎉"]),
        ("1. **Foo**: bar.\n- Qux e.g. this\n\n* last", ["Foo: bar.", "Qux e.g. this", "last"]),
        ("我喜欢猫。你呢？好！", ["我喜欢猫。", "你呢？", "好！"]),
        ("I moved to the U.S. in 2010. My name is J. Doe.", ["I moved to the U.S. in 2010.", "My name is J. Doe."]),
        ("What?! Really!!", ["What?!", "Really!!"]),
        ("Tips: 1. Rest a lot. 2. Drink.", ["Tips:", "Rest a lot.", "Drink."]),
        ("She is 5. He is 7. I saw 12) there.", ["She is 5.", "He is 7.", "I saw 12) there."]),
        ("The *Erebus* is 2*3*4 m. A F.A. Cup.", ["The Erebus is 2*3*4 m. A F.A. Cup."]),
        ("My new address is Hauptstr. 5, Munich. I like it.", ["My new address is Hauptstr. 5, Munich.", "I like it."]),
        ("I live at 12 High Street, Apt. 4, Leeds.", ["I live at 12 High Street, Apt. 4, Leeds."]),
        ("I live in Friedrich-Ebert-Str. 12. It is loud.", ["I live in Friedrich-Ebert-Str. 12.", "It is loud."]),
        (
            "I work at Fa. Mueller and studied at the Univ. of Ulm.",
            ["I work at Fa. Mueller and studied at the Univ. of Ulm."],
        ),
        ("We meet at No. 5, on Jan. 3 in St. Gallen.", ["We meet at No. 5, on Jan. 3 in St. Gallen."]),
        ("It made me love art. [image: a dog]", ["It made me love art.", "[image: a dog]"]),
        ("i said no. then i left", ["i said no.", "then i left"]),
        ("No, I haven't. I was busy.", ["No, I haven't.", "I was busy."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("My son is Jan. He is 5.", ["My son is Jan.", "He is 5."]),
        ("i live in rome. i like it. 5 years now", ["i live in rome.", "i like it.", "5 years now"]),
        ("Call me at ext. 12 or tel. 555.", ["Call me at ext. 12 or tel. 555."]),
        ("Ich wohne ca. 3 km von der Goethestr. 9 entfernt.", ["Ich wohne ca. 3 km von der Goethestr. 9 entfernt."]),
        ("I changed __init__() and __main__ here.", ["I changed __init__() and __main__ here."]),
        (
            "It takes **kwargs and **options, __very bold__ and **bold**.",
            ["It takes **kwargs and **options, very bold and bold."],
        ),
        ("I call `a**b**c` often.", ["I call `a**b**c` often."]),
        ("  \n ", []),
        (
            "I prefer dark roast ☕ from Ethiopia. So good 🐶 We bought it.",
            ["I prefer dark roast ☕ from Ethiopia.", "So good 🐶", "We bought it."],
        ),
    ],
)
def test_split(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab I.!?…。！\n \t😀'\"1()"), max_size=80))
def test_split_loses_no_letters(text: str) -> None:
    kept = "".join(char for sentence in split(text) for char in sentence if char.isalpha())
    assert kept == "".join(char for char in text if char.isalpha())


def test_code_blocks_are_not_prose() -> None:
    assert split(prose("Look:\n```py\nx = 1\n```\nDone.")) == ["Look:", "Done."]
    assert split(prose("Open end\n```\nx = 1")) == ["Open end"]


def test_questions_and_content_words() -> None:
    assert is_question('Did you see "that"?')
    assert not is_question("I asked.")
    assert content_words("Wow, that's really great!") == []
    assert content_words("I love climbing in Yosemite") == ["climbing", "yosemite"]


def test_clip_cuts_at_a_blank() -> None:
    assert clip("one two three four", 12) == "one two…"
    assert clip("short", 12) == "short"
    assert len(clip("x" * 50, 12)) == 12


@pytest.mark.parametrize("run", [".", "e.g. ", "😀", "\n", "'", "1. ", "__a ", "**a "])
def test_long_runs_are_read_in_linear_time(run: str) -> None:
    assert_linear(lambda size: partial(split, run * (size // len(run)) + " end"), 20_000)
